// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"
#include "circuit/netlist_reader.hpp"
#include "compiler/process/preprocessor_options.hpp"

namespace toroid::compiler {

struct IcarusOptions {
    std::uint32_t vectors = 64;
    std::chrono::seconds time_limit{600};
    std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;
    std::function<void()> checkpoint = {};
    PreprocessorOptions preprocessor = {};
};

/// Runs the Verilog in Icarus (iverilog, vvp: child processes with limits) and compares its outputs with
/// those of the circuit on edge and random vectors; a clocked design runs so many cycles in one go. Bits that
/// are x or z in Verilog are left out. Returns nothing if all agree, else why the two could not be compared:
/// a program that is not installed or refuses the source, a limit, or a difference in a source whose values
/// may be undefined (division, x). Any other difference is Error(circuit) with output and vector.
[[nodiscard]] std::string compare_with_icarus(const std::vector<std::filesystem::path>& files,
                                              const circuit::Circuit& circuit, const circuit::Clock& clock,
                                              const IcarusOptions& options);

}  // namespace toroid::compiler
