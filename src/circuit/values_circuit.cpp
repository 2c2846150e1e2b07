// SPDX-License-Identifier: Apache-2.0
// Values meet the circuit: fixing inputs to constants, and plaintext simulation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "circuit/circuit_builder.hpp"
#include "circuit/interface.hpp"
#include "circuit/simulator.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

void check_names(const Circuit& circuit, const Values& values) {
    for (const auto& [name, steps] : values) {
        const bool known =
            std::any_of(circuit.inputs.begin(), circuit.inputs.end(),
                        [&, &wanted = name](const InputPort& port) { return port.name == wanted; });
        if (!known) throw Error(ErrorKind::value, fmt::format("the circuit has no input '{}'", name));
    }
}

void check_width(const InputPort& port, const base::BitVector& bits) {
    if (bits.size() != port.signals.size()) {
        throw Error(ErrorKind::value, fmt::format("input '{}': a value of {} bits for a width of {}",
                                                  port.name, bits.size(), port.signals.size()));
    }
}

/// Copies a circuit gate by gate through a builder, which folds what the constants decide.
class Rebuilder {
 public:
    explicit Rebuilder(const Circuit& circuit)
        : circuit_(circuit),
          builder_(circuit.name),
          literals_(circuit.signal_count, Literal::constant(false)) {}

    [[nodiscard]] Circuit rebuild(const Values& constants) {
        for (const InputPort& port : circuit_.inputs) copy_input(port, constants);
        for (const Register& state : circuit_.registers) {
            literals_[state.output] = builder_.add_register(state.name, state.init);
        }
        for (const base::GateRecord& gate : circuit_.gates) literals_[gate.output] = copy_gate(gate);
        for (const Register& state : circuit_.registers) {
            builder_.set_next(literals_[state.output], map(state.next));
        }
        for (const OutputPort& port : circuit_.outputs) {
            std::vector<Literal> bits;
            for (const Literal bit : port.bits) bits.push_back(map(bit));
            builder_.add_output(port.name, std::move(bits), port.is_signed);
        }
        return builder_.finish();
    }

 private:
    [[nodiscard]] Literal map(Literal literal) const {
        const Literal mapped = literals_[literal.signal()];
        return literal.negated() ? !mapped : mapped;
    }

    void copy_input(const InputPort& port, const Values& constants) {
        const auto found = constants.find(port.name);
        if (found != constants.end()) {
            if (found->second.size() != 1) {
                throw Error(ErrorKind::value,
                            fmt::format("input '{}': {} values; an input fixed to a constant takes one",
                                        port.name, found->second.size()));
            }
            const base::BitVector& bits = found->second.front();
            check_width(port, bits);
            for (std::size_t i = 0; i < bits.size(); ++i)
                literals_[port.signals[i]] = Literal::constant(bits[i]);
            return;
        }
        const std::vector<Literal> made =
            builder_.add_input(port.name, static_cast<std::uint32_t>(port.signals.size()), port.is_signed);
        for (std::size_t i = 0; i < made.size(); ++i) literals_[port.signals[i]] = made[i];
    }

    [[nodiscard]] std::vector<WeightedLiteral> map_term(std::span<const base::Operand> term) const {
        std::vector<WeightedLiteral> result;
        result.reserve(term.size());
        for (const base::Operand& operand : term)
            result.push_back({literals_[operand.index], operand.weight});
        return result;
    }

    [[nodiscard]] Literal copy_gate(const base::GateRecord& gate) {
        const std::span<const base::Operand> term_a = gate.term_a(circuit_.operands);
        const std::span<const base::Operand> term_b = gate.term_b(circuit_.operands);
        switch (gate.form) {
            case base::GateForm::linear:
                return builder_.linear_form(map_term(term_a), gate.offset_a);
            case base::GateForm::bootstrap:
                return builder_.affine(map_term(term_a), gate.offset_a);
            case base::GateForm::pair:
                break;
        }
        if (const auto copy = copy_multiplexer(gate, term_a, term_b)) return *copy;
        // Any other pair is the sum of its two bootstraps, at the same cost and noise.
        const WeightedLiteral first{builder_.affine(map_term(term_a), gate.offset_a), 1};
        const WeightedLiteral second{builder_.affine(map_term(term_b), gate.offset_b), 1};
        const std::array<WeightedLiteral, 2> sum{first, second};
        return builder_.linear_form(sum, gate.post_offset);
    }

    // (s AND t) + (NOT s AND f) + 1/8, or the negation of all of it. AND is sign(x + y - 1/8).
    [[nodiscard]] std::optional<Literal> copy_multiplexer(const base::GateRecord& gate,
                                                          std::span<const base::Operand> term_a,
                                                          std::span<const base::Operand> term_b) {
        const auto offsets_are = [&](int a, int b, int post) {
            return (gate.offset_a - a) % 8 == 0 && (gate.offset_b - b) % 8 == 0 &&
                   (gate.post_offset - post) % 8 == 0;
        };
        const bool is_mux = offsets_are(-1, -1, 1);
        const bool is_negated = offsets_are(1, 1, -1);
        if ((!is_mux && !is_negated) || term_a.size() != 2 || term_b.size() != 2) return std::nullopt;
        for (const auto& term : {term_a, term_b}) {
            for (const base::Operand& operand : term) {
                if (operand.weight != 1 && operand.weight != -1) return std::nullopt;
            }
        }
        const auto literal = [&](const base::Operand& operand) {
            const bool negated = (operand.weight < 0) != is_negated;
            const Literal mapped = literals_[operand.index];
            return negated ? !mapped : mapped;
        };
        for (std::size_t a = 0; a < 2; ++a) {
            for (std::size_t b = 0; b < 2; ++b) {
                const bool same_signal = term_a[a].index == term_b[b].index;
                if (!same_signal || term_a[a].weight != -term_b[b].weight) continue;
                const Literal result =
                    builder_.mux(literal(term_a[a]), literal(term_a[1 - a]), literal(term_b[1 - b]));
                return is_negated ? !result : result;
            }
        }
        return std::nullopt;
    }

    const Circuit& circuit_;
    CircuitBuilder builder_;
    std::vector<Literal> literals_;  // by signal of the old circuit
};

}  // namespace

Circuit bind_inputs(const Circuit& circuit, const Values& values) {
    check_names(circuit, values);
    return Rebuilder(circuit).rebuild(values);
}

Values simulate(const Circuit& circuit, const Values& inputs, std::uint32_t cycles) {
    if (cycles == 0) throw Error(ErrorKind::value, "a simulation needs at least one cycle");
    check_names(circuit, inputs);
    std::vector<const std::vector<base::BitVector>*> steps_by_port;
    for (const InputPort& port : circuit.inputs) {
        const auto found = inputs.find(port.name);
        if (found == inputs.end())
            throw Error(ErrorKind::value, fmt::format("no value for input '{}'", port.name));
        const std::vector<base::BitVector>& steps = found->second;
        if (steps.size() != 1 && steps.size() != cycles) {
            throw Error(ErrorKind::value,
                        fmt::format("input '{}': {} values for {} cycles; give one, or one a cycle",
                                    port.name, steps.size(), cycles));
        }
        for (const base::BitVector& bits : steps) check_width(port, bits);
        steps_by_port.push_back(&steps);
    }

    Values results;
    Simulator simulator(circuit);
    std::vector<std::uint64_t> words;
    for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
        words.clear();
        for (const auto* steps : steps_by_port) {
            const base::BitVector& bits = (*steps)[steps->size() == 1 ? 0 : cycle];
            for (const bool bit : bits) words.push_back(bit ? ~std::uint64_t{0} : 0);
        }
        const std::vector<std::uint64_t> outputs = simulator.step(words);
        std::size_t next = 0;
        for (const OutputPort& port : circuit.outputs) {
            base::BitVector bits;
            for (std::size_t i = 0; i < port.bits.size(); ++i) bits.push_back((outputs.at(next++) & 1) != 0);
            results[port.name].push_back(std::move(bits));
        }
    }
    return results;
}

}  // namespace toroid::circuit
