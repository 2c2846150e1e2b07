// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"
#include "circuit/netlist_reader.hpp"
#include "compiler/process/preprocessor_options.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

struct COptions {
    std::vector<std::filesystem::path> files;
    /// The function to compile: its name, qualified name or linkage name. Empty: the only non-static one.
    std::string top;
    /// Parameters that are clear at compile time: "n" -> "5", "a[1]" -> "7", "a" -> "1,2,3", "p.x" -> "-1".
    std::map<std::string, std::string> clear_values;
    /// How often a loop may go round under encrypted conditions. Without it such a loop that does not end by
    /// itself is an error.
    std::optional<std::uint64_t> loop_bound;
    PreprocessorOptions preprocessor;
    /// Of each step: clang, its optimiser, the symbolic execution, and the native check.
    std::chrono::seconds time_limit{600};
    std::uint64_t memory_limit_bytes = std::uint64_t{8} << 30;  ///< of each child process
    std::uint64_t step_limit = 100'000'000;                     ///< instructions executed symbolically
    std::uint64_t word_limit = std::uint64_t{1} << 25;          ///< words of the graph
    /// Called many times a second; what it throws ends the work.
    std::function<void()> checkpoint = {};
};

struct NativeProgram;  // what the native check runs; native_check.hpp

struct CProgram {
    WordGraph graph;
    std::string name;
    std::vector<circuit::Warning> warnings;
    std::shared_ptr<const NativeProgram> native;
};

/// The function as words. Its ports are those of docs/c.md. Error(circuit) names file, line and column.
[[nodiscard]] CProgram read_c(const COptions& options);

struct NativeCheck {
    std::uint32_t compared = 0;  ///< vectors that C defines and that agreed
    std::uint32_t undefined =
        0;  ///< vectors left out: undefined in C, without an end, or beyond a loop bound
};

/// Compiles the source for this machine and runs it on `vectors` random and edge vectors in a child process
/// with the program's limits. Error(circuit) shows the first vector on which the circuit gives something
/// else.
[[nodiscard]] NativeCheck check_against_native(const CProgram& program, const circuit::Circuit& circuit,
                                               std::uint32_t vectors);

}  // namespace toroid::compiler
