// SPDX-License-Identifier: Apache-2.0
// Arithmetic and comparisons of WordGraph, simplified as they are made.
#include "compiler/word/constant_arithmetic.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

Word WordGraph::add(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "sum");
    if (w == 1) return bit_xor(a, b);
    order(a, b);
    if (is_zero(b)) return a;
    if (a == b) return shift_left(a, constant(1, w));
    if (inverse(a, b)) return ones(w);
    if (is_constant(b)) {
        if (is_constant(a)) return constant(constants::add(constant_bits(a), constant_bits(b)));
        if (is(a, WordOp::add) && is_constant(operand(a, 1)))
            return add(operand(a, 0), add(operand(a, 1), b));
        std::uint64_t value = 0;
        if (is(a, WordOp::bit_not)) {  // ~x + c = -x + (c - 1)
            if (constant_value(b, value) && value == 1) return negate(operand(a, 0));
        }
        if (is(a, WordOp::negate) && is_ones(b)) return bit_not(operand(a, 0));
    }
    for (int turn = 0; turn < 2; ++turn) {
        if (is(a, WordOp::negate)) {
            const Word x = operand(a, 0);
            if (x == b) return constant(0, w);
            // (x + y) - x
            if (is(b, WordOp::add)) {
                if (operand(b, 0) == x) return operand(b, 1);
                if (operand(b, 1) == x) return operand(b, 0);
            }
        }
        if (is(a, WordOp::add)) {
            for (int side = 0; side < 2; ++side) {  // (x - y) + y
                const Word x = operand(a, static_cast<std::size_t>(side));
                const Word y = operand(a, static_cast<std::size_t>(1 - side));
                if (is(y, WordOp::negate) && operand(y, 0) == b) return x;
            }
        }
        std::swap(a, b);
    }
    return make(WordOp::add, w, {a, b});
}

Word WordGraph::subtract(Word a, Word b) {
    same_width(a, b, "difference");
    return add(a, negate(b));
}

Word WordGraph::negate(Word a) {
    const std::uint32_t w = width(a);
    if (w == 1) return a;
    if (is_constant(a)) return constant(constants::negate(constant_bits(a)));
    if (is(a, WordOp::negate)) return operand(a, 0);
    if (is(a, WordOp::bit_not)) return add(operand(a, 0), constant(1, w));
    if (is(a, WordOp::zero_extend) && width(operand(a, 0)) == 1) return sign_extend(operand(a, 0), w);
    if (is(a, WordOp::sign_extend) && width(operand(a, 0)) == 1) return zero_extend(operand(a, 0), w);
    // -(x - y) = y - x
    if (is(a, WordOp::add)) {
        for (std::size_t side = 0; side < 2; ++side) {
            if (is(operand(a, side), WordOp::negate))
                return subtract(operand(operand(a, side), 0), operand(a, 1 - side));
        }
    }
    return make(WordOp::negate, w, {a});
}

Word WordGraph::multiply(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "product");
    if (w == 1) return bit_and(a, b);
    order(a, b);
    if (is_constant(b)) {
        if (is_zero(b)) return b;
        if (is_constant(a)) return constant(constants::multiply(constant_bits(a), constant_bits(b)));
        if (is_ones(b)) return negate(a);
        std::uint32_t exponent = 0;
        if (constants::power_of_two(constant_bits(b), exponent)) return shift_left(a, constant(exponent, 32));
        if (is(a, WordOp::multiply) && is_constant(operand(a, 1)))
            return multiply(operand(a, 0), multiply(operand(a, 1), b));
        if (is(a, WordOp::negate)) return multiply(operand(a, 0), negate(b));
    }
    if (is(a, WordOp::negate)) {
        const Word x = operand(a, 0);
        return is(b, WordOp::negate) ? multiply(x, operand(b, 0)) : negate(multiply(x, b));
    }
    if (is(b, WordOp::negate)) return negate(multiply(a, operand(b, 0)));
    return make(WordOp::multiply, w, {a, b});
}

Word WordGraph::unsigned_divide(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "quotient");
    if (is_constant(b)) {
        if (is_zero(b)) return ones(w);
        if (is_constant(a)) return constant(constants::divide(constant_bits(a), constant_bits(b)).first);
        std::uint32_t exponent = 0;
        if (constants::power_of_two(constant_bits(b), exponent))
            return shift_right_logical(a, constant(exponent, 32));
    }
    return make(WordOp::unsigned_divide, w, {a, b});
}

Word WordGraph::unsigned_remainder(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "remainder");
    if (a == b) return constant(0, w);  // 0 % 0 = 0 too
    if (is_constant(b)) {
        if (is_zero(b)) return a;
        if (is_constant(a)) return constant(constants::divide(constant_bits(a), constant_bits(b)).second);
        std::uint32_t exponent = 0;
        if (constants::power_of_two(constant_bits(b), exponent))
            return exponent == 0 ? constant(0, w) : zero_extend(extract(a, 0, exponent), w);
    }
    return make(WordOp::unsigned_remainder, w, {a, b});
}

Word WordGraph::absolute(Word a) {
    return select(extract(a, width(a) - 1, 1), negate(a), a);
}

Word WordGraph::signed_divide(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "quotient");
    const Word sign_a = extract(a, w - 1, 1);
    const Word negative = bit_xor(sign_a, extract(b, w - 1, 1));
    const Word dividend = absolute(a);
    const Word quotient = unsigned_divide(dividend, absolute(b));
    return select(negative, negate(quotient), quotient);
}

Word WordGraph::signed_remainder(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "remainder");
    const Word dividend = absolute(a);
    const Word rest = unsigned_remainder(dividend, absolute(b));
    return select(extract(a, w - 1, 1), negate(rest), rest);
}

Word WordGraph::compare_equal_to_constant(Word a, Word constant_word, bool& found) {
    found = true;
    const base::BitVector bits = constant_bits(constant_word);
    const auto upper_is = [&](std::uint32_t from, bool bit) {
        return constants::all(constants::slice(bits, from, bits.size() - from), bit);
    };
    if (is(a, WordOp::zero_extend) || is(a, WordOp::sign_extend)) {
        const Word inner = operand(a, 0);
        const bool fill = is(a, WordOp::sign_extend) && bits[width(inner) - 1];
        if (!upper_is(width(inner), fill)) return constant(0, 1);
        return equal(inner, constant(constants::slice(bits, 0, width(inner))));
    }
    if (is(a, WordOp::add) && is_constant(operand(a, 1)))
        return equal(operand(a, 0), subtract(constant_word, operand(a, 1)));
    if (is(a, WordOp::bit_not)) return equal(operand(a, 0), bit_not(constant_word));
    if (is(a, WordOp::negate)) return equal(operand(a, 0), negate(constant_word));
    if (is(a, WordOp::select) && is_constant(operand(a, 1)) && is_constant(operand(a, 2))) {
        const Word condition = operand(a, 0);
        const bool one = operand(a, 1) == constant_word;
        const bool zero = operand(a, 2) == constant_word;
        if (one == zero) return constant(one ? 1 : 0, 1);
        return one ? condition : bit_not(condition);
    }
    if (is_zero(constant_word)) {
        if (is(a, WordOp::bit_xor)) return equal(operand(a, 0), operand(a, 1));
        if (is(a, WordOp::add)) {
            for (std::size_t side = 0; side < 2; ++side) {
                const Word x = operand(a, side);
                if (is(x, WordOp::negate)) return equal(operand(x, 0), operand(a, 1 - side));
            }
        }
    }
    if (is(a, WordOp::concatenate)) {
        const std::vector<Word> parts(operands(a).begin(), operands(a).end());
        std::uint32_t first = 0;
        for (const Word part : parts) {
            if (is_constant(part) && constant_bits(part) != constants::slice(bits, first, width(part)))
                return constant(0, 1);
            first += width(part);
        }
    }
    found = false;
    return a;
}

Word WordGraph::equal(Word a, Word b) {
    same_width(a, b, "comparison");
    if (a == b) return constant(1, 1);
    order(a, b);
    if (width(a) == 1) return bit_not(bit_xor(a, b));
    if (inverse(a, b)) return constant(0, 1);
    if (is_constant(b)) {
        if (is_constant(a)) return constant(0, 1);
        bool found = false;
        const Word out = compare_equal_to_constant(a, b, found);
        if (found) return out;
    }
    const bool extended = is(a, WordOp::zero_extend) || is(a, WordOp::sign_extend);
    if (extended && nodes_[a.id].op == nodes_[b.id].op) {
        const Word x = operand(a, 0);
        const Word y = operand(b, 0);
        if (width(x) == width(y)) return equal(x, y);
    }
    return make(WordOp::equal, 1, {a, b});
}

Word WordGraph::not_equal(Word a, Word b) {
    return bit_not(equal(a, b));
}

Word WordGraph::any_bit(Word a) {
    return bit_not(equal(a, constant(0, width(a))));
}

Word WordGraph::unsigned_less(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "comparison");
    if (a == b || is_zero(b) || is_ones(a)) return constant(0, 1);
    if (is_zero(a)) return any_bit(b);
    if (is_ones(b)) return bit_not(equal(a, b));
    if (w == 1) return bit_and(bit_not(a), b);
    if (is_constant(a) && is_constant(b))
        return constant(constants::unsigned_less(constant_bits(a), constant_bits(b)) ? 1 : 0, 1);
    if (is_constant(b)) {  // a < 2^k: its upper bits are 0
        std::uint32_t exponent = 0;
        if (constants::power_of_two(constant_bits(b), exponent)) {
            const Word upper = extract(a, exponent, w - exponent);
            return equal(upper, constant(0, w - exponent));
        }
    }
    if (is_constant(a)) {  // 2^k - 1 < b
        std::uint32_t exponent = 0;
        if (constants::power_of_two(constants::add(constant_bits(a), constants::make(1, w)), exponent))
            return any_bit(extract(b, exponent, w - exponent));
    }
    const bool extended = is(a, WordOp::zero_extend) || is(a, WordOp::sign_extend);
    if (extended && nodes_[a.id].op == nodes_[b.id].op) {
        const Word x = operand(a, 0);
        const Word y = operand(b, 0);
        if (width(x) == width(y)) return unsigned_less(x, y);
    }
    return make(WordOp::unsigned_less, 1, {a, b});
}

Word WordGraph::signed_less(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "comparison");
    if (a == b) return constant(0, 1);
    if (w == 1) return bit_and(a, bit_not(b));
    if (is_zero(b)) return extract(a, w - 1, 1);
    if (is_ones(a)) return bit_not(extract(b, w - 1, 1));
    if (is_constant(a) && is_constant(b))
        return constant(constants::signed_less(constant_bits(a), constant_bits(b)) ? 1 : 0, 1);
    // Nothing is below the most negative number, or above the largest.
    std::uint32_t exponent = 0;
    if (is_constant(b) && constants::power_of_two(constant_bits(b), exponent) && exponent == w - 1)
        return constant(0, 1);
    if (is_constant(a) && constants::power_of_two(constants::invert(constant_bits(a)), exponent) &&
        exponent == w - 1) {
        return constant(0, 1);
    }
    if (nodes_[a.id].op == nodes_[b.id].op &&
        width(operands(a).empty() ? a : operand(a, 0)) == width(operands(b).empty() ? b : operand(b, 0))) {
        if (is(a, WordOp::sign_extend)) return signed_less(operand(a, 0), operand(b, 0));
        if (is(a, WordOp::zero_extend)) return unsigned_less(operand(a, 0), operand(b, 0));
    }
    return make(WordOp::signed_less, 1, {a, b});
}

Word WordGraph::popcount(Word a, std::uint32_t width_of_result) {
    if (is_constant(a)) return constant(constants::count_ones(constant_bits(a)), width_of_result);
    a = is(a, WordOp::zero_extend) ? operand(a, 0) : a;
    if (width(a) == 1) return resize(a, width_of_result, false);
    return make(WordOp::popcount, width_of_result, {a});
}

Word WordGraph::leading_zeros(std::vector<Word> bits, std::uint32_t result_width) {
    // Blocks of a power of two, most significant first: the count within the block, of k bits, and a flag
    // that the block is 0 (then the count is 0 too). Ones after the last bit stop the count there.
    struct Block {
        Word zero;
        std::vector<Word> count;
    };
    std::size_t padded = 1;
    while (padded < bits.size()) padded *= 2;
    bits.resize(padded, constant(1, 1));
    std::vector<Block> blocks;
    for (const Word bit : bits) blocks.push_back({bit_not(bit), {}});
    while (blocks.size() > 1) {
        std::vector<Block> next;
        for (std::size_t i = 0; i < blocks.size(); i += 2) {
            const Block& high = blocks[i];
            const Block& low = blocks[i + 1];
            Block block{bit_and(high.zero, low.zero), {}};
            for (std::size_t bit = 0; bit < high.count.size(); ++bit)
                block.count.push_back(bit_xor(high.count[bit], bit_and(high.zero, low.count[bit])));
            block.count.push_back(bit_and(high.zero, bit_not(low.zero)));
            next.push_back(std::move(block));
        }
        blocks = std::move(next);
    }
    std::vector<Word> out = blocks.front().count;
    out.push_back(blocks.front().zero);
    const Word count = concatenate(out);
    return resize(count, result_width, false);
}

Word WordGraph::count_leading_zeros(Word a) {
    std::vector<Word> bits;
    for (std::uint32_t bit = width(a); bit-- > 0;) bits.push_back(extract(a, bit, 1));
    return leading_zeros(std::move(bits), width(a));
}

Word WordGraph::count_trailing_zeros(Word a) {
    std::vector<Word> bits;
    for (std::uint32_t bit = 0; bit < width(a); ++bit) bits.push_back(extract(a, bit, 1));
    return leading_zeros(std::move(bits), width(a));
}

}  // namespace toroid::compiler
