// SPDX-License-Identifier: Apache-2.0
#include "circuit/form_expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "circuit/statistics.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

constexpr std::size_t largest_fan_in = std::numeric_limits<std::uint16_t>::max();

/// The nodes a renumbering keeps: inputs, registers and the gates marked.
std::vector<SignalId> renumbering(const Circuit& circuit, const std::vector<bool>& keep_gate_signal) {
    std::vector<bool> is_gate(circuit.signal_count, false);
    for (const base::GateRecord& gate : circuit.gates) is_gate[gate.output] = true;
    std::vector<SignalId> number(circuit.signal_count, 0);
    SignalId next = 1;
    for (SignalId signal = 1; signal < circuit.signal_count; ++signal) {
        if (!is_gate[signal] || keep_gate_signal[signal]) number[signal] = next++;
    }
    return number;
}

}  // namespace

FormExpansion::FormExpansion(const Circuit& circuit)
    : circuit_(circuit), form_(circuit.signal_count, no_form) {
    for (std::size_t i = 0; i < circuit.gates.size(); ++i) {
        if (circuit.gates[i].form == base::GateForm::linear) {
            form_[circuit.gates[i].output] = static_cast<std::uint32_t>(i);
        }
    }
}

AffineTerm FormExpansion::merged(std::span<const base::Operand> operands, int offset_eighths) const {
    AffineTerm out;
    const bool reads_form =
        std::ranges::any_of(operands, [&](const base::Operand& operand) { return is_form(operand.index); });
    // Readers have larger ids than what they read: going down from the largest merges every path before a
    // form is opened, so that each form is opened once.
    std::map<SignalId, std::int64_t, std::greater<>> weights;
    for (const base::Operand& operand : operands) weights[operand.index] += operand.weight;
    std::int64_t offset = offset_eighths;
    for (auto it = weights.begin(); it != weights.end(); it = weights.erase(it)) {
        if (it->second == 0) continue;
        if (it->first == constant_signal) {
            offset -= it->second;
        } else if (is_form(it->first)) {
            const int weight = reduce_eighths(it->second);
            const base::GateRecord& form = circuit_.gates[form_[it->first]];
            offset += weight * form.offset_a;
            for (const base::Operand& inner : form.term_a(circuit_.operands)) {
                weights[inner.index] += static_cast<std::int64_t>(weight) * inner.weight;
            }
        } else {
            const std::int64_t weight = reads_form ? reduce_eighths(it->second) : it->second;
            if (weight != static_cast<std::int32_t>(weight)) {
                throw Error(ErrorKind::circuit,
                            fmt::format("circuit {}: weight {} of signal {} is out of range", circuit_.name,
                                        weight, it->first));
            }
            out.operands.push_back({it->first, static_cast<std::int32_t>(weight)});
        }
    }
    std::ranges::reverse(out.operands);
    out.offset = reduce_eighths(offset);
    if (reads_form) normalise(out);
    if (out.operands.size() > largest_fan_in) {
        throw Error(
            ErrorKind::circuit,
            fmt::format("circuit {}: a gate has {} operands once linear forms are expanded (limit {})",
                        circuit_.name, out.operands.size(), largest_fan_in));
    }
    return out;
}

Circuit flatten_forms(const Circuit& circuit) {
    const FormExpansion expansion(circuit);
    // No gate will read a form: forms stay only where an output or a register holds one.
    std::vector<bool> keep(circuit.signal_count, false);
    for (const base::GateRecord& gate : circuit.gates)
        keep[gate.output] = gate.form != base::GateForm::linear;
    for (const OutputPort& port : circuit.outputs) {
        for (const Literal bit : port.bits) keep[bit.signal()] = true;
    }
    for (const Register& item : circuit.registers) keep[item.next.signal()] = true;
    const std::vector<SignalId> number = renumbering(circuit, keep);

    Circuit out;
    out.name = circuit.name;
    out.inputs = circuit.inputs;
    out.outputs = circuit.outputs;
    out.registers = circuit.registers;
    const auto renumber = [&](Literal literal) {
        return Literal(number[literal.signal()], literal.negated());
    };
    for (InputPort& port : out.inputs) {
        for (SignalId& signal : port.signals) signal = number[signal];
    }
    for (OutputPort& port : out.outputs) {
        for (Literal& bit : port.bits) bit = renumber(bit);
    }
    for (Register& item : out.registers) {
        item.output = number[item.output];
        item.next = renumber(item.next);
    }
    const auto append = [&](const AffineTerm& term) {
        for (const base::Operand& operand : term.operands) {
            out.operands.push_back({number[operand.index], operand.weight});
        }
        if (out.operands.size() > std::numeric_limits<std::uint32_t>::max()) {
            throw Error(ErrorKind::circuit,
                        fmt::format("circuit {} has more than 2^32 operands", circuit.name));
        }
        return static_cast<std::uint16_t>(term.operands.size());
    };
    for (const base::GateRecord& old : circuit.gates) {
        if (!keep[old.output]) continue;
        base::GateRecord gate = old;
        gate.output = number[old.output];
        gate.first_operand = static_cast<std::uint32_t>(out.operands.size());
        const AffineTerm a = expansion.merged(old.term_a(circuit.operands), old.offset_a);
        gate.operands_a = append(a);
        gate.offset_a = static_cast<std::int8_t>(a.offset);
        if (old.form == base::GateForm::pair) {
            const AffineTerm b = expansion.merged(old.term_b(circuit.operands), old.offset_b);
            gate.operands_b = append(b);
            gate.offset_b = static_cast<std::int8_t>(b.offset);
        }
        out.gates.push_back(gate);
    }
    for (const SignalId signal : number) out.signal_count = std::max(out.signal_count, signal + 1);
    return out;
}

}  // namespace toroid::circuit
