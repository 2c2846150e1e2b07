// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "circuit/circuit_builder.hpp"

namespace toroid::circuit {

inline constexpr std::size_t largest_table_inputs = 16;

/// Builds any function of up to 16 inputs from gates of weight norm at most 3 (see CircuitBuilder::table).
/// Inputs that do not matter are dropped; literals are split off where f = x op g; a function of three inputs
/// is one gate where it can be; the rest is f0 xor (x and h), if h = f0 xor f1 has one input, or a
/// multiplexer. Equal subfunctions are built once. Recursion is at most as deep as there are inputs.
[[nodiscard]] Literal synthesise_table(CircuitBuilder& builder, std::span<const Literal> inputs,
                                       std::span<const std::uint64_t> bits);

}  // namespace toroid::circuit
