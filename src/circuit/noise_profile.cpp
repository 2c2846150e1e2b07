// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "circuit/form_expansion.hpp"
#include "circuit/statistics.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

double variance_of(const AffineTerm& term, const std::vector<double>& signal_variance) {
    double sum = 0;
    for (const base::Operand& operand : term.operands) {
        const double weight = operand.weight;
        sum += weight * weight * signal_variance[operand.index];
    }
    return sum;
}

}  // namespace

int margin_eighths(std::span<const base::Operand> term, int offset) {
    auto parity = static_cast<std::uint32_t>(offset);
    for (const base::Operand& operand : term) parity ^= static_cast<std::uint32_t>(operand.weight);
    return (parity & 1) == 0 ? 2 : 1;
}

NoiseProfile noise_profile(const Circuit& circuit, double input_variance) {
    NoiseProfile out;
    out.signal_variance.assign(circuit.signal_count, 0);
    const FormExpansion expansion(circuit);
    for (const InputPort& port : circuit.inputs) {
        for (const SignalId signal : port.signals) out.signal_variance[signal] = input_variance;
    }
    std::vector<std::pair<SignalId, AffineTerm>> forms;
    for (const base::GateRecord& gate : circuit.gates) {
        out.signal_variance[gate.output] = gate.bootstraps();
        if (gate.form == base::GateForm::linear) {
            forms.emplace_back(gate.output, expansion.merged(gate.term_a(circuit.operands), gate.offset_a));
        }
    }
    // Registers start noiseless and carry what they hold; a bootstrap resets that, so only forms and
    // registers wait for each other. Sweeps alternate in direction: chains of registers of either order
    // settle in one.
    std::size_t sweep = 0;
    for (bool changed = true; changed; ++sweep) {
        changed = false;
        for (const auto& [signal, term] : forms)
            out.signal_variance[signal] = variance_of(term, out.signal_variance);
        const auto update = [&](const Register& item) {
            const double variance = out.signal_variance[item.next.signal()];
            if (variance == out.signal_variance[item.output]) return;
            out.signal_variance[item.output] = variance;
            changed = true;
            if (sweep > circuit.registers.size() + 1) {
                throw Error(ErrorKind::noise,
                            fmt::format("circuit {}: the noise of register {} grows with every "
                                        "cycle, since no bootstrap lies on its loop",
                                        circuit.name, item.name));
            }
        };
        if (sweep % 2 == 0) {
            for (auto item = circuit.registers.rbegin(); item != circuit.registers.rend(); ++item)
                update(*item);
        } else {
            for (const Register& item : circuit.registers) update(item);
        }
    }

    for (const base::GateRecord& gate : circuit.gates) {
        double largest_norm = 0;
        double variance = 0;
        int margin = 1;
        const auto count = [&](const AffineTerm& term) {
            const double sum = variance_of(term, out.signal_variance);
            const int term_margin = margin_eighths(term.operands, term.offset);
            const double norm = sum / (term_margin * term_margin);
            ++out.histogram[{sum, term_margin}];
            if (norm >= largest_norm) {
                largest_norm = norm;
                variance = sum;
                margin = term_margin;
            }
        };
        if (gate.form != base::GateForm::linear) {
            count(expansion.merged(gate.term_a(circuit.operands), gate.offset_a));
            if (gate.form == base::GateForm::pair) {
                count(expansion.merged(gate.term_b(circuit.operands), gate.offset_b));
            }
        } else {
            variance = out.signal_variance[gate.output];
        }
        out.weight_norm.push_back(largest_norm);
        out.variance.push_back(variance);
        out.margin_eighths.push_back(margin);
        out.largest_weight_norm = std::max(out.largest_weight_norm, largest_norm);
    }
    for (const OutputPort& port : circuit.outputs) {
        for (const Literal bit : port.bits) {
            out.largest_output_variance =
                std::max(out.largest_output_variance, out.signal_variance[bit.signal()]);
        }
    }
    return out;
}

}  // namespace toroid::circuit
