// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "compiler/optimize/logic_graph.hpp"

namespace toroid::compiler {

struct ControlRewritingOptions {
    std::chrono::seconds time_limit{600};
    std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;
    std::function<void()> checkpoint = {};
};

/// Restructures random and control logic with ABC (`berkeley-abc`, or the `yosys-abc` that comes with Yosys)
/// as a child process: balancing, resubstitution, rewriting, refactoring of the and-inverter graph. It makes
/// good arithmetic worse, so the caller keeps the better result after covering. Nothing if neither program is
/// installed, a limit is hit, or the result differs from the graph on random vectors.
[[nodiscard]] std::optional<LogicGraph> rewrite_control_logic(const LogicGraph& graph,
                                                              const ControlRewritingOptions& options);

/// Binary AIGER of the graph; XORs become three ANDs.
[[nodiscard]] std::string to_aiger(const LogicGraph& graph);

/// Whether all roots agree on some thousand random vectors. Both graphs must have the same leaves.
[[nodiscard]] bool agree_on_random_vectors(const LogicGraph& a, const LogicGraph& b);

}  // namespace toroid::compiler
