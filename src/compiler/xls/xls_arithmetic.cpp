// SPDX-License-Identifier: Apache-2.0
// Arithmetic and comparisons.
#include <fmt/format.h>

#include "compiler/xls/xls_evaluator.hpp"

namespace toroid::compiler::xls {

/// Operands and result of any widths; the product modulo 2^width.
Word Evaluator::product(const Job& job, bool is_signed, std::uint32_t result_width) {
    spend(job, std::uint64_t{result_width} * result_width / 64);
    const Word a = graph_.resize(bits(job, 0), result_width, is_signed);
    return graph_.multiply(a, graph_.resize(bits(job, 1), result_width, is_signed));
}

bool Evaluator::evaluate_arithmetic(const Job& job, Value& out) {
    const std::string& name = job.node.operation;
    if (name == "identity") {
        expect_operands(job, 1);
        out = operand(job, 0);
        return true;
    }
    if (name == "neg") {
        expect_operands(job, 1);
        expect_type(job, operand(job, 0), job.node.type);
        out = result(job, graph_.negate(bits(job, 0)));
        return true;
    }
    if (name == "umul" || name == "smul") {
        expect_operands(job, 2);
        if (width(job) != 0) out = result(job, product(job, name == "smul", width(job)));
        return true;
    }
    if (name == "umulp" || name == "smulp") {
        // Two words whose sum is the product: 0 and all of it.
        expect_operands(job, 2);
        const Type& pair = type(job.node.type);
        if (pair.kind != Type::Kind::tuple || pair.count != 2 || pair.elements[0] != pair.elements[1] ||
            type(pair.elements[0]).kind != Type::Kind::bits) {
            fail(job, "the result is not a pair of equal bits types");
        }
        const std::uint32_t w = type(pair.elements[0]).width;
        if (w != 0) out.words = {graph_.constant(0, w), product(job, name == "smulp", w)};
        return true;
    }
    const bool division = name == "udiv" || name == "sdiv" || name == "umod" || name == "smod";
    if (!division && name != "add" && name != "sub") return false;
    expect_operands(job, 2);
    expect_type(job, operand(job, 0), job.node.type);
    expect_type(job, operand(job, 1), job.node.type);
    const std::uint32_t w = width(job);
    if (w == 0) return true;
    const Word a = bits(job, 0);
    const Word b = bits(job, 1);
    if (!division) {
        out = result(job, name == "add" ? graph_.add(a, b) : graph_.subtract(a, b));
        return true;
    }
    spend(job, std::uint64_t{w} * w / 16);
    const Word zero = graph_.constant(0, w);
    const Word by_zero = graph_.equal(b, zero);
    Word word;
    if (name == "udiv") {
        word = graph_.unsigned_divide(a, b);
    } else if (name == "umod") {
        word = graph_.select(by_zero, zero, graph_.unsigned_remainder(a, b));
    } else if (name == "smod") {
        word = graph_.select(by_zero, zero, graph_.signed_remainder(a, b));
    } else {
        // By 0: the largest number, or the most negative one for a negative dividend.
        const Word sign = graph_.extract(a, w - 1, 1);
        Words parts{sign};
        if (w > 1) parts = {graph_.sign_extend(graph_.bit_not(sign), w - 1), sign};
        const Word extreme = graph_.concatenate(parts);
        word = graph_.select(by_zero, extreme, graph_.signed_divide(a, b));
    }
    out = result(job, word);
    return true;
}

bool Evaluator::evaluate_comparison(const Job& job, Value& out) {
    const std::string& name = job.node.operation;
    if (name == "eq" || name == "ne") {
        expect_operands(job, 2);
        const Value& a = operand(job, 0);
        const Value& b = operand(job, 1);
        expect_type(job, b, a.type);
        spend(job, a.words.size());
        Word same = graph_.constant(1, 1);
        for (std::size_t i = 0; i < a.words.size(); ++i)
            same = graph_.bit_and(same, graph_.equal(a.words[i], b.words[i]));
        out = result(job, name == "eq" ? same : graph_.bit_not(same));
        return true;
    }
    if (name.size() != 3 || (name[0] != 'u' && name[0] != 's')) return false;
    const std::string relation = name.substr(1);
    if (relation != "lt" && relation != "le" && relation != "gt" && relation != "ge") return false;
    expect_operands(job, 2);
    expect_type(job, operand(job, 1), operand(job, 0).type);
    Word a = bits(job, 0);
    Word b = bits(job, 1);
    // a > b is b < a; a <= b is not b < a.
    const bool swapped = relation == "gt" || relation == "le";
    if (swapped) std::swap(a, b);
    const Word less = name[0] == 's' ? graph_.signed_less(a, b) : graph_.unsigned_less(a, b);
    out = result(job, relation == "le" || relation == "ge" ? graph_.bit_not(less) : less);
    return true;
}

}  // namespace toroid::compiler::xls
