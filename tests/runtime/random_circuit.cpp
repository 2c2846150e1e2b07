// SPDX-License-Identifier: Apache-2.0
#include "runtime/random_circuit.hpp"

#include <array>
#include <string>

#include "circuit/circuit_builder.hpp"

namespace toroid::tests {

using circuit::CircuitBuilder;
using circuit::Literal;
using circuit::WeightedLiteral;

circuit::Circuit random_circuit(std::mt19937_64& random, std::uint32_t inputs, std::uint32_t registers,
                                std::uint32_t gates) {
    CircuitBuilder builder("random");
    std::vector<Literal> wires = builder.add_input("a", inputs / 2 + 1);
    for (const Literal wire : builder.add_input("b", inputs - inputs / 2)) wires.push_back(wire);
    std::vector<Literal> states;
    for (std::uint32_t r = 0; r < registers; ++r) {
        states.push_back(builder.add_register("r" + std::to_string(r), random() % 2 != 0));
        wires.push_back(states.back());
    }
    const auto any = [&] {
        // Recent wires more often, so that the circuit becomes deep as well as wide.
        const std::size_t span = random() % 2 == 0 ? std::min<std::size_t>(wires.size(), 12) : wires.size();
        const Literal wire = wires[wires.size() - 1 - random() % span];
        return random() % 2 == 0 ? wire : !wire;
    };
    for (std::uint32_t g = 0; g < gates; ++g) {
        switch (random() % 6) {
            case 0:
                wires.push_back(builder.and_gate(any(), any()));
                break;
            case 1:
                wires.push_back(builder.or_gate(any(), any()));
                break;
            case 2:
                wires.push_back(builder.xor_gate(any(), any()));
                break;
            case 3:
                wires.push_back(builder.mux(any(), any(), any()));
                break;
            case 4:
                wires.push_back(builder.majority(any(), any(), any()));
                break;
            default: {
                // a + b + c - 2 MAJ3(a, b, c), the sum bit as a form
                const std::array<Literal, 3> abc{any(), any(), any()};
                const Literal carry = builder.majority(abc[0], abc[1], abc[2]);
                const std::array<WeightedLiteral, 4> sum{
                    WeightedLiteral{abc[0], 1}, WeightedLiteral{abc[1], 1}, WeightedLiteral{abc[2], 1},
                    WeightedLiteral{carry, -2}};
                wires.push_back(builder.linear_form(sum, 0));
                break;
            }
        }
    }
    for (const Literal state : states) builder.set_next(state, any());
    const Literal twice = any();
    builder.add_output("x", {any(), any(), any(), twice}, true);
    builder.add_output("y",
                       {twice, !twice, Literal::constant(true), Literal::constant(false), wires.front()});
    return builder.finish();
}

}  // namespace toroid::tests
