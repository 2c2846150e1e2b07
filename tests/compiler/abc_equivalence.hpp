// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "circuit/circuit.hpp"
#include "compiler/optimize/control_rewriting.hpp"
#include "compiler/optimize/logic_graph.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/process/temporary_folder.hpp"

namespace toroid::tests {

/// What ABC's cec says of two circuits with the same leaves and roots.
struct EquivalenceCheck {
    bool timed_out = false;
    std::string text;

    [[nodiscard]] bool says(const char* words) const { return text.find(words) != std::string::npos; }
    [[nodiscard]] bool is_proven() const { return says("are equivalent"); }
};

inline EquivalenceCheck check_equivalence(const std::filesystem::path& abc, const circuit::Circuit& first,
                                          const circuit::Circuit& second, std::chrono::seconds time_limit) {
    const compiler::TemporaryFolder work;
    const auto write = [&](const char* name, const circuit::Circuit& circuit) {
        base::write_file(work.path() / name, compiler::to_aiger(compiler::to_logic_graph(circuit)),
                         base::FileMode::ordinary);
        return (work.path() / name).string();
    };
    compiler::ChildProcess child;
    child.program = abc;
    child.arguments = {"-q", "cec " + write("a.aig", first) + " " + write("b.aig", second)};
    child.folder = work.path();
    child.error_file = work.path() / "errors.txt";
    child.output_file = work.path() / "output.txt";
    child.time_limit = time_limit;
    child.memory_limit_bytes = std::uint64_t{4} << 30;
    EquivalenceCheck result;
    result.timed_out = compiler::run_child(child).timed_out;
    const std::vector<std::byte> bytes = base::read_file(child.output_file, 1 << 20);
    result.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return result;
}

}  // namespace toroid::tests
