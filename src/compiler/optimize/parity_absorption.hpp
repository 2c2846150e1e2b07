// SPDX-License-Identifier: Apache-2.0
// XORs move into the linear parts of their readers: a node x that stands in another gate's L is substituted,
// since E2(A) xor parity(L) keeps its shape. Linear parts may grow beyond what one gate carries; decompose()
// cuts them into gates again, earliest operands first.
#pragma once

#include <functional>

#include "compiler/optimize/gate_network.hpp"

namespace toroid::compiler {

struct AbsorptionOptions {
    int weight_limit = 3;
    /// Gates that a substitution may add; -1: it must save one. 0 makes longer XORs, which decompose()
    /// balances; more is for share_parities() to win back.
    int allowed_growth = 0;
    /// Linear parts do not grow beyond this.
    std::size_t widest = 256;
    std::function<void()> checkpoint = {};
};

/// Operands of weight 2 that a gate carries beside the pairwise ANDs of so many.
[[nodiscard]] std::size_t room_beside(std::size_t lights, int weight_limit);
/// Gates that decompose() makes of one node.
[[nodiscard]] std::uint32_t gates_of(std::size_t lights, std::size_t heavies, int weight_limit);

/// Substitutes nodes into all their readers as long as the number of gates after decompose() does not grow
/// by more than allowed.
[[nodiscard]] GateNetwork absorb_parities(const GateNetwork& network, const AbsorptionOptions& options);

/// Every gate within the weight limit (those whose A alone is above it stay), with the least depth for that
/// number of gates.
[[nodiscard]] GateNetwork decompose(const GateNetwork& network, int weight_limit);

}  // namespace toroid::compiler
