// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "compiler/word/gate_net.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::compiler {

struct Division {
    std::vector<Literal> quotient;
    std::vector<Literal> remainder;
};
/// Unsigned restoring division of words of one width; x / 0 = all ones, x % 0 = x. Leading zeros of either
/// operand cost nothing.
[[nodiscard]] Division divide(GateNet& net, std::span<const Literal> dividend,
                              std::span<const Literal> divisor, Objective objective);

}  // namespace toroid::compiler
