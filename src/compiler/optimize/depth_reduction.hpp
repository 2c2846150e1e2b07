// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "compiler/optimize/gate_network.hpp"

namespace toroid::compiler {

struct DepthReductionOptions {
    int weight_limit = 3;
    std::function<void()> checkpoint = {};
};

/// The network with less depth, or nothing if that needs more than opening XORs: on each longest path one
/// gate reads, in place of XORs that other gates share, what these are of, so that decompose() can merge the
/// latest operands last. Which gates is a minimum cut by the number of gates that this adds (after K. Singh,
/// A. Wang, R. Brayton, A. Sangiovanni-Vincentelli, "Timing optimization of combinational logic", ICCAD
/// 1988). share_parities() may win gates back.
[[nodiscard]] std::optional<GateNetwork> reduce_depth(const GateNetwork& network,
                                                      const DepthReductionOptions& options);

}  // namespace toroid::compiler
