// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "circuit/netlist_reader.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

struct XlsOptions {
    /// The function to compile. Empty: the one marked `top`, or the only one.
    std::string top;
    std::uint64_t step_limit = 50'000'000;              ///< values computed, calls and loops unfolded
    std::uint64_t word_limit = std::uint64_t{1} << 25;  ///< words of the graph
    std::function<void()> checkpoint = {};              ///< called often; what it throws ends the work
};

struct XlsProgram {
    WordGraph graph;
    std::string name;
    std::vector<circuit::Warning> warnings;
};

/// The function of an XLS IR text as words. Its ports are those of docs/xls.md. Error(circuit) names
/// `source`, line and column.
[[nodiscard]] XlsProgram read_xls(std::string_view text, const std::string& source,
                                  const XlsOptions& options);

}  // namespace toroid::compiler
