// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toroid::compiler {

/// The program of this name on the PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_program(std::string_view name);

struct ChildProcess {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    /// Private folder of the run: open in the child as descriptor `folder_descriptor`, its place for
    /// temporary files, and where stderr goes.
    std::filesystem::path folder;
    std::filesystem::path error_file;
    std::chrono::seconds time_limit{};
    std::uint64_t memory_limit_bytes = 0;    ///< of address space, for each process of the tree
    std::function<void()> checkpoint = {};   ///< called while the child runs; may throw, which ends the child
    std::filesystem::path input_file = {};   ///< standard input; empty: nothing
    std::filesystem::path output_file = {};  ///< standard output; empty: thrown away
};

/// Inside the child the private folder is /proc/self/fd/9, whatever its random name: names that a tool
/// derives from file names stay the same from run to run.
inline constexpr int folder_descriptor = 9;

struct ChildResult {
    int exit_code = 0;  ///< if neither a signal nor the time limit ended it
    int signal = 0;
    bool timed_out = false;
};

/// Runs the child in a process group of its own, which is killed whole at the time limit. No shell is
/// involved. Error(io) if the child cannot be started.
[[nodiscard]] ChildResult run_child(const ChildProcess& child);

}  // namespace toroid::compiler
