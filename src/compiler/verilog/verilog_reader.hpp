// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "circuit/netlist_reader.hpp"
#include "compiler/process/preprocessor_options.hpp"
#include "compiler/verilog/line_costs.hpp"

namespace toroid::compiler {

struct VerilogOptions {
    std::string top;  ///< empty: found by Yosys (hierarchy -auto-top)
    std::chrono::seconds time_limit{600};
    std::uint64_t memory_limit_bytes = std::uint64_t{8} << 30;
    /// Called while Yosys runs; what it throws ends Yosys and the call.
    std::function<void()> checkpoint = {};
    PreprocessorOptions preprocessor = {};
    /// If given, filled with the design as it was before its logic was restructured.
    PlacedCircuit* placed = nullptr;
};

/// Synthesises Verilog in a `yosys` child process and reads its JSON. Error(circuit) carries Yosys's own
/// message with file and line, or says that yosys is not installed, or which limit was hit.
/// Error(usage, io) for wrong preprocessor options.
[[nodiscard]] circuit::Circuit read_verilog(const std::vector<std::filesystem::path>& files,
                                            const VerilogOptions& verilog,
                                            const circuit::ReadOptions& options);

}  // namespace toroid::compiler
