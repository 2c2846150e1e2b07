// SPDX-License-Identifier: Apache-2.0
// Parts of words: what memory taken apart into bytes and put together again turns into must be the word it
// was, or arithmetic would not see its operands.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/word/constant_arithmetic.hpp"
#include "compiler/word/word_graph.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr int deepest_merge = 64;
constexpr int deepest_extract = 128;

}  // namespace

void WordGraph::flatten(Word part, std::vector<Word>& parts) const {
    if (is(part, WordOp::concatenate)) {
        const auto inner = operands(part);
        parts.insert(parts.end(), inner.begin(), inner.end());
    } else {
        parts.push_back(part);
    }
}

/// Two neighbours as one word, if they belong together.
bool WordGraph::join(Word low, Word high, Word& joined) {
    const std::uint32_t total = width(low) + width(high);
    if (is_constant(low) && is_constant(high)) {
        base::BitVector bits = constant_bits(low);
        const base::BitVector& upper = constant_bits(high);
        bits.insert(bits.end(), upper.begin(), upper.end());
        joined = constant(bits);
        return true;
    }
    if (is(high, WordOp::extract)) {
        const Word source = operand(high, 0);
        const std::uint32_t first = nodes_[high.id].parameter;
        if (is(low, WordOp::extract) && operand(low, 0) == source &&
            nodes_[low.id].parameter + width(low) == first) {
            joined = extract(source, nodes_[low.id].parameter, total);
            return true;
        }
    }
    if (is(high, WordOp::sign_extend)) {
        const Word source = operand(high, 0);
        if (width(source) == 1 && extract(low, width(low) - 1, 1) == source) {
            joined = sign_extend(low, total);
            return true;
        }
        Word inner;
        if (join(low, source, inner)) {
            joined = sign_extend(inner, total);
            return true;
        }
    } else if (width(high) == 1 && is(low, WordOp::sign_extend) && extract(low, width(low) - 1, 1) == high) {
        joined = sign_extend(low, total);
        return true;
    }
    return false;
}

/// Neighbouring selects of one condition become one select of wider words.
void WordGraph::join_selects(std::vector<Word>& parts) {
    std::vector<Word> out;
    for (std::size_t i = 0; i < parts.size();) {
        std::size_t end = i + 1;
        if (is(parts[i], WordOp::select)) {
            while (end < parts.size() && is(parts[end], WordOp::select) &&
                   operand(parts[end], 0) == operand(parts[i], 0)) {
                ++end;
            }
        }
        if (end == i + 1) {
            out.push_back(parts[i++]);
            continue;
        }
        std::vector<std::uint32_t> key;
        for (std::size_t k = i; k < end; ++k) key.push_back(parts[k].id);
        auto known = merged_selects_.find(key);
        if (known == merged_selects_.end()) {
            const Word condition = operand(parts[i], 0);
            std::vector<Word> ones;
            std::vector<Word> zeros;
            for (std::size_t k = i; k < end; ++k) {
                ones.push_back(operand(parts[k], 1));
                zeros.push_back(operand(parts[k], 2));
            }
            const Word if_one = concatenate(ones);
            const Word if_zero = concatenate(zeros);
            known = merged_selects_.emplace(std::move(key), select(condition, if_one, if_zero)).first;
        }
        out.push_back(known->second);
        i = end;
    }
    parts = std::move(out);
}

Word WordGraph::concatenate(std::span<const Word> given) {
    if (given.empty()) throw Error(ErrorKind::internal, "word graph: a concatenation of nothing");
    std::vector<Word> flat;
    std::uint32_t total = 0;
    for (const Word part : given) {
        total += width(part);
        if (is(part, WordOp::zero_extend)) {
            const Word inner = operand(part, 0);
            flatten(inner, flat);
            flat.push_back(constant(0, width(part) - width(inner)));
        } else {
            flatten(part, flat);
        }
    }
    std::vector<Word> parts;
    for (const Word part : flat) {
        Word joined = part;
        parts.push_back(part);
        while (parts.size() > 1 && join(parts[parts.size() - 2], parts.back(), joined)) {
            parts.pop_back();
            parts.back() = joined;
        }
    }
    if (depth_ < deepest_merge && parts.size() > 1) {
        ++depth_;
        join_selects(parts);
        --depth_;
    }
    if (parts.size() == 1) return parts.front();
    if (is_zero(parts.back())) {
        parts.pop_back();
        return zero_extend(concatenate(parts), total);
    }
    return make(WordOp::concatenate, total, 0, parts);
}

/// The part of a concatenation's bits.
Word WordGraph::extract_pieces(Word a, std::uint32_t first_bit, std::uint32_t count) {
    const std::vector<Word> parts(operands(a).begin(), operands(a).end());
    std::vector<Word> out;
    std::uint32_t at = 0;
    for (const Word part : parts) {
        const std::uint32_t begin = std::max(at, first_bit);
        const std::uint32_t end = std::min(at + width(part), first_bit + count);
        if (begin < end) out.push_back(extract(part, begin - at, end - begin));
        at += width(part);
    }
    return concatenate(out);
}

Word WordGraph::extract(Word a, std::uint32_t first_bit, std::uint32_t count) {
    const std::uint32_t w = width(a);
    if (count == 0 || first_bit > w || count > w - first_bit) {
        throw Error(ErrorKind::internal, fmt::format("word graph: bits {} to {}+{} of a word of {} bits",
                                                     first_bit, first_bit, count, w));
    }
    if (count == w) return a;
    // A chain of operations with constants may be long.
    struct Nesting {
        int& depth;
        explicit Nesting(int& value) : depth(value) { ++depth; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;
        ~Nesting() { --depth; }
    };
    const Nesting nesting(depth_);
    switch (nodes_[a.id].op) {
        case WordOp::constant:
            return constant(constants::slice(constant_bits(a), first_bit, count));
        case WordOp::extract:
            return extract(operand(a, 0), nodes_[a.id].parameter + first_bit, count);
        case WordOp::concatenate:
            return extract_pieces(a, first_bit, count);
        case WordOp::zero_extend:
        case WordOp::sign_extend: {
            const bool is_signed = is(a, WordOp::sign_extend);
            const Word inner = operand(a, 0);
            const std::uint32_t inner_width = width(inner);
            if (first_bit >= inner_width) {
                if (!is_signed) return constant(0, count);
                return sign_extend(extract(inner, inner_width - 1, 1), count);
            }
            const std::uint32_t inside = std::min(count, inner_width - first_bit);
            return resize(extract(inner, first_bit, inside), count, is_signed);
        }
        case WordOp::bit_and:
        case WordOp::bit_or:
        case WordOp::bit_xor: {
            // Where the constant decides, the operation is gone.
            if (!is_constant(operand(a, 1)) || depth_ > deepest_extract) break;
            const base::BitVector bits = constants::slice(constant_bits(operand(a, 1)), first_bit, count);
            if (!constants::all(bits, false) && !constants::all(bits, true)) break;
            if (is(a, WordOp::bit_xor)) {
                const Word part = extract(operand(a, 0), first_bit, count);
                return bits.front() ? bit_not(part) : part;
            }
            if (bits.front() == is(a, WordOp::bit_or)) return constant(bits);
            return extract(operand(a, 0), first_bit, count);
        }
        case WordOp::select: {
            const auto known = [&](Word arm) {
                return is_constant(arm) || is(arm, WordOp::concatenate) || is(arm, WordOp::zero_extend) ||
                       is(arm, WordOp::sign_extend);
            };
            if (!known(operand(a, 1)) || !known(operand(a, 2)) || depth_ > deepest_extract) break;
            const Word condition = operand(a, 0);
            const Word arms[] = {operand(a, 1), operand(a, 2)};
            const Word if_one = extract(arms[0], first_bit, count);
            return select(condition, if_one, extract(arms[1], first_bit, count));
        }
        default:
            break;
    }
    return make(WordOp::extract, count, {a}, first_bit);
}

Word WordGraph::zero_extend(Word a, std::uint32_t to) {
    if (to < width(a)) throw Error(ErrorKind::internal, "word graph: an extension to fewer bits");
    if (to == width(a)) return a;
    if (is_constant(a)) return constant(constants::extend(constant_bits(a), to, false));
    if (is(a, WordOp::zero_extend)) return zero_extend(operand(a, 0), to);
    return make(WordOp::zero_extend, to, {a});
}

Word WordGraph::sign_extend(Word a, std::uint32_t to) {
    if (to < width(a)) throw Error(ErrorKind::internal, "word graph: an extension to fewer bits");
    if (to == width(a)) return a;
    if (is_constant(a)) return constant(constants::extend(constant_bits(a), to, constant_bits(a).back()));
    if (is(a, WordOp::zero_extend)) return zero_extend(operand(a, 0), to);
    if (is(a, WordOp::sign_extend)) return sign_extend(operand(a, 0), to);
    return make(WordOp::sign_extend, to, {a});
}

Word WordGraph::resize(Word a, std::uint32_t to, bool is_signed) {
    if (to <= width(a)) return extract(a, 0, to);
    return is_signed ? sign_extend(a, to) : zero_extend(a, to);
}

}  // namespace toroid::compiler
