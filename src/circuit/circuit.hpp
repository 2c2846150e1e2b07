// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/gate_record.hpp"

namespace toroid::circuit {

/// A wire of the circuit. Signal 0 is the constant 0; inputs, register outputs and gates share one numbering
/// in the order they were made, so that a gate reads only signals of smaller id.
using SignalId = std::uint32_t;
inline constexpr SignalId constant_signal = 0;

/// A signal or its negation: NOT is free. Literal 0 is constant 0, literal 1 constant 1.
class Literal {
 public:
    constexpr Literal() = default;
    constexpr Literal(SignalId signal, bool negated)
        : code_(signal << 1 | static_cast<std::uint32_t>(negated)) {}
    [[nodiscard]] static constexpr Literal constant(bool bit) { return {constant_signal, bit}; }
    [[nodiscard]] constexpr SignalId signal() const { return code_ >> 1; }
    [[nodiscard]] constexpr bool negated() const { return (code_ & 1) != 0; }
    [[nodiscard]] constexpr bool is_constant() const { return signal() == constant_signal; }
    [[nodiscard]] constexpr std::uint32_t code() const { return code_; }
    [[nodiscard]] constexpr Literal operator!() const { return {signal(), !negated()}; }
    friend constexpr bool operator==(Literal, Literal) = default;

 private:
    std::uint32_t code_ = 0;
};

/// A named, typed input: bit i is signals[i], bit 0 least significant.
struct InputPort {
    std::string name;
    bool is_signed = false;
    std::vector<SignalId> signals;
};

struct OutputPort {
    std::string name;
    bool is_signed = false;
    std::vector<Literal> bits;
};

/// One bit of state: reads as `init` in cycle 0 and takes the value of `next` at the end of each cycle.
struct Register {
    std::string name;
    bool init = false;
    SignalId output = 0;
    Literal next;
};

/// The gate-record netlist: what the compiler makes and the runtime runs. Immutable once built
/// (see CircuitBuilder). Gates are in topological order; operand indices and outputs are signal ids.
/// A gate of form `linear` is a wire without a bootstrap of its own; its phase is +-1/8 by construction.
struct Circuit {
    std::string name;
    std::uint32_t signal_count = 1;
    std::vector<InputPort> inputs;
    std::vector<OutputPort> outputs;
    std::vector<Register> registers;
    std::vector<base::GateRecord> gates;
    std::vector<base::Operand> operands;

    [[nodiscard]] bool is_sequential() const noexcept { return !registers.empty(); }
    [[nodiscard]] std::uint64_t bootstraps() const noexcept;
};

}  // namespace toroid::circuit
