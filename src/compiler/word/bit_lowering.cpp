// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/bit_lowering.hpp"

#include <algorithm>
#include <bit>

#include "compiler/word/carry_chain.hpp"
#include "compiler/word/column_sum.hpp"
#include "compiler/word/constant_arithmetic.hpp"
#include "compiler/word/gate_trees.hpp"
#include "compiler/word/selection.hpp"

namespace toroid::compiler {
namespace {

const Literal zero = Literal::constant(false);

/// Where the range says more than the wires, the upper bits are zeros or copies of the sign.
void narrow(std::vector<Literal>& bits, const ValueRange& range) {
    const auto width = static_cast<std::uint32_t>(bits.size());
    if (!range.known) return;
    const bool is_signed = range.low < 0;
    std::uint32_t needed = width;
    while (needed > (is_signed ? 1 : 0) &&
           (needed == 1 && !is_signed ? range.high == 0 : range.fits(needed - 1, is_signed))) {
        --needed;
    }
    for (std::uint32_t i = needed; i < width; ++i) bits[i] = is_signed ? bits[needed - 1] : zero;
}

}  // namespace

BitLowering::BitLowering(const WordGraph& graph, GateNet& net, Objective objective)
    : graph_(graph),
      net_(net),
      objective_(objective),
      readers_(graph.size(), 0),
      bits_(graph.size()),
      ranges_(graph.size()),
      done_(graph.size(), false) {}

/// Reading places of each word that an output needs; an output counts as two, for it needs the word whole.
void BitLowering::count_readers() {
    std::vector<Word> open;
    const auto read = [&](Word word, std::uint32_t times) {
        if (readers_[word.id] == 0) open.push_back(word);
        readers_[word.id] += times;
    };
    for (const WordGraph::Output& output : graph_.outputs()) read(output.word, 2);
    while (!open.empty()) {
        const Word word = open.back();
        open.pop_back();
        for (const Word operand : graph_.operands(word)) read(operand, 1);
    }
}

void BitLowering::run() {
    count_readers();
    for (const WordGraph::Input& input : graph_.inputs()) {
        Bits& bits = bits_[input.word.id];
        for (std::uint32_t bit = 0; bit < input.width; ++bit) bits.push_back(net_.add_input());
        done_[input.word.id] = true;
    }
    std::vector<std::pair<Word, bool>> open;  // a word, and whether what it needs was asked for
    for (const WordGraph::Output& output : graph_.outputs()) {
        open.emplace_back(output.word, false);
        while (!open.empty()) {
            const auto [word, ready] = open.back();
            if (done_[word.id]) {
                open.pop_back();
            } else if (ready) {
                open.pop_back();
                lower_word(word);
            } else {
                open.back().second = true;
                for (const Word needed : requirements(word)) {
                    if (!done_[needed.id]) open.emplace_back(needed, false);
                }
            }
        }
    }
}

std::vector<Word> BitLowering::requirements(Word word) {
    std::vector<Word> out;
    switch (op(word)) {
        case WordOp::add:
        case WordOp::negate:
        case WordOp::multiply:
            for (const Summand& summand : gather(word)) {
                if (summand.kind == Summand::Kind::choice) {
                    bool negated = false;
                    out.push_back(operand(summand.word, 0));
                    out.push_back(without_negation(operand(summand.word, 1), negated));
                    out.push_back(without_negation(operand(summand.word, 2), negated));
                } else {
                    out.push_back(summand.word);
                    if (summand.kind == Summand::Kind::product) out.push_back(summand.factor);
                }
            }
            return out;
        case WordOp::bit_and:
        case WordOp::bit_or:
        case WordOp::bit_xor: {
            std::vector<Word> products;
            gather_leaves(word, out, products);
            for (const Word product : products) {
                out.push_back(operand(product, 0));
                out.push_back(operand(product, 1));
            }
            return out;
        }
        case WordOp::select: {
            Word value;
            bool if_one = false;
            if (negates(word, value, if_one)) return {operand(word, 0), value};
            const SelectTree tree = select_tree(word);
            if (!prefer_one_hot(tree, width(word))) break;
            for (const auto& leaf : tree.leaves) out.push_back(leaf.word);
            for (std::size_t i = 1; i < tree.paths.size(); ++i) out.push_back(tree.paths[i].condition);
            return out;
        }
        default:
            break;
    }
    out.assign(graph_.operands(word).begin(), graph_.operands(word).end());
    return out;
}

void BitLowering::lower_word(Word word) {
    net_.set_origin(word.id);
    Bits bits;
    switch (op(word)) {
        case WordOp::add:
        case WordOp::negate:
        case WordOp::multiply:
            bits = resolve_sum(word, gather(word));
            break;
        case WordOp::bit_and:
        case WordOp::bit_or:
        case WordOp::bit_xor:
            bits = lower_bitwise(word);
            break;
        case WordOp::select:
            bits = lower_select(word);
            break;
        case WordOp::equal:
        case WordOp::unsigned_less:
        case WordOp::signed_less:
            bits = lower_compare(word);
            break;
        case WordOp::popcount:
            bits = lower_popcount(word);
            break;
        case WordOp::unsigned_divide:
            bits = division(word).quotient;
            break;
        case WordOp::unsigned_remainder:
            bits = division(word).remainder;
            break;
        case WordOp::shift_left:
        case WordOp::shift_right_logical:
        case WordOp::shift_right_arithmetic: {
            const ShiftKind kind = op(word) == WordOp::shift_left            ? ShiftKind::left
                                   : op(word) == WordOp::shift_right_logical ? ShiftKind::right_logical
                                                                             : ShiftKind::right_arithmetic;
            bits = shift(net_, kind, bits_[operand(word, 0).id], bits_[operand(word, 1).id]);
            break;
        }
        case WordOp::lookup: {
            const WordGraph::Table& table = graph_.table(word);
            bits = table_lookup(net_, bits_[operand(word, 0).id], table.entries, table.width);
            break;
        }
        default:
            bits = lower_structure(word);
            break;
    }
    bits_[word.id] = std::move(bits);
    find_range(word);
    narrow(bits_[word.id], ranges_[word.id]);
    done_[word.id] = true;
}

BitLowering::Bits BitLowering::lower_structure(Word word) {
    Bits out;
    const std::uint32_t w = width(word);
    switch (op(word)) {
        case WordOp::constant:
            for (const bool bit : graph_.constant_bits(word)) out.push_back(Literal::constant(bit));
            break;
        case WordOp::concatenate:
            for (const Word part : graph_.operands(word))
                out.insert(out.end(), bits_[part.id].begin(), bits_[part.id].end());
            break;
        case WordOp::extract: {
            const auto first = bits_[operand(word, 0).id].begin() + graph_.node(word).parameter;
            out.assign(first, first + w);
            break;
        }
        case WordOp::zero_extend:
            out = bits_[operand(word, 0).id];
            out.resize(w, zero);
            break;
        case WordOp::sign_extend:
            out = bits_[operand(word, 0).id];
            out.resize(w, out.back());
            break;
        default:  // bit_not
            for (const Literal bit : bits_[operand(word, 0).id]) out.push_back(!bit);
            break;
    }
    return out;
}

/// The operands of a tree of one bitwise operation; those of an XOR that are ANDs read only there apart.
void BitLowering::gather_leaves(Word word, std::vector<Word>& leaves, std::vector<Word>& products) const {
    std::vector<Word> open{word};
    while (!open.empty()) {
        const Word at = open.back();
        open.pop_back();
        if (at == word || (op(at) == op(word) && is_inner(at))) {
            open.push_back(operand(at, 1));
            open.push_back(operand(at, 0));
        } else if (op(word) == WordOp::bit_xor && op(at) == WordOp::bit_and && is_inner(at)) {
            products.push_back(at);
        } else {
            leaves.push_back(at);
        }
    }
}

BitLowering::Bits BitLowering::lower_bitwise(Word word) {
    std::vector<Word> leaves;
    std::vector<Word> products;
    gather_leaves(word, leaves, products);
    Bits out;
    for (std::uint32_t bit = 0; bit < width(word); ++bit) {
        std::vector<Literal> operands;
        for (const Word leaf : leaves) operands.push_back(bits_[leaf.id][bit]);
        if (op(word) == WordOp::bit_and) {
            out.push_back(and_of(net_, std::move(operands)));
        } else if (op(word) == WordOp::bit_or) {
            out.push_back(or_of(net_, std::move(operands)));
        } else {
            std::vector<std::pair<Literal, Literal>> pairs;
            for (const Word product : products) {
                pairs.emplace_back(bits_[operand(product, 0).id][bit], bits_[operand(product, 1).id][bit]);
            }
            out.push_back(xor_of_products(net_, std::move(operands), std::move(pairs)));
        }
    }
    return out;
}

BitLowering::Bits BitLowering::lower_compare(Word word) {
    Bits a = bits_[operand(word, 0).id];
    Bits b = bits_[operand(word, 1).id];
    if (op(word) == WordOp::equal) {
        std::vector<Literal> same;
        for (std::size_t i = 0; i < a.size(); ++i) same.push_back(!net_.xor_gate(a[i], b[i]));
        return {and_of(net_, std::move(same))};
    }
    // a < b: the carry out of b + ~a.
    if (op(word) == WordOp::signed_less) {
        while (a.size() > 1 && a[a.size() - 2] == a.back() && b[b.size() - 2] == b.back()) {
            a.pop_back();
            b.pop_back();
        }
        std::swap(a.back(), b.back());
    }
    for (Literal& bit : a) bit = !bit;
    return {CarryChain(net_, std::move(a), std::move(b), zero).carry_out(objective_)};
}

BitLowering::Bits BitLowering::lower_popcount(Word word) {
    const Bits& bits = bits_[operand(word, 0).id];
    const auto needed = static_cast<std::uint32_t>(std::bit_width(bits.size()));
    ColumnSum sum(std::min(width(word), needed));
    for (const Literal bit : bits) sum.add(bit, 0);
    Bits out = sum.resolve(net_, objective_, net_.size());
    out.resize(width(word), zero);
    return out;
}

const Division& BitLowering::division(Word word) {
    const Word a = operand(word, 0);
    const Word b = operand(word, 1);
    const auto [found, is_new] = divisions_.try_emplace({a.id, b.id});
    if (is_new) found->second = divide(net_, bits_[a.id], bits_[b.id], objective_);
    return found->second;
}

/// The word's range, or that of its shape.
ValueRange BitLowering::range(Word word) const {
    if (bits_[word.id].empty()) return {};  // taken apart by its reader
    return ranges_[word.id].known ? ranges_[word.id] : number(word).range;
}

void BitLowering::find_range(Word word) {
    const std::uint32_t w = width(word);
    ValueRange& out = ranges_[word.id];
    switch (op(word)) {
        case WordOp::select: {
            out = range(operand(word, 1)).joined(range(operand(word, 2)));
            Word value;
            bool if_one = false;
            if (!negates(word, value, if_one)) break;
            // |x|
            const Number x = number(value);
            const Literal sign = x.is_signed ? x.bits.back() : zero;
            const Literal condition = bits_[operand(word, 0).id][0];
            const WideInteger highest = std::max(-x.range.low, x.range.high);
            out = x.range.joined(x.range.negated());
            if (x.range.known && condition == (if_one ? sign : !sign)) out = ValueRange::of(0, highest);
            break;
        }
        case WordOp::zero_extend:
        case WordOp::sign_extend: {
            const Word inner = operand(word, 0);
            const ValueRange& known = ranges_[inner.id];
            if (known.fits(width(inner), op(word) == WordOp::sign_extend)) out = known;
            break;
        }
        case WordOp::extract:
            if (graph_.node(word).parameter == 0) out = ranges_[operand(word, 0).id];
            break;
        case WordOp::popcount:
            out = ValueRange::of(0, static_cast<WideInteger>(width(operand(word, 0))));
            break;
        case WordOp::unsigned_remainder: {
            const ValueRange divisor = ranges_[operand(word, 1).id];
            if (divisor.known && divisor.low > 0) out = ValueRange::of(0, divisor.high - 1);
            break;
        }
        case WordOp::constant:
        case WordOp::lookup: {
            // Unsigned; a constant that is negative as a signed word as well as any other word of its bits.
            std::uint64_t value = 0;
            if (op(word) == WordOp::constant) {
                if (graph_.constant_value(word, value))
                    out = ValueRange::of(static_cast<WideInteger>(value), static_cast<WideInteger>(value));
                break;
            }
            std::uint64_t largest = 0;
            for (const base::BitVector& entry : graph_.table(word).entries) {
                if (!constants::fits_64(entry, value)) return;
                largest = std::max(largest, value);
            }
            out = ValueRange::of(0, static_cast<WideInteger>(largest));
            break;
        }
        default:
            break;
    }
    if (!out.fits(w, true) && !out.fits(w, false)) out = {};
}

}  // namespace toroid::compiler
