// SPDX-License-Identifier: Apache-2.0
#include "runtime/noise_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "circuit/statistics.hpp"
#include "runtime/wire_noise.hpp"
#include "toroid/error.hpp"

namespace toroid::runtime {
namespace {

using base::GateForm;
using base::GateRecord;
using base::Operand;
using circuit::Circuit;
using circuit::Literal;
using circuit::SignalId;

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
/// Terms of register noise handled before a circuit is given up as one whose registers gather noise for ever.
constexpr std::uint64_t largest_work = 200'000'000;
/// A register of this variance (in units) gives wrong bits under any set, so following it further tells
/// nothing.
constexpr double hopeless_variance = 1e4;

/// A sum of probabilities far below the range of double, as log2.
class ProbabilitySum {
 public:
    void add(double log2, double count) {
        if (log2 == minus_infinity || count == 0) return;
        const double term = log2 + std::log2(count);
        const double high = std::max(sum_, term);
        const double low = std::min(sum_, term);
        sum_ = low == minus_infinity ? high : high + std::log2(1 + std::exp2(low - high));
    }
    [[nodiscard]] double log2() const { return std::min(sum_, 0.0); }

 private:
    double sum_ = minus_infinity;
};

class Follower {
 public:
    Follower(const Circuit& circuit, const scheme::NoiseModel& model, const std::vector<InputNoise>& inputs,
             std::uint32_t cycles)
        : circuit_(circuit),
          model_(model),
          cycles_(cycles),
          kinds_(circuit.signal_count, Kind::constant),
          variance_(circuit.signal_count, 0.0),
          held_(circuit.signal_count, false),
          maker_(circuit.signal_count, 0),
          state_(circuit.registers.size()) {
        if (inputs.size() != circuit.inputs.size()) {
            throw Error(ErrorKind::internal, fmt::format("noise of {} inputs for a circuit with {}",
                                                         inputs.size(), circuit.inputs.size()));
        }
        for (std::size_t p = 0; p < inputs.size(); ++p) {
            for (const SignalId signal : circuit.inputs[p].signals) {
                kinds_[signal] = inputs[p].variance == 0 ? Kind::constant : Kind::source;
                variance_[signal] = inputs[p].variance;
                held_[signal] = inputs[p].held;
            }
        }
        for (std::uint32_t r = 0; r < circuit.registers.size(); ++r) {
            kinds_[circuit.registers[r].output] = Kind::state;
            maker_[circuit.registers[r].output] = r;
        }
        for (std::uint32_t g = 0; g < circuit.gates.size(); ++g) {
            const GateRecord& gate = circuit.gates[g];
            kinds_[gate.output] = gate.form == GateForm::linear ? Kind::form : Kind::source;
            variance_[gate.output] = gate.bootstraps();
            maker_[gate.output] = g;
        }
        split_gates();
        for (const circuit::OutputPort& port : circuit.outputs) outputs_ += port.bits.size();
        report_.output_variance.assign(outputs_, 0.0);
        report_.worst_gate_log2 = minus_infinity;
        report_.worst_output_log2 = minus_infinity;
    }

    NoiseReport follow() {
        for (const std::uint32_t g : steady_) visit_gate(g, cycles_);
        for (std::uint32_t cycle = 0; cycle < cycles_; ++cycle) {
            const bool settled = advance();
            // A settled cycle is like all that follow.
            const double times = settled ? cycles_ - cycle : 1;
            for (const std::uint32_t g : changing_) visit_gate(g, times);
            visit_outputs(times);
            if (settled) break;
            state_ = std::move(next_state_);
        }
        for (const auto& [key, count] : bootstraps_) {
            total_.add(model_.gate_failure_log2(key.first, key.second), count);
        }
        report_.circuit_log2 = total_.log2();
        return std::move(report_);
    }

 private:
    enum class Kind : std::uint8_t { constant, source, state, form };

    /// Gates that read registers may see other noise in each cycle; the rest are visited once.
    void split_gates() {
        for (std::uint32_t g = 0; g < circuit_.gates.size(); ++g) {
            const GateRecord& gate = circuit_.gates[g];
            if (gate.form == GateForm::linear) continue;
            const auto operands =
                std::span(circuit_.operands)
                    .subspan(gate.first_operand, std::size_t{gate.operands_a} + gate.operands_b);
            const bool changes = std::ranges::any_of(operands, [&](const Operand& operand) {
                return kinds_[operand.index] == Kind::state || kinds_[operand.index] == Kind::form;
            });
            (changes ? changing_ : steady_).push_back(g);
        }
    }

    void add_signal(WireNoise& sum, SignalId signal, double weight) {
        switch (kinds_[signal]) {
            case Kind::constant:
                return;
            case Kind::source:
                sum.add(WireNoise(WireNoise::source(signal, held_[signal] ? WireNoise::ageless : 0), 1),
                        weight);
                return;
            case Kind::state:
                sum.add(state_[maker_[signal]], weight);
                work_ += state_[maker_[signal]].terms().size();
                return;
            case Kind::form:
                // flatten_forms leaves no form that reads a form, so this goes one step deep.
                for (const Operand& operand : circuit_.gates[maker_[signal]].term_a(circuit_.operands)) {
                    if (kinds_[operand.index] == Kind::form) {
                        throw Error(ErrorKind::internal, fmt::format("signal {} reads a form", signal));
                    }
                    add_signal(sum, operand.index, weight * operand.weight);
                }
                return;
        }
    }

    WireNoise noise_of(std::span<const Operand> term) {
        WireNoise sum;
        for (const Operand& operand : term) add_signal(sum, operand.index, operand.weight);
        sum.normalise();
        return sum;
    }

    double variance_of(const WireNoise& noise) const {
        double sum = 0;
        for (const auto& [source, weight] : noise.terms()) {
            sum += weight * weight * variance_[WireNoise::signal(source)];
        }
        return sum;
    }

    /// Registers' noise after this cycle; true if it is what it was before.
    bool advance() {
        bool hopeless = false;
        next_state_.assign(circuit_.registers.size(), {});
        for (std::size_t r = 0; r < circuit_.registers.size(); ++r) {
            const Literal next = circuit_.registers[r].next;
            add_signal(next_state_[r], next.signal(), next.negated() ? -1 : 1);
            next_state_[r].normalise();
            next_state_[r].grow_older();
            work_ += next_state_[r].terms().size();
            hopeless = hopeless || variance_of(next_state_[r]) > hopeless_variance;
        }
        if (hopeless || work_ > largest_work) {
            throw Error(
                ErrorKind::noise,
                "the noise of the circuit's registers grows from cycle to cycle without end: some register "
                "keeps a sum that is never bootstrapped; run fewer cycles or bootstrap it");
        }
        return next_state_ == state_;
    }

    void visit_gate(std::uint32_t g, double times) {
        const GateRecord& gate = circuit_.gates[g];
        visit_term(g, gate.term_a(circuit_.operands), gate.offset_a, times);
        if (gate.form == GateForm::pair) visit_term(g, gate.term_b(circuit_.operands), gate.offset_b, times);
    }

    void visit_term(std::uint32_t g, std::span<const Operand> term, int offset, double times) {
        const int margin = circuit::margin_eighths(term, offset);
        const double variance = variance_of(noise_of(term));
        bootstraps_[{variance, margin}] += times;
        const double weight_norm = variance / (margin * margin);
        report_.largest_weight_norm = std::max(report_.largest_weight_norm, weight_norm);
        const double log2 = failure(variance, margin);
        if (log2 > report_.worst_gate_log2 || report_.worst_gate.empty()) {
            report_.worst_gate_log2 = log2;
            report_.worst_gate =
                fmt::format("gate {} ({}, weight norm W={:.6g})", g,
                            circuit::gate_kind(circuit_.gates[g], circuit_.operands), weight_norm);
        }
    }

    double failure(double variance, int margin) {
        const auto [found, fresh] = failures_.try_emplace({variance, margin}, 0.0);
        if (fresh) found->second = model_.gate_failure_log2(variance, margin);
        return found->second;
    }

    void visit_outputs(double times) {
        std::vector<WireNoise> noise;
        noise.reserve(outputs_);
        std::unordered_map<WireNoise::Source, double> weight_on;  // sum of |weight| over all output bits
        for (const circuit::OutputPort& port : circuit_.outputs) {
            for (const Literal bit : port.bits) {
                WireNoise& wire = noise.emplace_back();
                add_signal(wire, bit.signal(), bit.negated() ? -1 : 1);
                wire.normalise();
                for (const auto& [source, weight] : wire.terms()) weight_on[source] += std::abs(weight);
            }
        }
        std::size_t number = 0;
        for (const circuit::OutputPort& port : circuit_.outputs) {
            for (std::size_t b = 0; b < port.bits.size(); ++b, ++number) {
                visit_output(port.name, b, noise[number], times);
                double bound = 0;
                for (const auto& [source, weight] : noise[number].terms()) {
                    bound += std::abs(weight) * variance_[WireNoise::signal(source)] * weight_on[source];
                }
                report_.output_variance[number] = std::max(report_.output_variance[number], bound);
            }
        }
    }

    void visit_output(const std::string& port, std::size_t bit, const WireNoise& noise, double times) {
        const double variance = variance_of(noise);
        if (variance == 0) return;  // a clear value: nothing can go wrong
        const double log2 = model_.output_failure_log2(variance);
        total_.add(log2, times);
        report_.largest_output_variance = std::max(report_.largest_output_variance, variance);
        if (log2 > report_.worst_output_log2) {
            report_.worst_output_log2 = log2;
            report_.worst_output = fmt::format("output {}[{}] (variance {:.6g})", port, bit, variance);
        }
    }

    const Circuit& circuit_;
    const scheme::NoiseModel& model_;
    std::uint32_t cycles_;
    std::vector<Kind> kinds_;
    std::vector<double> variance_;  // of sources, in units
    std::vector<bool> held_;
    std::vector<std::uint32_t> maker_;
    std::vector<WireNoise> state_;
    std::vector<WireNoise> next_state_;
    std::vector<std::uint32_t> steady_;
    std::vector<std::uint32_t> changing_;
    std::size_t outputs_ = 0;
    std::uint64_t work_ = 0;
    std::map<std::pair<double, int>, double> bootstraps_;
    std::map<std::pair<double, int>, double> failures_;
    ProbabilitySum total_;
    NoiseReport report_;
};

[[noreturn]] void refuse(const std::string& what, double log2, double target, const std::string& parameters) {
    throw Error(
        ErrorKind::noise,
        fmt::format("{} fails with probability 2^{:.1f} under parameter set {}, above the target 2^{:g}; "
                    "take a wider set or a higher target",
                    what, log2, parameters, target));
}

}  // namespace

NoiseReport noise_report(const Circuit& circuit, const scheme::NoiseModel& model,
                         const std::vector<InputNoise>& inputs, std::uint32_t cycles) {
    const Circuit flat = circuit::flatten_forms(circuit);
    return Follower(flat, model, inputs, cycles).follow();
}

void check_noise(const NoiseReport& report, double target_log2, const std::string& parameters) {
    if (report.worst_gate_log2 > target_log2) {
        refuse(report.worst_gate, report.worst_gate_log2, target_log2, parameters);
    }
    if (report.worst_output_log2 > target_log2) {
        refuse(report.worst_output, report.worst_output_log2, target_log2, parameters);
    }
}

}  // namespace toroid::runtime
