// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/multiplier.hpp"

#include <algorithm>
#include <functional>

namespace toroid::compiler {
namespace {

const Literal zero = Literal::constant(false);

void add_array(GateNet& net, ColumnSum& sum, const Number& x, const Number& y, std::uint64_t exponent,
               bool negative) {
    const auto sign_of = [](const Number& number, std::size_t i) {
        return number.is_signed && i + 1 == number.bits.size();
    };
    const bool square = x.bits == y.bits && x.is_signed == y.is_signed;
    for (std::size_t i = 0; i < x.bits.size(); ++i) {
        for (std::size_t j = 0; j < (square ? i + 1 : y.bits.size()); ++j) {
            // x_i x_j occurs twice in a square, x_i x_i is x_i.
            const std::uint64_t at = exponent + i + j + (square && i != j ? 1 : 0);
            if (at >= sum.width()) continue;
            sum.add(net.and_gate(x.bits[i], y.bits[j]), at, negative != (sign_of(x, i) != sign_of(y, j)));
        }
    }
}

std::size_t booth_digits(const Number& y) {
    return y.is_signed ? (y.bits.size() + 1) / 2 : y.bits.size() / 2 + 1;
}

/// Rows of x by the digits -2 b_(2d+1) + b_(2d) + b_(2d-1) of y.
void add_booth(GateNet& net, ColumnSum& sum, const Number& x, const Number& y, std::uint64_t exponent,
               bool negative) {
    const std::size_t n = x.bits.size();
    const Literal sign_x = x.is_signed ? x.bits.back() : zero;
    const auto bit_of_y = [&](std::size_t i) {
        return i < y.bits.size() ? y.bits[i] : y.is_signed ? y.bits.back() : zero;
    };
    for (std::size_t digit = 0; digit < booth_digits(y); ++digit) {
        const std::uint64_t at = exponent + 2 * digit;
        if (at >= sum.width()) break;
        const Literal low = digit == 0 ? zero : bit_of_y(2 * digit - 1);
        const Literal middle = bit_of_y(2 * digit);
        const Literal high = bit_of_y(2 * digit + 1);
        if (middle == zero && high == zero) {  // the digit is one bit
            for (std::size_t j = 0; j < n && at + j < sum.width(); ++j) {
                sum.add(net.and_gate(low, x.bits[j]), at + j, negative != (x.is_signed && j + 1 == n));
            }
            continue;
        }
        const Literal one = net.xor_gate(middle, low);
        const Literal two = !net.not_all_equal(!high, middle, low);
        const Literal invert = negative ? !high : high;
        // Bits 0 to n of |digit| x, inverted where the digit is negative; the inversion's + 1 is `invert`.
        for (std::size_t j = 0; j <= n && at + j < sum.width(); ++j) {
            const Literal bit = j < n ? x.bits[j] : sign_x;
            const Literal below = j == 0 ? zero : x.bits[j - 1];
            const Literal row = net.and_xor(net.and_xor(invert, one, bit), two, below);
            sum.add(row, at + j, x.is_signed && j == n);
        }
        if (!x.is_signed) sum.add(invert, at + n + 1, true);
        sum.add(invert, at);
    }
}

/// Gates of a product with about `per_bit` for each bit of it in the sum.
double booth_cost(const Number& x, const Number& y, double per_bit) {
    const auto digits = static_cast<double>(booth_digits(y));
    const auto n = static_cast<double>(x.bits.size());
    return digits * (2 * (n + 1) + 2 + per_bit * (n + 2));
}

/// Calls digit(position, negative) for the canonical signed digits of the factor.
void for_each_digit(const std::vector<bool>& factor, const std::function<void(std::size_t, bool)>& digit) {
    bool carry = false;
    for (std::size_t i = 0; i < factor.size(); ++i) {
        if (factor[i] == carry) continue;  // 0, or 2 that is handed on
        const bool next = i + 1 < factor.size() && factor[i + 1];
        digit(i, next);
        carry = next;
    }
}

}  // namespace

ProductKind cheaper_product(int weight_limit, const Number& x, const Number& y) {
    if (weight_limit < 6 || (x.bits == y.bits && x.is_signed == y.is_signed)) return ProductKind::array;
    if (std::min(x.bits.size(), y.bits.size()) < 2) return ProductKind::array;
    const double per_bit = weight_limit >= 7 ? 1.3 : 2;
    const auto n = static_cast<double>(x.bits.size());
    const auto m = static_cast<double>(y.bits.size());
    const double booth = std::min(booth_cost(x, y, per_bit), booth_cost(y, x, per_bit));
    return booth < n * m * (1 + per_bit) ? ProductKind::booth : ProductKind::array;
}

void add_product(GateNet& net, ColumnSum& sum, const Number& x, const Number& y, std::uint64_t exponent,
                 bool negative, ProductKind kind) {
    if (x.bits.empty() || y.bits.empty()) return;
    if (kind == ProductKind::array) {
        add_array(net, sum, x, y, exponent, negative);
    } else if (booth_cost(x, y, 1.3) <= booth_cost(y, x, 1.3)) {
        add_booth(net, sum, x, y, exponent, negative);
    } else {
        add_booth(net, sum, y, x, exponent, negative);
    }
}

void add_multiple(ColumnSum& sum, const Number& x, const std::vector<bool>& factor, std::uint64_t exponent,
                  bool negative) {
    for_each_digit(factor, [&](std::size_t position, bool minus) {
        sum.add_word(x.bits, x.is_signed, exponent + position, negative != minus);
    });
}

std::size_t signed_digit_count(const std::vector<bool>& factor) {
    std::size_t out = 0;
    for_each_digit(factor, [&](std::size_t, bool) { ++out; });
    return out;
}

}  // namespace toroid::compiler
