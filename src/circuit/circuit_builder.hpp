// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"

namespace toroid::circuit {

struct WeightedLiteral {
    Literal literal;
    int weight = 0;
};

/// Builds a Circuit. Every gate function simplifies as it goes: constants fold, equal operands merge, a gate
/// that has become a wire or a constant costs nothing, and equal gates are made once. What no gate can
/// express with one bootstrap (general tables) is composed from what can.
class CircuitBuilder {
 public:
    explicit CircuitBuilder(std::string name);
    ~CircuitBuilder();
    CircuitBuilder(CircuitBuilder&&) noexcept;
    CircuitBuilder& operator=(CircuitBuilder&&) noexcept;

    /// Error(circuit) on a name already taken or a width of 0.
    std::vector<Literal> add_input(const std::string& name, std::uint32_t width, bool is_signed = false);
    void add_output(const std::string& name, std::vector<Literal> bits, bool is_signed = false);
    /// The register's output; its next value is given later, since it may depend on it.
    Literal add_register(const std::string& name, bool init);
    void set_next(Literal register_output, Literal next);

    Literal and_gate(Literal a, Literal b);
    Literal or_gate(Literal a, Literal b);
    Literal xor_gate(Literal a, Literal b);
    /// select ? if_true : if_false; two bootstraps unless it simplifies.
    Literal mux(Literal select, Literal if_true, Literal if_false);
    Literal majority(Literal a, Literal b, Literal c);
    /// Balanced tree of XOR3 and XOR2, weight norm 3; a wider XOR in one bootstrap is e2_gate({}, inputs).
    Literal xor_of(std::span<const Literal> inputs);
    Literal and_of(std::span<const Literal> inputs);  ///< balanced tree
    Literal or_of(std::span<const Literal> inputs);
    /// E2(light) xor parity(heavy): one bootstrap (design: the one-bootstrap gate family). E2 is the xor of
    /// all pairwise ANDs.
    Literal e2_gate(std::span<const Literal> light, std::span<const Literal> heavy);
    /// Any function of up to 16 inputs by its table (bit i of the table = value at input index i, inputs[0]
    /// least significant).
    Literal table(std::span<const Literal> inputs, std::span<const std::uint64_t> bits);

    /// sign_bootstrap(sum weight x + offset/8). Error(circuit) if some input makes the phase exactly 0 or
    /// 1/2.
    Literal affine(std::span<const WeightedLiteral> operands, int offset_eighths);
    /// A wire without bootstrap; the caller knows that its phase is always +-1/8 (simulation checks it).
    Literal linear_form(std::span<const WeightedLiteral> operands, int offset_eighths);

    /// The finished circuit, gates that reach no output or register removed. Error(circuit) if a register has
    /// no next value. The builder is empty afterwards. `numbers` becomes what each signal is called in the
    /// circuit, by the signal of the builder's literals; 0 for gates removed.
    [[nodiscard]] Circuit finish(std::vector<SignalId>* numbers = nullptr);

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace toroid::circuit
