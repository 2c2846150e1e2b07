// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/word/column_sum.hpp"
#include "compiler/word/number.hpp"

namespace toroid::compiler {

enum class ProductKind : std::uint8_t {
    array,  ///< an AND for each pair of bits, signed ones as Baugh and Wooley do; squares folded
    booth,  ///< radix 4: a row for each two bits, two c ^ (a & b) gates a bit; weight norm 6
};

/// The kind that takes fewer gates, its share of the sum included.
[[nodiscard]] ProductKind cheaper_product(int weight_limit, const Number& x, const Number& y);

/// Adds (or subtracts) x y 2^exponent.
void add_product(GateNet& net, ColumnSum& sum, const Number& x, const Number& y, std::uint64_t exponent,
                 bool negative, ProductKind kind);

/// Adds (or subtracts) x factor 2^exponent by the factor's canonical signed digits.
void add_multiple(ColumnSum& sum, const Number& x, const std::vector<bool>& factor, std::uint64_t exponent,
                  bool negative);
/// Digits other than 0 in the canonical signed form of a factor modulo 2^width.
[[nodiscard]] std::size_t signed_digit_count(const std::vector<bool>& factor);

}  // namespace toroid::compiler
