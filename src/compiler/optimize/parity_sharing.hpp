// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "compiler/optimize/gate_network.hpp"
#include "compiler/optimize/timed_network.hpp"

namespace toroid::compiler {

struct SharingOptions {
    int weight_limit = 3;
    /// Of what decompose() makes of the result; less than the network has counts as what it has.
    std::uint32_t depth_limit = any_depth;
    std::function<void()> checkpoint = {};
};

/// Finds pairs and triples of operands that stand together in the linear parts of several gates and makes one
/// XOR of them, as long as decompose() then makes fewer gates (greedy, after C. Paar, "Optimized arithmetic
/// for Reed-Solomon encoders", ISIT 1997); a gate takes part only where it has the time. For networks whose
/// linear parts have been widened by absorb_parities().
[[nodiscard]] GateNetwork share_parities(const GateNetwork& network, const SharingOptions& options);

}  // namespace toroid::compiler
