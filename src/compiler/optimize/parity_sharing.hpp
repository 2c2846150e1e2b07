// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "compiler/optimize/gate_network.hpp"

namespace toroid::compiler {

/// Finds pairs and triples of operands that stand together in the linear parts of several gates and makes one
/// XOR of them, as long as decompose() then makes fewer gates (greedy, after C. Paar, "Optimized arithmetic
/// for Reed-Solomon encoders", ISIT 1997). For networks whose linear parts have been widened by
/// absorb_parities().
[[nodiscard]] GateNetwork share_parities(const GateNetwork& network, int weight_limit,
                                         const std::function<void()>& checkpoint = {});

}  // namespace toroid::compiler
