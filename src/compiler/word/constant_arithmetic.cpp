// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/constant_arithmetic.hpp"

#include <algorithm>

namespace toroid::compiler::constants {
namespace {

BitVector add_with_carry(const BitVector& a, const BitVector& b, bool carry) {
    BitVector out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const int sum = static_cast<int>(a[i]) + static_cast<int>(b[i]) + static_cast<int>(carry);
        out[i] = (sum & 1) != 0;
        carry = sum > 1;
    }
    return out;
}

}  // namespace

BitVector make(std::uint64_t value, std::uint32_t width) {
    BitVector out(width);
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(width, 64); ++i) out[i] = (value >> i & 1) != 0;
    return out;
}

bool all(const BitVector& a, bool bit) {
    return std::find(a.begin(), a.end(), !bit) == a.end();
}

bool fits_64(const BitVector& a, std::uint64_t& value) {
    value = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!a[i]) continue;
        if (i >= 64) return false;
        value |= std::uint64_t{1} << i;
    }
    return true;
}

bool power_of_two(const BitVector& a, std::uint32_t& exponent) {
    const auto first = std::find(a.begin(), a.end(), true);
    if (first == a.end() || std::find(first + 1, a.end(), true) != a.end()) return false;
    exponent = static_cast<std::uint32_t>(first - a.begin());
    return true;
}

std::uint64_t count_ones(const BitVector& a) {
    return static_cast<std::uint64_t>(std::count(a.begin(), a.end(), true));
}

BitVector add(const BitVector& a, const BitVector& b) {
    return add_with_carry(a, b, false);
}

BitVector negate(const BitVector& a) {
    return add_with_carry(invert(a), BitVector(a.size(), false), true);
}

BitVector multiply(const BitVector& a, const BitVector& b) {
    BitVector out(a.size(), false);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!b[i]) continue;
        bool carry = false;
        for (std::size_t j = i; j < a.size(); ++j) {
            const int sum = static_cast<int>(out[j]) + static_cast<int>(a[j - i]) + static_cast<int>(carry);
            out[j] = (sum & 1) != 0;
            carry = sum > 1;
        }
    }
    return out;
}

std::pair<BitVector, BitVector> divide(const BitVector& a, const BitVector& b) {
    if (all(b, false)) return {BitVector(a.size(), true), a};
    BitVector quotient(a.size(), false);
    const BitVector divisor = extend(b, b.size() + 1, false);
    const BitVector minus = negate(divisor);
    BitVector rest(a.size() + 1, false);
    for (std::size_t i = a.size(); i-- > 0;) {
        rest.insert(rest.begin(), a[i]);
        rest.pop_back();
        if (unsigned_less(rest, divisor)) continue;
        rest = add(rest, minus);
        quotient[i] = true;
    }
    rest.pop_back();
    return {quotient, rest};
}

BitVector invert(const BitVector& a) {
    BitVector out = a;
    out.flip();
    return out;
}

bool unsigned_less(const BitVector& a, const BitVector& b) {
    for (std::size_t i = a.size(); i-- > 0;) {
        if (a[i] != b[i]) return b[i];
    }
    return false;
}

bool signed_less(const BitVector& a, const BitVector& b) {
    return a.back() != b.back() ? a.back() : unsigned_less(a, b);
}

BitVector slice(const BitVector& a, std::size_t first, std::size_t width) {
    const auto begin = a.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

BitVector extend(const BitVector& a, std::size_t width, bool fill) {
    BitVector out = a;
    out.resize(width, fill);
    return out;
}

}  // namespace toroid::compiler::constants
