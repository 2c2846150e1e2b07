// SPDX-License-Identifier: Apache-2.0
#include "circuit/simulator.hpp"

#include <fmt/format.h>

#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

/// A phase of 64 vectors: constant + 2 S modulo 8, where S = high * 2 + low modulo 4. With x = 2 bit - 1, a
/// weight w adds w bit to S and -w to the constant.
struct Phase {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint32_t constant = 0;

    void add(std::uint64_t bits, std::int32_t weight) {
        const auto w = static_cast<std::uint32_t>(weight);
        constant -= w;
        if ((w & 1) != 0) {
            high ^= low & bits;
            low ^= bits;
        }
        if ((w & 2) != 0) high ^= bits;
    }

    /// Writes which vectors have a phase of 1, 2 or 3; returns those whose phase is 0 or 4.
    std::uint64_t sign(std::uint64_t& bits) const {
        switch (constant & 7) {
            case 0:
                bits = ~high;
                return ~low;
            case 1:
                bits = ~high;
                return 0;
            case 2:
                bits = ~high;
                return low;
            case 3:
                bits = ~(high ^ low);
                return 0;
            case 4:
                bits = high;
                return ~low;
            case 5:
                bits = high;
                return 0;
            case 6:
                bits = high;
                return low;
            default:
                bits = high ^ low;
                return 0;
        }
    }

    /// Writes which vectors have phase 1; returns those whose phase is neither 1 nor -1.
    std::uint64_t exact(std::uint64_t& bits) {
        if ((constant & 1) == 0) return ~std::uint64_t{0};
        // S' = (phase - 1) / 2 modulo 4: 0 is phase 1, 3 is phase -1.
        const std::uint32_t shift = (constant & 7) >> 1;
        if ((shift & 1) != 0) {
            high ^= low;
            low = ~low;
        }
        if ((shift & 2) != 0) high = ~high;
        bits = ~high;
        return high ^ low;
    }
};

}  // namespace

Simulator::Simulator(const Circuit& circuit)
    : circuit_(circuit), low_(circuit.signal_count), state_(circuit.registers.size()) {
    reset();
}

void Simulator::reset() {
    for (std::size_t i = 0; i < state_.size(); ++i) {
        state_[i] = circuit_.registers[i].init ? ~std::uint64_t{0} : 0;
    }
}

std::vector<std::uint64_t> Simulator::step(std::span<const std::uint64_t> inputs) {
    std::size_t next_input = 0;
    for (const InputPort& port : circuit_.inputs) {
        for (const SignalId signal : port.signals) {
            if (next_input == inputs.size()) throw Error(ErrorKind::value, "simulation: too few input words");
            low_[signal] = inputs[next_input++];
        }
    }
    if (next_input != inputs.size()) {
        throw Error(ErrorKind::value,
                    fmt::format("simulation: {} input words for {} input bits", inputs.size(), next_input));
    }
    for (std::size_t i = 0; i < state_.size(); ++i) low_[circuit_.registers[i].output] = state_[i];

    const std::span<const base::Operand> operands(circuit_.operands);
    for (const base::GateRecord& gate : circuit_.gates) {
        Phase a;
        a.constant = static_cast<std::uint32_t>(gate.offset_a);
        for (const base::Operand& operand : gate.term_a(operands)) a.add(low_[operand.index], operand.weight);
        std::uint64_t bits = 0;
        std::uint64_t bad = 0;
        if (gate.form == base::GateForm::linear) {
            bad = a.exact(bits);
        } else {
            bad = a.sign(bits);
        }
        if (gate.form == base::GateForm::pair) {
            Phase b;
            b.constant = static_cast<std::uint32_t>(gate.offset_b);
            for (const base::Operand& operand : gate.term_b(operands))
                b.add(low_[operand.index], operand.weight);
            std::uint64_t other = 0;
            bad |= b.sign(other);
            Phase sum;
            sum.constant = static_cast<std::uint32_t>(gate.post_offset);
            sum.add(bits, 1);
            sum.add(other, 1);
            bad |= sum.exact(bits);
        }
        if (bad != 0) {
            throw Error(
                ErrorKind::circuit,
                fmt::format("circuit {}: signal {}: {}", circuit_.name, gate.output,
                            gate.form == base::GateForm::linear ? "the linear form's phase is not +-1/8"
                            : gate.form == base::GateForm::pair
                                ? "a phase of the pair is 0 or 1/2, or their sum is not +-1/8"
                                : "the gate's phase is 0 or 1/2"));
        }
        low_[gate.output] = bits;
    }

    const auto value = [&](Literal literal) {
        return literal.negated() ? ~low_[literal.signal()] : low_[literal.signal()];
    };
    std::vector<std::uint64_t> out;
    for (const OutputPort& port : circuit_.outputs) {
        for (const Literal bit : port.bits) out.push_back(value(bit));
    }
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = value(circuit_.registers[i].next);
    return out;
}

}  // namespace toroid::circuit
