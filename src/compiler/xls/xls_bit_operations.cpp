// SPDX-License-Identifier: Apache-2.0
// Operations on bits.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/xls/xls_evaluator.hpp"

namespace toroid::compiler::xls {

Word Evaluator::bitwise(const Job& job) {
    const std::string& name = job.node.operation;
    if (job.node.operands.empty()) fail(job, "no operands");
    Word out = bits(job, 0);
    for (std::size_t i = 0; i < job.node.operands.size(); ++i) {
        expect_type(job, operand(job, i), job.node.type);
        if (i == 0) continue;
        const Word word = bits(job, i);
        out = name == "xor"                     ? graph_.bit_xor(out, word)
              : name == "and" || name == "nand" ? graph_.bit_and(out, word)
                                                : graph_.bit_or(out, word);
    }
    return name == "nand" || name == "nor" ? graph_.bit_not(out) : out;
}

/// Result bit i: bit i of the word and none before it; the last one: no bit at all.
Word Evaluator::one_hot(Word word, bool lowest_first) {
    const std::uint32_t n = graph_.width(word);
    Words out(n + 1);
    Word before = graph_.constant(0, 1);
    for (std::uint32_t step = 0; step < n; ++step) {
        const std::uint32_t i = lowest_first ? step : n - 1 - step;
        const Word bit = graph_.extract(word, i, 1);
        out[i] = graph_.bit_and(bit, graph_.bit_not(before));
        before = graph_.bit_or(before, bit);
    }
    out[n] = graph_.bit_not(before);
    const Word hot = graph_.concatenate(out);
    if (lowest_first) one_hot_of_.emplace(hot.id, word);
    return hot;
}

/// OR of the numbers of all bits that are 1.
Word Evaluator::encode(const Job& job, Word word) {
    const std::uint32_t n = graph_.width(word);
    const auto needed = static_cast<std::uint32_t>(std::bit_width(n - 1));
    if (width(job) != needed) fail(job, fmt::format("the result has {} bits, not {}", needed, width(job)));
    if (needed == 0) return graph_.constant(0, 1);
    if (const auto source = one_hot_of_.find(word.id); source != one_hot_of_.end()) {
        const Word zeros = graph_.count_trailing_zeros(source->second);
        return graph_.resize(zeros, needed, false);
    }
    Words out;
    for (std::uint32_t bit = 0; bit < needed; ++bit) {
        Words hot;
        for (std::uint32_t i = 0; i < n; ++i) {
            if ((i >> bit & 1) != 0) hot.push_back(graph_.extract(word, i, 1));
        }
        out.push_back(graph_.any_bit(graph_.concatenate(hot)));
    }
    return graph_.concatenate(out);
}

bool Evaluator::evaluate_bits(const Job& job, Value& out) {
    const std::string& name = job.node.operation;
    if (name == "literal") {
        for (const base::BitVector& leaf : job.node.literal) out.words.push_back(graph_.constant(leaf));
        if (out.words.size() != type(out.type).leaves) fail(job, "no 'value='");
    } else if (name == "and" || name == "or" || name == "xor" || name == "nand" || name == "nor") {
        out = result(job, bitwise(job));
    } else if (name == "not") {
        expect_operands(job, 1);
        out = result(job, graph_.bit_not(bits(job, 0)));
    } else if (name == "and_reduce" || name == "or_reduce" || name == "xor_reduce") {
        expect_operands(job, 1);
        const Word word = bits(job, 0);
        const bool none = operand(job, 0).words.empty();
        const Word ones = none ? graph_.constant(1, 1) : graph_.equal(word, graph_.ones(graph_.width(word)));
        out = result(job, name == "and_reduce"  ? ones
                          : name == "or_reduce" ? graph_.any_bit(word)
                                                : graph_.parity(word));
    } else if (name == "concat") {
        Words parts;
        std::uint64_t total = 0;
        for (std::size_t i = job.node.operands.size(); i-- > 0;) {
            const Word word = bits(job, i);
            if (operand(job, i).words.empty()) continue;
            total += graph_.width(word);
            parts.push_back(word);
        }
        if (total != width(job)) fail(job, fmt::format("the result has {} bits, not {}", total, width(job)));
        if (!parts.empty()) out = result(job, graph_.concatenate(parts));
    } else if (name == "bit_slice") {
        expect_operands(job, 1);
        const Word word = bits(job, 0);
        const std::uint32_t start = number(job, "start");
        const std::uint32_t count = number(job, "width");
        const std::uint32_t available = operand(job, 0).words.empty() ? 0 : graph_.width(word);
        if (start > available || count > available - start)
            fail(job, fmt::format("bits {} to {}+{} of {}", start, start, count, available));
        if (count != width(job)) fail(job, fmt::format("the result has {} bits, not {}", count, width(job)));
        if (count != 0) out = result(job, graph_.extract(word, start, count));
    } else if (name == "dynamic_bit_slice") {
        expect_operands(job, 2);
        const std::uint32_t count = number(job, "width");
        if (count != width(job)) fail(job, fmt::format("the result has {} bits, not {}", count, width(job)));
        if (count == 0) return true;
        // Bits past the end are 0, which a shift brings in.
        const Word shifted = graph_.shift_right_logical(bits(job, 0), bits(job, 1));
        out = result(job, graph_.resize(shifted, count, false));
    } else if (name == "bit_slice_update") {
        expect_operands(job, 3);
        expect_type(job, operand(job, 0), job.node.type);
        const std::uint32_t w = width(job);
        if (w == 0) return true;
        const Word start = bits(job, 1);
        const bool nothing = operand(job, 2).words.empty();
        const Word update = graph_.resize(bits(job, 2), w, false);
        const std::uint32_t count = nothing ? 0 : std::min(w, graph_.width(bits(job, 2)));
        if (count == 0) {
            out = operand(job, 0);
            return true;
        }
        const Word mask = graph_.shift_left(graph_.zero_extend(graph_.ones(count), w), start);
        const Word kept = graph_.bit_and(bits(job, 0), graph_.bit_not(mask));
        out = result(job, graph_.bit_or(kept, graph_.shift_left(update, start)));
    } else if (name == "sign_ext" || name == "zero_ext") {
        expect_operands(job, 1);
        const std::uint32_t count = number(job, "new_bit_count");
        const std::uint32_t w = operand(job, 0).words.empty() ? 0 : graph_.width(bits(job, 0));
        if (count != width(job) || count < w) fail(job, fmt::format("{} bits to {}", w, count));
        if (count != 0) out = result(job, graph_.resize(bits(job, 0), count, name == "sign_ext"));
    } else if (name == "shll" || name == "shrl" || name == "shra") {
        expect_operands(job, 2);
        expect_type(job, operand(job, 0), job.node.type);
        if (width(job) == 0) return true;
        const Word word = bits(job, 0);
        const Word amount = bits(job, 1);
        out = result(job, name == "shll"   ? graph_.shift_left(word, amount)
                          : name == "shrl" ? graph_.shift_right_logical(word, amount)
                                           : graph_.shift_right_arithmetic(word, amount));
    } else if (name == "reverse") {
        expect_operands(job, 1);
        expect_type(job, operand(job, 0), job.node.type);
        if (width(job) == 0) return true;
        Words parts;
        for (std::uint32_t i = width(job); i-- > 0;) parts.push_back(graph_.extract(bits(job, 0), i, 1));
        out = result(job, graph_.concatenate(parts));
    } else if (name == "decode") {
        expect_operands(job, 1);
        if (number(job, "width") != width(job)) fail(job, "'width=' is not the result's");
        if (width(job) == 0) return true;
        out = result(job, graph_.shift_left(graph_.constant(1, width(job)), bits(job, 0)));
    } else if (name == "encode") {
        expect_operands(job, 1);
        if (operand(job, 0).words.empty()) fail(job, "an operand of no bits");
        out = result(job, encode(job, bits(job, 0)));
    } else if (name == "one_hot") {
        expect_operands(job, 1);
        const std::string& priority = keyword(job, "lsb_prio").text;
        if (priority != "true" && priority != "false") fail(job, "'lsb_prio=' is neither true nor false");
        const bool none = operand(job, 0).words.empty();
        out = result(job, none ? graph_.constant(1, 1) : one_hot(bits(job, 0), priority == "true"));
    } else {
        return false;
    }
    return true;
}

}  // namespace toroid::compiler::xls
