// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "circuit/circuit_builder.hpp"

namespace toroid::tests {

/// A circuit of random gates of every kind over a few inputs and registers.
inline circuit::Circuit random_circuit(std::uint64_t seed, std::uint32_t inputs, std::uint32_t gates,
                                       std::uint32_t registers) {
    std::mt19937_64 random(seed);
    circuit::CircuitBuilder builder("random");
    std::vector<circuit::Literal> wires = builder.add_input("a", inputs);
    std::vector<circuit::Literal> states;
    for (std::uint32_t i = 0; i < registers; ++i) {
        states.push_back(builder.add_register("r" + std::to_string(i), random() % 2 != 0));
        wires.push_back(states.back());
    }
    const auto pick = [&] {
        const circuit::Literal wire = wires[random() % wires.size()];
        return random() % 2 != 0 ? !wire : wire;
    };
    const auto list = [&](std::uint64_t least, std::uint64_t most) {
        std::vector<circuit::Literal> out(least + random() % (most - least + 1));
        for (circuit::Literal& wire : out) wire = pick();
        return out;
    };
    for (std::uint32_t i = 0; i < gates; ++i) {
        // No forms beside registers: noise that goes round without a bootstrap grows for ever.
        switch (random() % (registers == 0 ? 8 : 7)) {
            case 0:
                wires.push_back(builder.and_gate(pick(), pick()));
                break;
            case 1:
                wires.push_back(builder.or_gate(pick(), pick()));
                break;
            case 2:
                wires.push_back(builder.xor_gate(pick(), pick()));
                break;
            case 3:
                wires.push_back(builder.mux(pick(), pick(), pick()));
                break;
            case 4:
                wires.push_back(builder.majority(pick(), pick(), pick()));
                break;
            case 5:
                wires.push_back(builder.xor_of(list(3, 6)));
                break;
            case 6:
                wires.push_back(builder.e2_gate(list(2, 5), list(0, 3)));
                break;
            default: {
                // a + b - 2 AND(a, b) - 1/8 = a xor b without a bootstrap
                const circuit::Literal a = pick();
                const circuit::Literal b = pick();
                const circuit::Literal both = builder.and_gate(a, b);
                const std::vector<circuit::WeightedLiteral> sum{{a, 1}, {b, 1}, {both, -2}};
                if (a.signal() != b.signal() && !a.is_constant() && !b.is_constant())
                    wires.push_back(builder.linear_form(sum, -1));
                break;
            }
        }
    }
    std::vector<circuit::Literal> outputs;
    for (std::uint32_t i = 0; i < 6; ++i) outputs.push_back(wires[wires.size() - 1 - random() % (gates / 2)]);
    outputs.push_back(wires.back());
    builder.add_output("y", outputs);
    for (const circuit::Literal state : states) builder.set_next(state, pick());
    return builder.finish();
}

/// Rounds of a random linear map, made of XORs that others read again, and x ^ (y & z) on all wires.
inline circuit::Circuit random_linear_circuit(std::uint64_t seed, std::uint32_t width, std::uint32_t xors,
                                              std::uint32_t rounds) {
    std::mt19937_64 random(seed);
    circuit::CircuitBuilder builder("linear");
    std::vector<circuit::Literal> wires = builder.add_input("a", width);
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::uint32_t i = 0; i < xors; ++i) {
            const std::size_t target = random() % width;
            const std::size_t source = (target + 1 + random() % (width - 1)) % width;
            wires[target] = builder.xor_gate(wires[target], wires[source]);
        }
        const std::vector<circuit::Literal> mixed = wires;
        for (std::size_t i = 0; i < width; ++i)
            wires[i] =
                builder.xor_gate(mixed[i], builder.and_gate(mixed[(i + 1) % width], mixed[(i + 2) % width]));
    }
    builder.add_output("y", wires);
    return builder.finish();
}

/// n-bit ripple adder of two-input gates: five a bit.
inline circuit::Circuit two_input_adder(std::uint32_t width) {
    circuit::CircuitBuilder builder("adder");
    const auto a = builder.add_input("a", width);
    const auto b = builder.add_input("b", width);
    circuit::Literal carry = circuit::Literal::constant(false);
    std::vector<circuit::Literal> sum;
    for (std::uint32_t i = 0; i < width; ++i) {
        const circuit::Literal half = builder.xor_gate(a[i], b[i]);
        sum.push_back(builder.xor_gate(half, carry));
        carry = builder.or_gate(builder.and_gate(a[i], b[i]), builder.and_gate(half, carry));
    }
    sum.push_back(carry);
    builder.add_output("s", sum);
    return builder.finish();
}

}  // namespace toroid::tests
