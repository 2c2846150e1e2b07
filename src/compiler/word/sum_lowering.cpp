// SPDX-License-Identifier: Apache-2.0
// Sums: additions, negations and products that only one reader needs are gathered into one carry-save sum.
#include <algorithm>

#include "compiler/word/bit_lowering.hpp"
#include "compiler/word/column_sum.hpp"
#include "compiler/word/selection.hpp"

namespace toroid::compiler {
namespace {

// With more products than this only the cheaper kind is tried.
constexpr std::size_t most_tried_products = 4;

}  // namespace

bool BitLowering::is_sum(Word word) const {
    return op(word) == WordOp::add || op(word) == WordOp::negate || op(word) == WordOp::multiply;
}

/// The sum that `word` reads, if it is the low part of one or one times a power of two, and nothing else
/// reads it; else `word` itself.
Word BitLowering::inner_sum(Word word, std::uint64_t& exponent) const {
    Word at = word;
    std::uint64_t shift = 0;
    while (is_inner(at)) {
        if (is_sum(at)) {
            exponent += shift;
            return at;
        }
        if (op(at) == WordOp::extract && graph_.node(at).parameter == 0) {
            at = operand(at, 0);
        } else if (op(at) == WordOp::concatenate && graph_.operands(at).size() == 2 &&
                   graph_.is_zero(operand(at, 0))) {
            shift += width(operand(at, 0));
            at = operand(at, 1);
        } else {
            break;
        }
    }
    return word;
}

std::vector<BitLowering::Summand> BitLowering::gather(Word root) const {
    struct Open {
        Word word;
        bool negative;
        std::uint64_t exponent;
    };
    std::vector<Summand> out;
    std::vector<Open> open{{root, false, 0}};
    while (!open.empty()) {
        Open at = open.back();
        open.pop_back();
        if (at.word != root) at.word = inner_sum(at.word, at.exponent);
        const Word word = at.word;
        const bool apart = word == root || is_inner(word);
        if (apart && op(word) == WordOp::add) {
            open.push_back({operand(word, 1), at.negative, at.exponent});
            open.push_back({operand(word, 0), at.negative, at.exponent});
        } else if (apart && op(word) == WordOp::negate) {
            open.push_back({operand(word, 0), !at.negative, at.exponent});
        } else if (apart && op(word) == WordOp::multiply) {
            Summand summand;
            summand.word = operand(word, 0);
            summand.factor = operand(word, 1);
            summand.kind = Summand::Kind::product;
            summand.negative = at.negative;
            summand.exponent = at.exponent;
            if (graph_.is_constant(summand.factor) &&
                signed_digit_count(graph_.constant_bits(summand.factor)) == 1) {
                const auto& factor = graph_.constant_bits(summand.factor);
                const auto position = std::find(factor.begin(), factor.end(), true) - factor.begin();
                const bool minus = static_cast<std::size_t>(position) + 1 < factor.size();
                open.push_back({operand(word, 0), at.negative != minus,
                                at.exponent + static_cast<std::uint64_t>(position)});
            } else {
                out.push_back(summand);
            }
        } else {
            Summand summand;
            summand.word = word;
            summand.negative = at.negative;
            summand.exponent = at.exponent;
            if (is_inner(word) && op(word) == WordOp::select) {
                bool negated = false;
                static_cast<void>(without_negation(operand(word, 1), negated));
                static_cast<void>(without_negation(operand(word, 2), negated));
                if (negated) summand.kind = Summand::Kind::choice;
            }
            out.push_back(summand);
        }
    }
    return out;
}

/// x for a negation -x that nothing else reads, else the word itself.
Word BitLowering::without_negation(Word word, bool& negated) const {
    if (op(word) != WordOp::negate || !is_inner(word)) return word;
    negated = true;
    return operand(word, 0);
}

/// c ? +-x : +-y, bit by bit, an inverted arm's + 1 beside it: -x = ~x + 1.
void BitLowering::add_choice(ColumnSum& sum, const Summand& summand) {
    const Literal condition = bits_[operand(summand.word, 0).id][0];
    bool negated[2] = {false, false};
    Number arms[2];
    std::size_t width = 0;
    for (std::size_t arm = 0; arm < 2; ++arm) {
        arms[arm] = number(without_negation(operand(summand.word, 1 + arm), negated[arm]));
        width = std::max(width, arms[arm].bits.size() + (arms[arm].is_signed ? 0 : 1));
    }
    const auto bit_of = [&](std::size_t arm, std::size_t i) {
        const Bits& bits = arms[arm].bits;
        Literal out = Literal::constant(false);
        if (i < bits.size()) {
            out = bits[i];
        } else if (arms[arm].is_signed) {
            out = bits.back();
        }
        return negated[arm] ? !out : out;
    };
    Bits bits;
    for (std::size_t i = 0; i < width; ++i)
        bits.push_back(choose(net_, condition, bit_of(0, i), bit_of(1, i)));
    sum.add_word(bits, true, summand.exponent, summand.negative);
    if (negated[0]) sum.add(condition, summand.exponent, summand.negative);
    if (negated[1]) sum.add(!condition, summand.exponent, summand.negative);
}

ValueRange BitLowering::summand_range(const Summand& summand) const {
    ValueRange out;
    switch (summand.kind) {
        case Summand::Kind::word:
            out = number(summand.word).range;
            break;
        case Summand::Kind::product:
            out = number(summand.word).range * number(summand.factor).range;
            if (summand.word == summand.factor && out.known) out.low = std::max<WideInteger>(out.low, 0);
            break;
        case Summand::Kind::choice: {
            ValueRange arms[2];
            for (std::size_t arm = 0; arm < 2; ++arm) {
                bool negated = false;
                arms[arm] = number(without_negation(operand(summand.word, 1 + arm), negated)).range;
                if (negated) arms[arm] = arms[arm].negated();
            }
            out = arms[0].joined(arms[1]);
            break;
        }
    }
    out = out.shifted(summand.exponent);
    return summand.negative ? out.negated() : out;
}

BitLowering::Bits BitLowering::resolve_sum(Word word, const std::vector<Summand>& summands) {
    const std::uint32_t full = width(word);
    ValueRange total = ValueRange::of(0, 0);
    for (const Summand& summand : summands) total = total + summand_range(summand);
    // The sum as an integer may need fewer bits than its word has.
    std::uint32_t needed = full;
    bool is_signed = true;
    if (total.fits(full, true) || total.fits(full, false)) {
        is_signed = total.low < 0;
        while (needed > 1 && total.fits(needed - 1, is_signed)) --needed;
        ranges_[word.id] = total;
    }
    const std::size_t first = net_.size();
    const auto make = [&](bool only_arrays) {
        ColumnSum sum(needed);
        for (const Summand& summand : summands) {
            if (summand.kind == Summand::Kind::choice) {
                add_choice(sum, summand);
                continue;
            }
            const Number x = number(summand.word);
            if (summand.kind == Summand::Kind::word) {
                sum.add_word(x.bits, x.is_signed, summand.exponent, summand.negative);
            } else if (graph_.is_constant(summand.factor)) {
                add_multiple(sum, x, graph_.constant_bits(summand.factor), summand.exponent,
                             summand.negative);
            } else {
                const Number y = number(summand.factor);
                const ProductKind kind =
                    only_arrays ? ProductKind::array : cheaper_product(net_.weight_limit(), x, y);
                add_product(net_, sum, x, y, summand.exponent, summand.negative, kind);
            }
        }
        return sum.resolve(net_, objective_, first);
    };
    Bits out = make(false);
    const auto products = static_cast<std::size_t>(std::count_if(
        summands.begin(), summands.end(), [](const Summand& s) { return s.kind == Summand::Kind::product; }));
    if (net_.weight_limit() >= 6 && products != 0 && products <= most_tried_products) {
        std::uint32_t latest = 0;
        for (const Summand& summand : summands) {
            for (const Word part : {summand.word, summand.factor}) {
                for (const Literal bit : bits_[part.id]) latest = std::max(latest, net_.level(bit));
            }
        }
        const Outcome booth = Outcome::of(net_, out, first);
        net_.roll_back(first);
        Bits other = make(true);
        if (booth.better_than(Outcome::of(net_, other, first), objective_, latest)) {
            net_.roll_back(first);
            other = make(false);
        }
        out = std::move(other);
    }
    out.resize(full, is_signed && !out.empty() ? out.back() : Literal::constant(false));
    return out;
}

}  // namespace toroid::compiler
