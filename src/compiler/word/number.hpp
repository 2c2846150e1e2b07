// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/word/gate_net.hpp"

namespace toroid::compiler {

/// Wide enough for the ranges that are followed.
__extension__ using WideInteger = __int128;

/// The integers that a word may stand for, if known: the word is the integer modulo 2^width.
struct ValueRange {
    bool known = false;
    WideInteger low = 0;
    WideInteger high = 0;

    [[nodiscard]] static ValueRange of(WideInteger low, WideInteger high);
    /// All values of a word of this shape; unknown if it is too wide.
    [[nodiscard]] static ValueRange of_bits(std::size_t width, bool is_signed);
    [[nodiscard]] bool fits(std::uint32_t width, bool is_signed) const;

    friend ValueRange operator+(const ValueRange& a, const ValueRange& b);
    friend ValueRange operator*(const ValueRange& a, const ValueRange& b);
    [[nodiscard]] ValueRange negated() const;
    [[nodiscard]] ValueRange shifted(std::uint64_t exponent) const;
    /// The smallest range that holds both.
    [[nodiscard]] ValueRange joined(const ValueRange& other) const;
    /// What lies in both; unknown ranges hold everything.
    [[nodiscard]] ValueRange within(const ValueRange& other) const;
};

/// A word without its leading copies of the sign, or leading zeros: value = sum b_i 2^i, the highest bit
/// counting negative if signed.
struct Number {
    std::vector<Literal> bits;
    bool is_signed = false;
    ValueRange range;
};
/// The word's shape as its wires show it. A word without leading zeros or copies counts as signed, unless
/// `range` says that it is never negative.
[[nodiscard]] Number number_of(std::span<const Literal> word, const ValueRange& range);

}  // namespace toroid::compiler
