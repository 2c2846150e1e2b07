// SPDX-License-Identifier: Apache-2.0
// Wide gates as trees, latest operands nearest to the root.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "compiler/word/gate_net.hpp"

namespace toroid::compiler {

[[nodiscard]] Literal and_of(GateNet& net, std::vector<Literal> operands);
[[nodiscard]] Literal or_of(GateNet& net, std::vector<Literal> operands);
/// XOR gates as wide as the weight limit allows.
[[nodiscard]] Literal xor_of(GateNet& net, std::vector<Literal> operands);
/// XOR of the operands and of the ANDs of the pairs; c ^ (a & b) gates where the weight limit allows them.
[[nodiscard]] Literal xor_of_products(GateNet& net, std::vector<Literal> operands,
                                      std::vector<std::pair<Literal, Literal>> products);

}  // namespace toroid::compiler
