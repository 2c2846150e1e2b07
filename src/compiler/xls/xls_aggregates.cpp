// SPDX-License-Identifier: Apache-2.0
// Selection, arrays and tuples.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/xls/xls_evaluator.hpp"

namespace toroid::compiler::xls {

Value Evaluator::chosen(Word condition, const Value& if_one, const Value& if_zero) {
    Value out{if_one.type, {}};
    for (std::size_t i = 0; i < if_one.words.size(); ++i)
        out.words.push_back(graph_.select(condition, if_one.words[i], if_zero.words[i]));
    return out;
}

Value Evaluator::indexed(const Job& job, Word index, std::vector<Value> choices, const Value& beyond) {
    std::uint64_t known = 0;
    if (graph_.is_constant(index)) {
        const bool inside = graph_.constant_value(index, known) && known < choices.size();
        return inside ? choices[known] : beyond;
    }
    const auto bits_needed = static_cast<std::uint32_t>(std::bit_width(choices.size() - 1));
    const std::uint32_t used = std::min(bits_needed, graph_.width(index));
    choices.resize(std::size_t{1} << used, beyond);
    spend(job, choices.size() * (1 + beyond.words.size()));
    const Word low = used == 0 ? index : graph_.extract(index, 0, used);
    Value out{beyond.type, {}};
    for (std::size_t leaf = 0; leaf < beyond.words.size(); ++leaf) {
        Words column;
        for (const Value& choice : choices) column.push_back(choice.words[leaf]);
        if (used != 0 && std::ranges::all_of(column, [&](Word word) { return graph_.is_constant(word); })) {
            WordGraph::Table table{graph_.width(column[0]), {}};
            for (const Word word : column) table.entries.push_back(graph_.constant_bits(word));
            out.words.push_back(graph_.lookup(low, table));
            continue;
        }
        for (std::uint32_t bit = 0; bit < used; ++bit) {
            const Word condition = graph_.extract(index, bit, 1);
            Words next;
            for (std::size_t i = 0; i < column.size(); i += 2)
                next.push_back(graph_.select(condition, column[i + 1], column[i]));
            column = std::move(next);
        }
        out.words.push_back(column[0]);
    }
    if (used == graph_.width(index)) return out;
    const Word upper = graph_.extract(index, used, graph_.width(index) - used);
    return chosen(graph_.any_bit(upper), beyond, out);
}

bool Evaluator::evaluate_choice(const Job& job, Value& out) {
    const std::string& name = job.node.operation;
    if (name == "gate") {
        expect_operands(job, 2);
        const Word condition = bits(job, 0);
        if (graph_.width(condition) != 1) fail(job, "the condition is not one bit");
        out = operand(job, 1);
        for (Word& word : out.words)
            word = graph_.bit_and(word, graph_.sign_extend(condition, graph_.width(word)));
        return true;
    }
    if (name != "sel" && name != "one_hot_sel" && name != "priority_sel") return false;
    expect_operands(job, 1);
    const Word selector = bits(job, 0);
    const std::uint32_t selector_width = operand(job, 0).words.empty() ? 0 : graph_.width(selector);
    std::vector<Value> cases;
    for (const std::uint32_t index : keyword(job, "cases").operands) {
        cases.push_back(job.values[index]);
        expect_type(job, cases.back(), job.node.type);
    }
    if (cases.empty()) fail(job, "no cases");
    const Keyword* given = find_keyword(job, "default");
    Value otherwise{job.node.type, {}};
    if (given != nullptr) {
        if (given->operands.size() != 1) fail(job, "'default=' is not one operand");
        otherwise = job.values[given->operands[0]];
        expect_type(job, otherwise, job.node.type);
    } else {
        for (const Word word : cases[0].words)
            otherwise.words.push_back(graph_.constant(0, graph_.width(word)));
    }
    spend(job, cases.size() * (1 + otherwise.words.size()));
    if (name == "sel") {
        const bool complete = selector_width < 32 && cases.size() == std::uint64_t{1} << selector_width;
        const bool too_many = selector_width < 32 && cases.size() > std::uint64_t{1} << selector_width;
        if (too_many || complete == (given != nullptr)) {
            fail(job, fmt::format("{} cases and {} default for a selector of {} bits", cases.size(),
                                  given == nullptr ? "no" : "a", selector_width));
        }
        out = indexed(job, selector, std::move(cases), otherwise);
        return true;
    }
    if (selector_width != cases.size())
        fail(job, fmt::format("{} cases for a selector of {} bits", cases.size(), selector_width));
    if (name == "one_hot_sel" && given != nullptr) fail(job, "a default");
    out = otherwise;
    for (std::size_t i = cases.size(); i-- > 0;) {
        const Word condition = graph_.extract(selector, static_cast<std::uint32_t>(i), 1);
        if (name == "priority_sel") {
            out = chosen(condition, cases[i], out);
            continue;
        }
        for (std::size_t leaf = 0; leaf < out.words.size(); ++leaf) {
            const Word word = cases[i].words[leaf];
            const Word gated = graph_.bit_and(word, graph_.sign_extend(condition, graph_.width(word)));
            out.words[leaf] = graph_.bit_or(out.words[leaf], gated);
        }
    }
    return true;
}

/// The element, the last one for an index past the end.
Value Evaluator::array_element(const Job& job, const Value& array, Word index) {
    const Type& whole = type(array.type);
    if (whole.kind != Type::Kind::array || whole.count == 0)
        fail(job, fmt::format("an index into {}", package_.types.text(array.type)));
    const std::uint32_t count = whole.count;
    std::uint64_t known = 0;
    if (graph_.is_constant(index)) {
        const bool inside = graph_.constant_value(index, known) && known < count;
        return part(array, inside ? static_cast<std::uint32_t>(known) : count - 1);
    }
    std::vector<Value> elements;
    for (std::uint32_t i = 0; i < count; ++i) elements.push_back(part(array, i));
    const Value last = elements.back();
    return indexed(job, index, std::move(elements), last);
}

/// The array with the element at the indices replaced if the condition holds; past the end nothing changes.
Value Evaluator::array_updated(const Job& job, const Value& array, const std::vector<Word>& indices,
                               std::size_t depth, const Value& value, Word condition) {
    if (depth == indices.size()) {
        expect_type(job, value, array.type);
        return chosen(condition, value, array);
    }
    const Type whole = type(array.type);
    if (whole.kind != Type::Kind::array)
        fail(job, fmt::format("an index into {}", package_.types.text(array.type)));
    spend(job, array.words.size() + whole.count);
    const Word index = indices[depth];
    const std::uint32_t w = graph_.width(index);
    Value out{array.type, {}};
    for (std::uint32_t i = 0; i < whole.count; ++i) {
        const bool reachable = w >= 32 || i < std::uint64_t{1} << w;
        const Word here = reachable ? graph_.equal(index, graph_.constant(i, w)) : graph_.constant(0, 1);
        const Value element =
            array_updated(job, part(array, i), indices, depth + 1, value, graph_.bit_and(condition, here));
        out.words.insert(out.words.end(), element.words.begin(), element.words.end());
    }
    return out;
}

bool Evaluator::evaluate_aggregate(const Job& job, Value& out) {
    const std::string& name = job.node.operation;
    const Type result_type = type(job.node.type);
    if (name == "tuple" || name == "array") {
        const bool is_array = name == "array";
        if (result_type.kind != (is_array ? Type::Kind::array : Type::Kind::tuple))
            fail(job, fmt::format("the result is not a {}", name));
        expect_operands(job, result_type.count);
        for (std::uint32_t i = 0; i < result_type.count; ++i) {
            const Value& element = operand(job, i);
            expect_type(job, element, package_.types.element(job.node.type, i));
            out.words.insert(out.words.end(), element.words.begin(), element.words.end());
        }
    } else if (name == "tuple_index") {
        expect_operands(job, 1);
        const Value& tuple = operand(job, 0);
        const std::uint32_t index = number(job, "index");
        if (type(tuple.type).kind != Type::Kind::tuple || index >= type(tuple.type).count)
            fail(job, fmt::format("element {} of {}", index, package_.types.text(tuple.type)));
        out = part(tuple, index);
    } else if (name == "array_concat") {
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < job.node.operands.size(); ++i) {
            const Value& array = operand(job, i);
            if (type(array.type).kind != Type::Kind::array || result_type.kind != Type::Kind::array ||
                type(array.type).elements != result_type.elements) {
                fail(job, "operands and result are not arrays of one element type");
            }
            count += type(array.type).count;
            out.words.insert(out.words.end(), array.words.begin(), array.words.end());
        }
        if (result_type.kind != Type::Kind::array || count != result_type.count)
            fail(job, "the result is not as long as the operands together");
    } else if (name == "array_index") {
        expect_operands(job, 1);
        out = operand(job, 0);
        for (const std::uint32_t index : keyword(job, "indices").operands)
            out = array_element(job, out, bits(job, job.values[index]));
    } else if (name == "array_update") {
        expect_operands(job, 2);
        std::vector<Word> indices;
        for (const std::uint32_t index : keyword(job, "indices").operands)
            indices.push_back(bits(job, job.values[index]));
        if (indices.size() > 64) fail(job, "too many indices");
        out = array_updated(job, operand(job, 0), indices, 0, operand(job, 1), graph_.constant(1, 1));
    } else if (name == "array_slice") {
        expect_operands(job, 2);
        if (result_type.kind != Type::Kind::array || number(job, "width") != result_type.count)
            fail(job, "'width=' is not the result's length");
        const Word given = bits(job, 1);
        // Wide enough that start + width does not wrap.
        const Word start = graph_.zero_extend(given, std::max(graph_.width(given), 15U) + 1);
        for (std::uint32_t i = 0; i < result_type.count; ++i) {
            const Word index = graph_.add(start, graph_.constant(i, graph_.width(start)));
            const Value element = array_element(job, operand(job, 0), index);
            expect_type(job, element, result_type.elements[0]);
            out.words.insert(out.words.end(), element.words.begin(), element.words.end());
        }
    } else {
        return false;
    }
    return true;
}

}  // namespace toroid::compiler::xls
