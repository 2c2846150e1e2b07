// SPDX-License-Identifier: Apache-2.0
// Bitwise operations, shifts and selection of WordGraph, simplified as they are made.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/word/constant_arithmetic.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {
namespace {

// A mask with more runs of equal bits than this stays one operation.
constexpr std::size_t most_runs = 8;

std::size_t runs(const base::BitVector& bits) {
    std::size_t out = 1;
    for (std::size_t i = 1; i < bits.size(); ++i) out += bits[i] != bits[i - 1] ? 1 : 0;
    return out;
}

}  // namespace

/// AND or OR with a constant of few runs: the word's own bits in the runs where the constant is neutral, and
/// the constant's elsewhere.
Word WordGraph::mask(WordOp op, Word a, const base::BitVector& bits, bool& found) {
    found = runs(bits) <= most_runs;
    if (!found) return a;
    const bool neutral = op == WordOp::bit_and;
    std::vector<Word> parts;
    const auto w = static_cast<std::uint32_t>(bits.size());
    for (std::uint32_t first = 0, end = 0; first < w; first = end) {
        while (end < w && bits[end] == bits[first]) ++end;
        if (bits[first] == neutral) {
            parts.push_back(extract(a, first, end - first));
        } else {
            parts.push_back(constant(constants::slice(bits, first, end - first)));
        }
    }
    return concatenate(parts);
}

/// a op b where op is AND or OR and one operand says something about the other.
Word WordGraph::absorb(WordOp op, Word a, Word b, bool& found) {
    const WordOp dual = op == WordOp::bit_and ? WordOp::bit_or : WordOp::bit_and;
    const Word dominant = op == WordOp::bit_and ? constant(0, width(a)) : ones(width(a));
    const auto join = [&](Word x, Word y) { return op == WordOp::bit_and ? bit_and(x, y) : bit_or(x, y); };
    found = true;
    for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
        if (is(b, op)) {
            for (std::size_t side = 0; side < 2; ++side) {
                if (operand(b, side) == a) return b;                // a & (a & y)
                if (inverse(operand(b, side), a)) return dominant;  // a & (!a & y)
            }
        }
        if (is(b, dual)) {
            for (std::size_t side = 0; side < 2; ++side) {
                if (operand(b, side) == a) return a;                                     // a & (a | y)
                if (inverse(operand(b, side), a)) return join(a, operand(b, 1 - side));  // a & (!a | y)
            }
        }
        // a & !(a & y) = a & !y, a & !(a | y) = 0
        if (is(b, WordOp::bit_not)) {
            const Word inner = operand(b, 0);
            for (std::size_t side = 0; side < 2 && is(inner, op); ++side) {
                if (operand(inner, side) == a) return join(a, bit_not(operand(inner, 1 - side)));
                if (inverse(operand(inner, side), a)) return a;
            }
            for (std::size_t side = 0; side < 2 && is(inner, dual); ++side) {
                if (operand(inner, side) == a) return dominant;
                if (inverse(operand(inner, side), a)) return join(a, bit_not(operand(inner, 1 - side)));
            }
        }
    }
    // (x | y) & (x | !y) = x, and the dual
    if (is(a, dual) && is(b, dual)) {
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t j = 0; j < 2; ++j) {
                if (operand(a, i) == operand(b, j) && inverse(operand(a, 1 - i), operand(b, 1 - j)))
                    return operand(a, i);
            }
        }
    }
    found = false;
    return a;
}

Word WordGraph::bit_and(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "and");
    order(a, b);
    if (a == b || is_zero(b)) return b;
    if (is_ones(b)) return a;
    if (inverse(a, b)) return constant(0, w);
    bool found = false;
    if (is_constant(b)) {
        if (is_constant(a)) {
            base::BitVector bits = constant_bits(a);
            for (std::uint32_t i = 0; i < w; ++i) bits[i] = bits[i] && constant_bits(b)[i];
            return constant(bits);
        }
        if (is(a, WordOp::bit_and) && is_constant(operand(a, 1)))
            return bit_and(operand(a, 0), bit_and(operand(a, 1), b));
        const base::BitVector bits = constant_bits(b);
        const Word out = mask(WordOp::bit_and, a, bits, found);
        if (found) return out;
    }
    const Word out = absorb(WordOp::bit_and, a, b, found);
    return found ? out : make(WordOp::bit_and, w, {a, b});
}

Word WordGraph::bit_or(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "or");
    order(a, b);
    if (a == b || is_ones(b)) return b;
    if (is_zero(b)) return a;
    if (inverse(a, b)) return ones(w);
    bool found = false;
    if (is_constant(b)) {
        if (is_constant(a)) {
            base::BitVector bits = constant_bits(a);
            for (std::uint32_t i = 0; i < w; ++i) bits[i] = bits[i] || constant_bits(b)[i];
            return constant(bits);
        }
        if (is(a, WordOp::bit_or) && is_constant(operand(a, 1)))
            return bit_or(operand(a, 0), bit_or(operand(a, 1), b));
        const base::BitVector bits = constant_bits(b);
        const Word out = mask(WordOp::bit_or, a, bits, found);
        if (found) return out;
    }
    const Word out = absorb(WordOp::bit_or, a, b, found);
    return found ? out : make(WordOp::bit_or, w, {a, b});
}

Word WordGraph::bit_xor(Word a, Word b) {
    const std::uint32_t w = same_width(a, b, "exclusive or");
    if (a == b) return constant(0, w);
    if (inverse(a, b)) return ones(w);
    // Inversions move outwards, so that equal words meet.
    const bool inverted = is(a, WordOp::bit_not) != is(b, WordOp::bit_not);
    if (is(a, WordOp::bit_not)) a = operand(a, 0);
    if (is(b, WordOp::bit_not)) b = operand(b, 0);
    if (inverted) return bit_not(bit_xor(a, b));
    order(a, b);
    if (is_zero(b)) return a;
    if (is_ones(b)) return bit_not(a);
    if (is_constant(b)) {
        if (is_constant(a)) {
            base::BitVector bits = constant_bits(a);
            for (std::uint32_t i = 0; i < w; ++i) bits[i] = bits[i] != constant_bits(b)[i];
            return constant(bits);
        }
        if (is(a, WordOp::bit_xor) && is_constant(operand(a, 1)))
            return bit_xor(operand(a, 0), bit_xor(operand(a, 1), b));
    }
    for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
        if (!is(a, WordOp::bit_xor)) continue;
        if (operand(a, 0) == b) return operand(a, 1);
        if (operand(a, 1) == b) return operand(a, 0);
    }
    return make(WordOp::bit_xor, w, {a, b});
}

Word WordGraph::bit_not(Word a) {
    const std::uint32_t w = width(a);
    if (is_constant(a)) return constant(constants::invert(constant_bits(a)));
    if (is(a, WordOp::bit_not)) return operand(a, 0);
    if (is(a, WordOp::bit_xor) && is_constant(operand(a, 1)))
        return bit_xor(operand(a, 0), bit_not(operand(a, 1)));
    if (is(a, WordOp::negate)) return add(operand(a, 0), ones(w));
    return make(WordOp::bit_not, w, {a});
}

Word WordGraph::parity(Word a) {
    std::vector<Word> bits;
    for (std::uint32_t bit = 0; bit < width(a); ++bit) bits.push_back(extract(a, bit, 1));
    while (bits.size() > 1) {
        std::vector<Word> next;
        for (std::size_t i = 0; i + 1 < bits.size(); i += 2) next.push_back(bit_xor(bits[i], bits[i + 1]));
        if (bits.size() % 2 != 0) next.push_back(bits.back());
        bits = std::move(next);
    }
    return bits.front();
}

Word WordGraph::strip_extension(Word a) const {
    return is(a, WordOp::zero_extend) ? operand(a, 0) : a;
}

/// Whether the amount is a constant; then `shift` is the smaller of it and the width.
bool WordGraph::constant_amount(Word amount, std::uint32_t width, std::uint32_t& shift) const {
    if (!is_constant(amount)) return false;
    std::uint64_t value = 0;
    const bool small = constant_value(amount, value) && value < width;
    shift = small ? static_cast<std::uint32_t>(value) : width;
    return true;
}

Word WordGraph::shift_left(Word a, Word amount) {
    const std::uint32_t w = width(a);
    std::uint32_t shift = 0;
    if (constant_amount(amount, w, shift)) {
        if (shift == 0) return a;
        if (shift == w) return constant(0, w);
        const Word parts[] = {constant(0, shift), extract(a, 0, w - shift)};
        return concatenate(parts);
    }
    if (is_zero(a)) return a;
    return make(WordOp::shift_left, w, {a, strip_extension(amount)});
}

Word WordGraph::shift_right_logical(Word a, Word amount) {
    const std::uint32_t w = width(a);
    std::uint32_t shift = 0;
    if (constant_amount(amount, w, shift))
        return shift == w ? constant(0, w) : zero_extend(extract(a, shift, w - shift), w);
    if (is_zero(a)) return a;
    return make(WordOp::shift_right_logical, w, {a, strip_extension(amount)});
}

Word WordGraph::shift_right_arithmetic(Word a, Word amount) {
    const std::uint32_t w = width(a);
    std::uint32_t shift = 0;
    if (constant_amount(amount, w, shift)) {
        shift = std::min(shift, w - 1);
        return sign_extend(extract(a, shift, w - shift), w);
    }
    if (is_zero(a) || is_ones(a)) return a;
    return make(WordOp::shift_right_arithmetic, w, {a, strip_extension(amount)});
}

Word WordGraph::rotate(Word a, Word amount, bool left) {
    const std::uint32_t w = width(a);
    const auto turned = [&](Word word, std::uint32_t by) {  // to the left
        if (by == 0) return word;
        const Word parts[] = {extract(word, w - by, by), extract(word, 0, w - by)};
        return concatenate(parts);
    };
    const Word modulus = constant(w, std::max(width(amount), 32U));
    Word rest = unsigned_remainder(zero_extend(amount, width(modulus)), modulus);
    std::uint32_t shift = 0;
    if (constant_amount(rest, w, shift)) return turned(a, left ? shift : (w - shift) % w);
    Word out = a;
    for (std::uint32_t bit = 0; bit < 32 && std::uint64_t{1} << bit < w; ++bit) {
        const auto by = static_cast<std::uint32_t>((std::uint64_t{1} << bit) % w);
        out = select(extract(rest, bit, 1), turned(out, left ? by : (w - by) % w), out);
    }
    return out;
}

Word WordGraph::rotate_left(Word a, Word amount) {
    return rotate(a, amount, true);
}

Word WordGraph::rotate_right(Word a, Word amount) {
    return rotate(a, amount, false);
}

Word WordGraph::select(Word condition, Word if_one, Word if_zero) {
    check_bit(condition, "the condition of a select");
    const std::uint32_t w = same_width(if_one, if_zero, "select");
    if (if_one == if_zero) return if_one;
    if (is_constant(condition)) return is_zero(condition) ? if_zero : if_one;
    if (is(condition, WordOp::bit_not)) return select(operand(condition, 0), if_zero, if_one);
    if (is(if_one, WordOp::select) && operand(if_one, 0) == condition)
        return select(condition, operand(if_one, 1), if_zero);
    if (is(if_zero, WordOp::select) && operand(if_zero, 0) == condition)
        return select(condition, if_one, operand(if_zero, 2));
    if (w == 1) {
        if (if_one == condition || is_ones(if_one)) return bit_or(condition, if_zero);
        if (if_zero == condition || is_zero(if_zero)) return bit_and(condition, if_one);
        if (is_zero(if_one) || inverse(if_one, condition)) return bit_and(bit_not(condition), if_zero);
        if (is_ones(if_zero) || inverse(if_zero, condition)) return bit_or(bit_not(condition), if_one);
        if (inverse(if_one, if_zero)) return bit_xor(condition, if_zero);
    }
    // A shared arm joins two conditions.
    if (is(if_zero, WordOp::select)) {
        if (operand(if_zero, 1) == if_one)
            return select(bit_or(condition, operand(if_zero, 0)), if_one, operand(if_zero, 2));
        if (operand(if_zero, 2) == if_one)
            return select(bit_or(condition, bit_not(operand(if_zero, 0))), if_one, operand(if_zero, 1));
    }
    if (is(if_one, WordOp::select)) {
        if (operand(if_one, 2) == if_zero)
            return select(bit_and(condition, operand(if_one, 0)), operand(if_one, 1), if_zero);
        if (operand(if_one, 1) == if_zero)
            return select(bit_and(condition, bit_not(operand(if_one, 0))), operand(if_one, 2), if_zero);
    }
    for (const WordOp extension : {WordOp::zero_extend, WordOp::sign_extend}) {
        if (!is(if_one, extension) || !is(if_zero, extension)) continue;
        const Word x = operand(if_one, 0);
        const Word y = operand(if_zero, 0);
        if (width(x) != width(y)) continue;
        const Word narrow = select(condition, x, y);
        return extension == WordOp::zero_extend ? zero_extend(narrow, w) : sign_extend(narrow, w);
    }
    return make(WordOp::select, w, {condition, if_one, if_zero});
}

}  // namespace toroid::compiler
