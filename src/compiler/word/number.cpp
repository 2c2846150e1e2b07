// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/number.hpp"

#include <algorithm>
#include <initializer_list>

namespace toroid::compiler {
namespace {

constexpr std::size_t widest = 60;  // so that a product of two ranges still fits

constexpr WideInteger power(std::size_t exponent) {
    return static_cast<WideInteger>(1) << exponent;
}

}  // namespace

ValueRange ValueRange::of(WideInteger low, WideInteger high) {
    const bool small = low > -power(2 * widest) && high < power(2 * widest);
    return small ? ValueRange{true, low, high} : ValueRange{};
}

ValueRange ValueRange::of_bits(std::size_t width, bool is_signed) {
    if (width > 2 * widest - 1) return {};
    if (width == 0) return of(0, 0);
    return is_signed ? of(-power(width - 1), power(width - 1) - 1) : of(0, power(width) - 1);
}

bool ValueRange::fits(std::uint32_t width, bool is_signed) const {
    if (!known) return false;
    if (width > 2 * widest) return is_signed || low >= 0;
    if (!is_signed) return low >= 0 && high < power(width);
    return low >= -power(width - 1) && high < power(width - 1);
}

ValueRange operator+(const ValueRange& a, const ValueRange& b) {
    return a.known && b.known ? ValueRange::of(a.low + b.low, a.high + b.high) : ValueRange{};
}

ValueRange operator*(const ValueRange& a, const ValueRange& b) {
    const auto small = [](const ValueRange& x) {
        return x.known && x.low >= -power(widest) && x.high <= power(widest);
    };
    if (!small(a) || !small(b)) return {};
    const auto corners = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return ValueRange::of(std::min(corners), std::max(corners));
}

ValueRange ValueRange::negated() const {
    return known ? of(-high, -low) : ValueRange{};
}

ValueRange ValueRange::shifted(std::uint64_t exponent) const {
    return exponent < widest ? *this * of(power(exponent), power(exponent)) : ValueRange{};
}

ValueRange ValueRange::joined(const ValueRange& other) const {
    return known && other.known ? of(std::min(low, other.low), std::max(high, other.high)) : ValueRange{};
}

ValueRange ValueRange::within(const ValueRange& other) const {
    if (!known) return other;
    if (!other.known) return *this;
    const ValueRange out{true, std::max(low, other.low), std::min(high, other.high)};
    return out.low <= out.high ? out : *this;
}

Number number_of(std::span<const Literal> word, const ValueRange& range) {
    std::size_t width = word.size();
    Number out;
    if (word.back() == Literal::constant(false)) {
        while (width > 0 && word[width - 1] == Literal::constant(false)) --width;
    } else {
        while (width > 1 && word[width - 1] == word[width - 2]) --width;
        const bool whole = width == word.size();
        out.is_signed = !(whole && range.known && range.low >= 0);
    }
    out.bits.assign(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(width));
    out.range = ValueRange::of_bits(width, out.is_signed);
    // The range may be that of another representative, such as an unsigned one for a word taken as signed.
    if (range.fits(static_cast<std::uint32_t>(word.size()), out.is_signed))
        out.range = out.range.within(range);
    return out;
}

}  // namespace toroid::compiler
