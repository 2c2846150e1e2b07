// SPDX-License-Identifier: Apache-2.0
#include "runtime/refresh.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "circuit/statistics.hpp"
#include "toroid/error.hpp"

namespace toroid::runtime {
namespace {

using base::GateForm;
using base::GateRecord;
using base::Operand;
using circuit::Circuit;
using circuit::Literal;
using circuit::SignalId;

/// In double: a file may hold weights whose square no int holds.
double square(std::int32_t weight) {
    return static_cast<double>(weight) * weight;
}

class Refresher {
 public:
    Refresher(const Circuit& flat, const scheme::NoiseModel& model, std::vector<double> variance,
              double target_log2)
        : flat_(flat),
          model_(model),
          target_log2_(target_log2),
          variance_(std::move(variance)),
          renamed_(flat.signal_count, circuit::constant_signal) {}

    RefreshedCircuit run() {
        Circuit& out = result_.circuit;
        out.name = flat_.name;
        out.gates.reserve(flat_.gates.size());
        out.operands.reserve(flat_.operands.size());
        // Signals in the order of their numbers; a refreshing gate comes just before its first reader.
        std::vector<std::uint32_t> gate_of(flat_.signal_count, no_gate);
        for (std::uint32_t g = 0; g < flat_.gates.size(); ++g) gate_of[flat_.gates[g].output] = g;
        for (SignalId signal = 1; signal < flat_.signal_count; ++signal) {
            if (gate_of[signal] == no_gate) {
                renamed_[signal] = out.signal_count++;
            } else {
                copy_gate(flat_.gates[gate_of[signal]]);
            }
        }
        out.inputs = flat_.inputs;
        for (circuit::InputPort& port : out.inputs) {
            for (SignalId& signal : port.signals) signal = renamed_[signal];
        }
        out.registers = flat_.registers;
        for (circuit::Register& item : out.registers) {
            item.output = renamed_[item.output];
            item.next = renamed(item.next);
        }
        out.outputs = flat_.outputs;
        for (circuit::OutputPort& port : out.outputs) {
            for (Literal& bit : port.bits) bit = output_bit(bit, gate_of[bit.signal()]);
        }
        return std::move(result_);
    }

 private:
    static constexpr std::uint32_t no_gate = 0xFFFFFFFFU;

    [[nodiscard]] Literal renamed(Literal literal) const {
        return {renamed_[literal.signal()], literal.negated()};
    }

    [[nodiscard]] double variance_of(std::span<const Operand> term) const {
        double sum = 0;
        for (const Operand& operand : term) sum += square(operand.weight) * variance_[operand.index];
        return sum;
    }

    /// `term` (of old signals) with as many refreshed operands as it needs; in new signals.
    std::vector<Operand> quieted(std::span<const Operand> term, int offset) {
        const int margin = circuit::margin_eighths(term, offset);
        double variance = variance_of(term);
        std::vector<Operand> out(term.begin(), term.end());
        for (Operand& operand : out) operand.index = renamed_[operand.index];
        std::vector<bool> done(term.size(), false);
        while (model_.gate_failure_log2(variance, margin) > target_log2_) {
            std::size_t best = term.size();
            double best_gain = 0;
            for (std::size_t i = 0; i < term.size(); ++i) {
                const double gain = square(term[i].weight) * (variance_[term[i].index] - 1);
                if (!done[i] && gain > best_gain) {
                    best_gain = gain;
                    best = i;
                }
            }
            if (best == term.size()) break;  // nothing left that a refresh would help
            done[best] = true;
            variance -= best_gain;
            out[best].index = refreshed(term[best].index);
        }
        return out;
    }

    SignalId refreshed(SignalId signal) {
        const auto [found, fresh] = refreshed_.try_emplace(signal, 0);
        if (fresh) {
            const Operand operand{renamed_[signal], 1};
            found->second = add_gate({.form = GateForm::bootstrap}, std::span(&operand, 1), {});
            ++result_.refreshes;
        }
        return found->second;
    }

    SignalId add_gate(GateRecord gate, std::span<const Operand> term_a, std::span<const Operand> term_b) {
        Circuit& out = result_.circuit;
        gate.output = out.signal_count++;
        gate.first_operand = static_cast<std::uint32_t>(out.operands.size());
        gate.operands_a = static_cast<std::uint16_t>(term_a.size());
        gate.operands_b = static_cast<std::uint16_t>(term_b.size());
        out.operands.insert(out.operands.end(), term_a.begin(), term_a.end());
        out.operands.insert(out.operands.end(), term_b.begin(), term_b.end());
        out.gates.push_back(gate);
        return gate.output;
    }

    void copy_gate(const GateRecord& gate) {
        const auto term_a = gate.term_a(flat_.operands);
        const auto term_b = gate.term_b(flat_.operands);
        std::vector<Operand> a(term_a.begin(), term_a.end());
        std::vector<Operand> b(term_b.begin(), term_b.end());
        if (gate.form == GateForm::linear) {
            for (Operand& operand : a) operand.index = renamed_[operand.index];
        } else {
            a = quieted(term_a, gate.offset_a);
            if (gate.form == GateForm::pair) b = quieted(term_b, gate.offset_b);
        }
        renamed_[gate.output] = add_gate(gate, a, b);
    }

    Literal output_bit(Literal bit, std::uint32_t gate) {
        const double variance = variance_[bit.signal()];
        const bool quiet = variance <= 1 || model_.output_failure_log2(variance) <= target_log2_;
        if (quiet) return renamed(bit);
        if (gate == no_gate || flat_.gates[gate].form != GateForm::linear)
            return {refreshed(bit.signal()), bit.negated()};
        // A form is read by nobody in a flat circuit: its copy bootstraps the form's own sum.
        const auto [found, fresh] = refreshed_.try_emplace(bit.signal(), 0);
        if (fresh) {
            const GateRecord& form = flat_.gates[gate];
            found->second = add_gate({.offset_a = form.offset_a, .form = GateForm::bootstrap},
                                     quieted(form.term_a(flat_.operands), form.offset_a), {});
            ++result_.refreshes;
        }
        return {found->second, bit.negated()};
    }

    const Circuit& flat_;
    const scheme::NoiseModel& model_;
    double target_log2_;
    std::vector<double> variance_;   // by old signal
    std::vector<SignalId> renamed_;  // by old signal
    std::unordered_map<SignalId, SignalId> refreshed_;
    RefreshedCircuit result_;
};

}  // namespace

RefreshedCircuit refresh_noisy_wires(const Circuit& circuit, const scheme::NoiseModel& model,
                                     double input_variance, double target_log2) {
    Circuit flat = circuit::flatten_forms(circuit);
    std::vector<double> variance;
    try {
        variance = circuit::noise_profile(flat, input_variance).signal_variance;
    } catch (const Error& error) {
        // Registers whose noise grows for ever: a few cycles of them may still be fine, which noise_report
        // finds out.
        if (error.kind() != ErrorKind::noise) throw;
        return {std::move(flat), 0};
    }
    return Refresher(flat, model, std::move(variance), target_log2).run();
}

}  // namespace toroid::runtime
