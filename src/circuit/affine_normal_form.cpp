// SPDX-License-Identifier: Apache-2.0
#include "circuit/affine_normal_form.hpp"

#include <algorithm>

#include "circuit/circuit.hpp"

namespace toroid::circuit {
namespace {

void sort_by_signal(std::vector<base::Operand>& operands) {
    const auto less = [](const base::Operand& a, const base::Operand& b) { return a.index < b.index; };
    if (operands.size() == 2) {
        if (less(operands[1], operands[0])) std::swap(operands[0], operands[1]);
    } else if (!std::is_sorted(operands.begin(), operands.end(), less)) {
        std::sort(operands.begin(), operands.end(), less);
    }
}

}  // namespace

void normalise(AffineTerm& term) {
    std::vector<base::Operand>& operands = term.operands;
    sort_by_signal(operands);
    std::int64_t offset = term.offset;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < operands.size();) {
        const SignalId signal = operands[i].index;
        std::int64_t sum = 0;
        for (; i < operands.size() && operands[i].index == signal; ++i) sum += operands[i].weight;
        if (signal == constant_signal) {
            offset -= sum;
            continue;
        }
        int weight = reduce_eighths(sum);
        if (weight == 3 || weight == -3) {
            weight = weight == 3 ? -1 : 1;
            offset += 4;
        } else if (weight == -2) {
            weight = 2;
            offset += 4;
        } else if (weight == 4) {
            weight = 0;
            offset += 4;
        }
        if (weight != 0) operands[kept++] = {signal, weight};
    }
    operands.resize(kept);
    term.offset = reduce_eighths(offset);
}

SignReduction canonicalise_sign(AffineTerm& term) {
    normalise(term);
    std::vector<base::Operand>& operands = term.operands;
    const auto is_light = [](const base::Operand& operand) { return operand.weight != 2; };
    auto light = static_cast<std::size_t>(std::count_if(operands.begin(), operands.end(), is_light));
    const std::size_t heavy = operands.size() - light;

    if (light != 0 && (light + static_cast<std::size_t>(term.offset + 8)) % 2 == 0) return {};
    if (light == 1) {
        const auto single = std::find_if(operands.begin(), operands.end(), is_light);
        if ((static_cast<std::size_t>(term.offset + 8) + 2 * heavy) % 4 == 0) {
            if (single->weight < 0) term.offset = reduce_eighths(term.offset + 4);
            single->weight = 2;
        } else {
            operands.erase(single);
        }
        light = 0;
    }
    if (light == 0) {
        const int phase = reduce_eighths(static_cast<std::int64_t>(2 * operands.size()) + term.offset);
        if (phase % 4 == 0) return {};
        // The phase with all inputs 1: its sign alone matters, and 2 or -2 has the widest margin.
        const bool all_ones = phase > 0;
        if (operands.empty()) return {SignKind::constant, all_ones};
        if (operands.size() == 1) return {SignKind::literal, !all_ones};
        const int natural =
            reduce_eighths(2 * (static_cast<std::int64_t>(operands.size()) - 1));  // XOR itself
        term.offset = natural;
        const bool natural_all_ones = sign_bit(static_cast<int>(2 * operands.size() % 8) + natural);
        return {SignKind::gate, natural_all_ones != all_ones};
    }
    bool negated = false;
    const auto first = std::find_if(operands.begin(), operands.end(), is_light);
    if (first->weight < 0) {
        for (base::Operand& operand : operands) {
            if (is_light(operand)) operand.weight = -operand.weight;
        }
        // -2x = 2x + 4 for each heavy operand.
        term.offset = reduce_eighths(-term.offset + 4 * static_cast<int>(heavy % 2));
        negated = true;
    }
    if (term.offset == 3 || term.offset == 4 || term.offset < -1) {
        term.offset = reduce_eighths(term.offset + 4);
        negated = !negated;
    }
    return {SignKind::gate, negated};
}

}  // namespace toroid::circuit
