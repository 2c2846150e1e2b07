// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/word_evaluation.hpp"

#include <algorithm>
#include <functional>

#include "compiler/word/constant_arithmetic.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

using base::BitVector;

BitVector bit(bool value) {
    return BitVector(1, value);
}

template <typename Operation>
BitVector bitwise(const BitVector& a, const BitVector& b, Operation operation) {
    BitVector out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = operation(a[i], b[i]);
    return out;
}

BitVector shifted(WordOp op, const BitVector& a, const BitVector& amount) {
    std::uint64_t by = 0;
    if (!constants::fits_64(amount, by) || by > a.size()) by = a.size();
    const bool fill = op == WordOp::shift_right_arithmetic && a.back();
    BitVector out(a.size(), fill);
    for (std::size_t i = 0; i + by < a.size(); ++i) {
        if (op == WordOp::shift_left) {
            out[i + by] = a[i];
        } else {
            out[i] = a[i + by];
        }
    }
    return out;
}

BitVector table_entry(const WordGraph::Table& table, const BitVector& index) {
    std::uint64_t number = 0;
    if (!constants::fits_64(index, number) || number >= table.entries.size())
        return BitVector(table.width, false);
    return table.entries[number];
}

BitVector compute(const WordGraph& graph, Word word, const std::vector<BitVector>& values) {
    const WordGraph::Node& node = graph.node(word);
    const auto x = [&](std::size_t i) -> const BitVector& { return values[graph.operands(word)[i].id]; };
    switch (node.op) {
        case WordOp::input:
            return values[word.id];
        case WordOp::constant:
            return graph.constant_bits(word);
        case WordOp::add:
            return constants::add(x(0), x(1));
        case WordOp::multiply:
            return constants::multiply(x(0), x(1));
        case WordOp::unsigned_divide:
            return constants::divide(x(0), x(1)).first;
        case WordOp::unsigned_remainder:
            return constants::divide(x(0), x(1)).second;
        case WordOp::bit_and:
            return bitwise(x(0), x(1), std::logical_and<bool>());
        case WordOp::bit_or:
            return bitwise(x(0), x(1), std::logical_or<bool>());
        case WordOp::bit_xor:
            return bitwise(x(0), x(1), std::not_equal_to<bool>());
        case WordOp::bit_not:
            return constants::invert(x(0));
        case WordOp::negate:
            return constants::negate(x(0));
        case WordOp::shift_left:
        case WordOp::shift_right_logical:
        case WordOp::shift_right_arithmetic:
            return shifted(node.op, x(0), x(1));
        case WordOp::equal:
            return bit(x(0) == x(1));
        case WordOp::unsigned_less:
            return bit(constants::unsigned_less(x(0), x(1)));
        case WordOp::signed_less:
            return bit(constants::signed_less(x(0), x(1)));
        case WordOp::select:
            return x(0)[0] ? x(1) : x(2);
        case WordOp::concatenate: {
            BitVector out;
            for (const Word part : graph.operands(word)) {
                const BitVector& bits = values[part.id];
                out.insert(out.end(), bits.begin(), bits.end());
            }
            return out;
        }
        case WordOp::extract:
            return constants::slice(x(0), node.parameter, node.width);
        case WordOp::zero_extend:
            return constants::extend(x(0), node.width, false);
        case WordOp::sign_extend:
            return constants::extend(x(0), node.width, x(0).back());
        case WordOp::popcount:
            return constants::make(constants::count_ones(x(0)), node.width);
        case WordOp::lookup:
            return table_entry(graph.table(word), x(0));
    }
    throw Error(ErrorKind::internal, "word graph: an operation without a meaning");
}

}  // namespace

std::vector<BitVector> evaluate(const WordGraph& graph, const std::vector<BitVector>& inputs) {
    if (inputs.size() != graph.inputs().size())
        throw Error(ErrorKind::internal, "word graph: values for another number of inputs");
    std::vector<BitVector> values(graph.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i].word.id] = inputs[i];
    for (std::uint32_t id = 0; id < graph.size(); ++id) values[id] = compute(graph, {id}, values);
    std::vector<BitVector> out;
    for (const WordGraph::Output& output : graph.outputs()) out.push_back(values[output.word.id]);
    return out;
}

}  // namespace toroid::compiler
