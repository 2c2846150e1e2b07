// SPDX-License-Identifier: Apache-2.0
#include "circuit/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "circuit/affine_normal_form.hpp"

namespace toroid::circuit {
namespace {

using base::GateForm;
using base::Operand;

std::string two_input_kind(const AffineTerm& term) {
    // Bit (x + 2 y) of the table is the output at inputs x and y.
    unsigned table = 0;
    for (unsigned index = 0; index < 4; ++index) {
        int phase = term.offset;
        for (unsigned i = 0; i < 2; ++i)
            phase += (index >> i & 1) != 0 ? term.operands[i].weight : -term.operands[i].weight;
        if (sign_bit(phase)) table |= 1U << index;
    }
    switch (table) {
        case 0b1000:
            return "AND";
        case 0b0111:
            return "NAND";
        case 0b1110:
            return "OR";
        case 0b0001:
            return "NOR";
        case 0b0100:
            return "ANDNY";
        case 0b0010:
            return "ANDYN";
        case 0b1101:
            return "ORNY";
        default:
            return "ORYN";
    }
}

std::string sign_kind(AffineTerm term) {
    normalise(term);
    const AffineTerm plain = term;
    const SignReduction sign = canonicalise_sign(term);
    switch (sign.kind) {
        case SignKind::invalid:
            return "AFFINE";
        case SignKind::constant:
            return "CONSTANT";
        case SignKind::literal:
            return sign.negated ? "NOT" : "COPY";
        case SignKind::gate:
            break;
    }
    const auto light = static_cast<std::size_t>(
        std::ranges::count_if(term.operands, [](const Operand& operand) { return operand.weight != 2; }));
    const std::size_t heavy = term.operands.size() - light;
    if (light == 0) {
        const std::string name = sign.negated ? "XNOR" : "XOR";
        return heavy == 2 ? name : fmt::format("{}{}", name, heavy);
    }
    if (light == 2 && heavy == 0) return two_input_kind(plain);
    if (light == 2 && heavy == 1) return "AX";
    if (light == 3 && heavy == 0) return term.offset == 0 ? "MAJ3" : "NAE3";
    return "E2";
}

bool is_mux(const base::GateRecord& gate, std::span<const Operand> a, std::span<const Operand> b, int sign) {
    if (a.size() != 2 || b.size() != 2 || gate.offset_a != -sign || gate.offset_b != -sign ||
        gate.post_offset != sign) {
        return false;
    }
    for (const Operand& x : a) {
        for (const Operand& y : b) {
            const bool is_plain = x.weight == 1 || x.weight == -1;
            if (is_plain && x.index == y.index && y.weight == -x.weight) return true;
        }
    }
    return false;
}

}  // namespace

std::string gate_kind(const base::GateRecord& gate, std::span<const Operand> operands) {
    const auto a = gate.term_a(operands);
    if (gate.form == GateForm::linear) return "FORM";
    if (gate.form == GateForm::pair) {
        const auto b = gate.term_b(operands);
        if (is_mux(gate, a, b, 1)) return "MUX";
        return is_mux(gate, a, b, -1) ? "NMUX" : "PAIR";
    }
    return sign_kind({{a.begin(), a.end()}, gate.offset_a});
}

std::vector<std::uint32_t> signal_levels(const Circuit& circuit) {
    std::vector<std::uint32_t> levels(circuit.signal_count, 0);
    for (const base::GateRecord& gate : circuit.gates) {
        std::uint32_t level = 0;
        for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(gate.operands_a) + gate.operands_b; ++i) {
            level = std::max(level, levels[circuit.operands[gate.first_operand + i].index]);
        }
        levels[gate.output] = level + (gate.form == GateForm::linear ? 0 : 1);
    }
    return levels;
}

Statistics statistics(const Circuit& circuit) {
    Statistics out;
    out.gates = circuit.gates.size();
    out.bootstraps = circuit.bootstraps();
    const std::vector<std::uint32_t> levels = signal_levels(circuit);
    for (const base::GateRecord& gate : circuit.gates) {
        ++out.gates_by_kind[gate_kind(gate, circuit.operands)];
        out.depth = std::max(out.depth, levels[gate.output]);
        if (gate.form == GateForm::linear) continue;
        if (out.width_by_level.size() < levels[gate.output])
            out.width_by_level.resize(levels[gate.output], 0);
        out.width_by_level[levels[gate.output] - 1] += static_cast<std::uint64_t>(gate.bootstraps());
    }
    return out;
}

}  // namespace toroid::circuit
