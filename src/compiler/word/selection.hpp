// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bit_vector.hpp"
#include "compiler/word/gate_net.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::compiler {

/// condition ? if_one : if_zero as a MUX, or if_zero ^ (condition & (if_one ^ if_zero)) where the weight
/// limit allows that gate and the condition is what arrives last.
[[nodiscard]] Literal choose(GateNet& net, Literal condition, Literal if_one, Literal if_zero);

/// One wire for each of the 2^n values of the index, least significant bit first.
[[nodiscard]] std::vector<Literal> one_hot(GateNet& net, std::span<const Literal> index);

/// Several outputs of one table: bit b of entries[index], 0 beyond the end.
[[nodiscard]] std::vector<Literal> table_lookup(GateNet& net, std::span<const Literal> index,
                                                const std::vector<base::BitVector>& entries,
                                                std::uint32_t width);

enum class ShiftKind : std::uint8_t { left, right_logical, right_arithmetic };
/// Barrel shifter; an amount not below the width shifts everything out.
[[nodiscard]] std::vector<Literal> shift(GateNet& net, ShiftKind kind, std::vector<Literal> word,
                                         std::span<const Literal> amount);

}  // namespace toroid::compiler
