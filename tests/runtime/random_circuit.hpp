// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "circuit/circuit.hpp"

namespace toroid::tests {

/// A circuit of `gates` random gates of all kinds (multiplexers and linear forms among them) on `inputs`
/// input bits in two ports and `registers` registers. Outputs are gates, inputs, negations, constants, and
/// one wire twice.
[[nodiscard]] circuit::Circuit random_circuit(std::mt19937_64& random, std::uint32_t inputs,
                                              std::uint32_t registers, std::uint32_t gates);

}  // namespace toroid::tests
