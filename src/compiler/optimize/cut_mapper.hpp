// SPDX-License-Identifier: Apache-2.0
// Covers a logic graph with gates of up to three inputs: cut enumeration, then depth-optimal, area-flow and
// exact-area passes (A. Mishchenko, S. Cho, S. Chatterjee, R. Brayton, "Combinational and sequential mapping
// with priority cuts", ICCAD 2007). MAJ3, XOR3, NAE3 and c ^ (a & b) count one bootstrap, a multiplexer two,
// all of one level.
#pragma once

#include <functional>

#include "compiler/optimize/gate_network.hpp"
#include "compiler/optimize/logic_graph.hpp"

namespace toroid::compiler {

struct CutMapperOptions {
    int weight_limit = 3;
    /// The depth to keep, as a multiple of the least one; 0: any, for the least area.
    double depth_limit = 0;
    /// What a multiplexer counts: two bootstraps, and one more where its noise would need a refresh; 0: none
    /// is made.
    std::uint32_t multiplexer_cost = 2;
    std::function<void()> checkpoint = {};
};

[[nodiscard]] GateNetwork map_cuts(const LogicGraph& graph, const CutMapperOptions& options);

}  // namespace toroid::compiler
