// SPDX-License-Identifier: Apache-2.0
// Two's complement arithmetic on constants of any width, as WordGraph folds it. Operands of a binary function
// have one width, which the result keeps.
#pragma once

#include <cstdint>
#include <utility>

#include "base/bit_vector.hpp"

namespace toroid::compiler::constants {

using base::BitVector;

[[nodiscard]] BitVector make(std::uint64_t value, std::uint32_t width);
[[nodiscard]] bool all(const BitVector& a, bool bit);
/// The value if it is below 2^64.
[[nodiscard]] bool fits_64(const BitVector& a, std::uint64_t& value);
/// k if the value is 2^k.
[[nodiscard]] bool power_of_two(const BitVector& a, std::uint32_t& exponent);
[[nodiscard]] std::uint64_t count_ones(const BitVector& a);

[[nodiscard]] BitVector add(const BitVector& a, const BitVector& b);
[[nodiscard]] BitVector negate(const BitVector& a);
[[nodiscard]] BitVector multiply(const BitVector& a, const BitVector& b);
/// Unsigned quotient and remainder; x / 0 = all ones, x % 0 = x.
[[nodiscard]] std::pair<BitVector, BitVector> divide(const BitVector& a, const BitVector& b);
[[nodiscard]] BitVector invert(const BitVector& a);
[[nodiscard]] bool unsigned_less(const BitVector& a, const BitVector& b);
[[nodiscard]] bool signed_less(const BitVector& a, const BitVector& b);
[[nodiscard]] BitVector slice(const BitVector& a, std::size_t first, std::size_t width);
/// The first `width` bits, `fill` beyond the end.
[[nodiscard]] BitVector extend(const BitVector& a, std::size_t width, bool fill);

}  // namespace toroid::compiler::constants
