// SPDX-License-Identifier: Apache-2.0
#include "circuit/circuit_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "circuit/simulator.hpp"
#include "circuit/statistics.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using Bits = std::vector<bool>;

/// All values of one output for all inputs (one-bit ports), input 0 least significant.
std::vector<bool> truth(const Circuit& circuit) {
    std::size_t count = 0;
    for (const InputPort& port : circuit.inputs) count += port.signals.size();
    Simulator simulator(circuit);
    std::vector<bool> out;
    for (std::size_t first = 0; first < std::size_t{1} << count; first += 64) {
        std::vector<std::uint64_t> words(count);
        for (std::size_t v = 0; v < 64; ++v) {
            for (std::size_t i = 0; i < count; ++i) words[i] |= ((first + v) >> i & 1) << v;
        }
        const std::uint64_t word = simulator.step(words).at(0);
        for (std::size_t v = 0; v < 64 && first + v < std::size_t{1} << count; ++v)
            out.push_back((word >> v & 1) != 0);
    }
    return out;
}

struct Built {
    Circuit circuit;
    std::vector<bool> values;
};

Built build(std::size_t inputs,
            const std::function<Literal(CircuitBuilder&, const std::vector<Literal>&)>& make) {
    CircuitBuilder builder("t");
    std::vector<Literal> wires;
    for (std::size_t i = 0; i < inputs; ++i)
        wires.push_back(builder.add_input("x" + std::to_string(i), 1)[0]);
    builder.add_output("y", {make(builder, wires)});
    Built out{builder.finish(), {}};
    out.values = truth(out.circuit);
    return out;
}

int sum_mod_8(const std::vector<int>& weights, unsigned index, int offset) {
    int phase = offset;
    for (std::size_t i = 0; i < weights.size(); ++i)
        phase += (index >> i & 1) != 0 ? weights[i] : -weights[i];
    return ((phase % 8) + 8) % 8;
}

// Every gate of up to four operands, weights -4..4 and any offset: valid exactly if no input reaches 0 or 4,
// right value, never more than one gate, no gate where a wire or a constant does, margin as good as can be.
TEST(CircuitBuilder, AffineGatesOfUpToFourOperandsAreExact) {
    for (std::size_t inputs = 0; inputs <= 4; ++inputs) {
        std::size_t combinations = 8;
        for (std::size_t i = 0; i < inputs; ++i) combinations *= inputs == 4 ? 5 : 9;
        for (std::size_t code = 0; code < combinations; ++code) {
            std::vector<int> weights;
            std::size_t rest = code / 8;
            for (std::size_t i = 0; i < inputs; ++i) {
                weights.push_back(inputs == 4 ? static_cast<int>(rest % 5) - 2
                                              : static_cast<int>(rest % 9) - 4);
                rest /= inputs == 4 ? 5 : 9;
            }
            const int offset = static_cast<int>(code % 8);
            std::vector<bool> expected;
            bool valid = true;
            for (unsigned index = 0; index < 1U << inputs; ++index) {
                const int phase = sum_mod_8(weights, index, offset);
                valid = valid && phase % 4 != 0;
                expected.push_back(phase < 4);
            }
            const auto make = [&](CircuitBuilder& builder, const std::vector<Literal>& x) {
                std::vector<WeightedLiteral> operands;
                for (std::size_t i = 0; i < inputs; ++i) operands.push_back({x[i], weights[i]});
                return builder.affine(operands, offset);
            };
            if (!valid) {
                EXPECT_THROW(build(inputs, make), Error);
                continue;
            }
            const Built built = build(inputs, make);
            ASSERT_EQ(built.values, expected) << testing::PrintToString(weights) << " offset " << offset;
            std::size_t support = 0;
            bool parity = true;
            for (std::size_t i = 0; i < inputs; ++i) {
                bool matters = false;
                bool always = true;
                for (unsigned index = 0; index < 1U << inputs; ++index) {
                    const bool flips = expected[index] != expected[index ^ 1U << i];
                    matters |= flips;
                    always &= flips;
                }
                support += matters ? 1 : 0;
                parity &= always || !matters;
            }
            ASSERT_EQ(built.circuit.gates.size(), support > 1 ? 1U : 0U) << testing::PrintToString(weights);
            if (support > 1) {
                ASSERT_EQ(built.circuit.gates[0].operands_a, support);
                for (const base::Operand& operand : built.circuit.operands) {
                    ASSERT_TRUE(!parity || operand.weight == 2);
                }
            }
        }
    }
}

TEST(CircuitBuilder, OneFunctionAndItsNegationAreOneGate) {
    auto random = tests::generator(1);
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 4);
    std::map<std::vector<bool>, Literal> seen;
    for (int round = 0; round < 20000; ++round) {
        std::vector<WeightedLiteral> operands;
        std::vector<int> weights;
        for (const Literal wire : x) {
            weights.push_back(static_cast<int>(random() % 5) - 2);
            operands.push_back({wire, weights.back()});
        }
        const int offset = static_cast<int>(random() % 8);
        std::vector<bool> values;
        bool valid = true;
        for (unsigned index = 0; index < 16; ++index) {
            const int phase = sum_mod_8(weights, index, offset);
            valid = valid && phase % 4 != 0;
            values.push_back(phase < 4);
        }
        if (!valid) continue;
        const Literal made = builder.affine(operands, offset);
        const auto [entry, is_new] = seen.emplace(values, made);
        EXPECT_EQ(entry->second, made);
        values.flip();
        const auto other = seen.find(values);
        EXPECT_TRUE(other == seen.end() || other->second == !made);
    }
    EXPECT_GT(seen.size(), 100U);
}

// K1: the same wire, its negation and constants on any input of any gate.
TEST(CircuitBuilder, EqualNegatedAndConstantInputs) {
    const auto choice = [](const std::vector<Literal>& x, unsigned code) {
        const Literal base = code / 2 < 3 ? x[code / 2] : Literal::constant(false);
        return code % 2 != 0 ? !base : base;
    };
    const auto value = [](unsigned index, unsigned code) {
        const bool base = code / 2 < 3 && (index >> (code / 2) & 1) != 0;
        return base != (code % 2 != 0);
    };
    for (unsigned a = 0; a < 8; ++a) {
        for (unsigned b = 0; b < 8; ++b) {
            for (unsigned c = 0; c < 8; ++c) {
                const std::vector<std::function<Literal(CircuitBuilder&, Literal, Literal, Literal)>> makers =
                    {
                        [](CircuitBuilder& t, Literal p, Literal q, Literal) { return t.and_gate(p, q); },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal) { return t.or_gate(p, q); },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal) { return t.xor_gate(p, q); },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal r) { return t.mux(p, q, r); },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal r) {
                            return t.majority(p, q, r);
                        },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal r) {
                            return t.xor_of(std::vector{p, q, r});
                        },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal r) {
                            return t.and_of(std::vector{p, q, r});
                        },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal r) {
                            return t.or_of(std::vector{p, q, r});
                        },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal r) {
                            return t.e2_gate(std::vector{p, q}, std::vector{r});
                        },
                        [](CircuitBuilder& t, Literal p, Literal q, Literal r) {
                            return t.table(std::vector{p, q, r}, std::vector<std::uint64_t>{0b01001101});
                        },
                    };
                const std::vector<std::function<bool(bool, bool, bool)>> functions = {
                    [](bool p, bool q, bool) { return p && q; },
                    [](bool p, bool q, bool) { return p || q; },
                    [](bool p, bool q, bool) { return p != q; },
                    [](bool p, bool q, bool r) { return p ? q : r; },
                    [](bool p, bool q, bool r) { return p + q + r >= 2; },
                    [](bool p, bool q, bool r) { return (p + q + r) % 2 != 0; },
                    [](bool p, bool q, bool r) { return p && q && r; },
                    [](bool p, bool q, bool r) { return p || q || r; },
                    [](bool p, bool q, bool r) { return (p && q) != r; },
                    [](bool p, bool q, bool r) { return (0b01001101 >> (p + 2 * q + 4 * r) & 1) != 0; },
                };
                for (std::size_t kind = 0; kind < makers.size(); ++kind) {
                    const Built built = build(3, [&](CircuitBuilder& builder, const std::vector<Literal>& x) {
                        return makers[kind](builder, choice(x, a), choice(x, b), choice(x, c));
                    });
                    for (unsigned index = 0; index < 8; ++index) {
                        ASSERT_EQ(built.values[index],
                                  functions[kind](value(index, a), value(index, b), value(index, c)))
                            << "kind " << kind << " operands " << a << b << c << " index " << index;
                    }
                }
            }
        }
    }
}

TEST(CircuitBuilder, EveryFunctionOfThreeInputs) {
    std::uint64_t bootstraps = 0;
    for (std::uint64_t table = 0; table < 256; ++table) {
        const Built built = build(3, [&](CircuitBuilder& builder, const std::vector<Literal>& x) {
            return builder.table(x, std::vector{table});
        });
        for (unsigned index = 0; index < 8; ++index)
            ASSERT_EQ(built.values[index], (table >> index & 1) != 0);
        EXPECT_LE(built.circuit.bootstraps(), 3U) << table;
        EXPECT_LE(noise_profile(built.circuit).largest_weight_norm, 3.0) << table;
        bootstraps += built.circuit.bootstraps();
    }
    EXPECT_LE(bootstraps, 464U);  // over all 256, that is 1.8 each
}

TEST(CircuitBuilder, TablesOfUpToSixteenInputs) {
    auto random = tests::generator(2);
    for (std::size_t inputs : {0, 1, 2, 4, 5, 6, 7, 9, 12}) {
        for (int round = 0; round < 5; ++round) {
            std::vector<std::uint64_t> table(inputs < 6 ? 1 : std::size_t{1} << (inputs - 6));
            for (auto& word : table) word = random();
            const Built built = build(inputs, [&](CircuitBuilder& builder, const std::vector<Literal>& x) {
                return builder.table(x, table);
            });
            for (std::size_t i = 0; i < built.values.size(); ++i) {
                ASSERT_EQ(built.values[i], (table[i / 64] >> (i % 64) & 1) != 0)
                    << inputs << " inputs, index " << i;
            }
        }
    }
    // Structured functions keep their structure.
    std::vector<std::uint64_t> all_and(1024), parity(1024), constant(1024);
    all_and.back() = std::uint64_t{1} << 63;
    for (std::size_t i = 0; i < 65536; ++i) {
        if (std::popcount(i) % 2 != 0) parity[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    const auto cost = [](const std::vector<std::uint64_t>& table) {
        const Built built = build(16, [&](CircuitBuilder& builder, const std::vector<Literal>& x) {
            return builder.table(x, table);
        });
        for (std::size_t i = 0; i < 65536; ++i)
            EXPECT_EQ(built.values[i], (table[i / 64] >> (i % 64) & 1) != 0);
        return std::pair(built.circuit.bootstraps(), statistics(built.circuit).depth);
    };
    EXPECT_EQ(cost(all_and), std::pair(std::uint64_t{15}, 4U));
    EXPECT_EQ(cost(parity), std::pair(std::uint64_t{8}, 3U));
    EXPECT_EQ(cost(constant).first, 0U);
}

TEST(CircuitBuilder, RefusesWhatIsNoTable) {
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 17);
    EXPECT_THROW((void)builder.table(x, std::vector<std::uint64_t>(2048)), Error);
    EXPECT_THROW((void)builder.table(std::span(x).first(7), std::vector<std::uint64_t>(1)), Error);
}

TEST(CircuitBuilder, WideTreesAreBalanced) {
    const auto wide = [](std::size_t n, auto&& make) {
        CircuitBuilder builder("t");
        const auto x = builder.add_input("x", static_cast<std::uint32_t>(n));
        builder.add_output("y", {make(builder, x)});
        const Circuit circuit = builder.finish();
        return std::pair(circuit.bootstraps(), statistics(circuit).depth);
    };
    const auto and_of = [](CircuitBuilder& b, const std::vector<Literal>& x) { return b.and_of(x); };
    const auto xor_of = [](CircuitBuilder& b, const std::vector<Literal>& x) { return b.xor_of(x); };
    EXPECT_EQ(wide(1000, and_of), std::pair(std::uint64_t{999}, 10U));
    EXPECT_EQ(wide(81, xor_of), std::pair(std::uint64_t{40}, 4U));
    EXPECT_EQ(wide(80, xor_of).first, 40U);
    EXPECT_EQ(wide(7, [](CircuitBuilder& b, const std::vector<Literal>& x) { return b.e2_gate({}, x); }),
              std::pair(std::uint64_t{1}, 1U));
}

TEST(CircuitBuilder, E2GatesOfAnyFanInAreOneBootstrap) {
    for (std::size_t light = 0; light <= 7; ++light) {
        for (std::size_t heavy = 0; heavy <= 4; ++heavy) {
            const Built built =
                build(light + heavy, [&](CircuitBuilder& builder, const std::vector<Literal>& x) {
                    return builder.e2_gate(std::span(x).first(light), std::span(x).subspan(light));
                });
            EXPECT_LE(built.circuit.bootstraps(), 1U);
            for (unsigned index = 0; index < 1U << (light + heavy); ++index) {
                const int ones = std::popcount(index & ((1U << light) - 1));
                const int parity = std::popcount(index >> light) % 2;
                ASSERT_EQ(built.values[index], (ones * (ones - 1) / 2 + parity) % 2 != 0)
                    << light << " " << heavy;
            }
        }
    }
}

TEST(CircuitBuilder, LinearFormsStaySymbolicAndValidityOpensThem) {
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 4);
    const Literal carry = builder.majority(x[0], x[1], x[2]);
    const WeightedLiteral sum_operands[] = {{x[0], 1}, {x[1], 1}, {x[2], 1}, {carry, -2}};
    const Literal sum = builder.linear_form(sum_operands, 0);
    EXPECT_EQ(builder.linear_form(sum_operands, 0), sum);
    const WeightedLiteral opposite[] = {{!x[0], 1}, {!x[1], 1}, {!x[2], 1}, {carry, 2}};
    EXPECT_EQ(builder.linear_form(opposite, 0), !sum);
    // sum - a - b - c = -2 carry: valid only because of what the form is made of.
    const WeightedLiteral back[] = {{sum, 1}, {x[0], -1}, {x[1], -1}, {x[2], -1}};
    EXPECT_EQ(builder.affine(back, 0), !carry);
    // Even phases that the form does not rescue.
    const WeightedLiteral bad[] = {{sum, 1}, {x[3], 1}};
    EXPECT_THROW((void)builder.affine(bad, 0), Error);
    const WeightedLiteral single[] = {{x[3], -1}};
    EXPECT_EQ(builder.linear_form(single, 0), !x[3]);
    EXPECT_EQ(builder.linear_form({}, -1), Literal::constant(false));
    EXPECT_THROW((void)builder.linear_form({}, 2), Error);
    EXPECT_THROW((void)builder.linear_form(single, 1), Error);
    builder.add_output("s", {sum});
    const Circuit circuit = builder.finish();
    EXPECT_EQ(circuit.bootstraps(), 1U);
    EXPECT_EQ(circuit.gates.size(), 2U);
}

// N2: outputs tied to inputs, to each other and to constants cost nothing.
TEST(CircuitBuilder, AliasedOutputs) {
    CircuitBuilder builder("t");
    const auto i = builder.add_input("i", 2);
    const Literal t = builder.xor_gate(i[0], i[1]);
    builder.add_output("thru", i);
    builder.add_output("tie1", {Literal::constant(true)});
    builder.add_output("tie0", {Literal::constant(false)});
    builder.add_output("p", {t});
    builder.add_output("q", {builder.xor_gate(i[1], i[0])});
    builder.add_output("r", {!i[0]});
    const Circuit circuit = builder.finish();
    EXPECT_EQ(circuit.bootstraps(), 1U);
    Simulator simulator(circuit);
    const std::vector<std::uint64_t> inputs = {0b0101, 0b0011};
    const auto out = simulator.step(inputs);
    EXPECT_THAT(out, testing::ElementsAre(0b0101, 0b0011, ~std::uint64_t{0}, 0, 0b0110, 0b0110,
                                          ~std::uint64_t{0b0101}));
}

TEST(CircuitBuilder, DeadGatesGoAndNumberingIsDense) {
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 3);
    (void)builder.and_gate(x[0], x[1]);
    const Literal state = builder.add_register("r", true);
    const Literal kept = builder.or_gate(x[1], state);
    (void)builder.mux(x[0], kept, x[2]);
    builder.set_next(state, !kept);
    builder.add_output("y", {state});
    const Circuit circuit = builder.finish();
    ASSERT_EQ(circuit.gates.size(), 1U);
    EXPECT_EQ(circuit.operands.size(), 2U);
    EXPECT_EQ(circuit.signal_count, 6U);
    EXPECT_EQ(circuit.gates[0].output, 5U);
    EXPECT_EQ(circuit.registers[0].next, Literal(5, true));
}

TEST(CircuitBuilder, RefusesBadNamesAndRegisters) {
    CircuitBuilder builder("t");
    const auto a = builder.add_input("a", 1);
    EXPECT_THROW(builder.add_input("a", 1), Error);
    EXPECT_THROW(builder.add_input("b", 0), Error);
    EXPECT_THROW(builder.add_output("y", {}), Error);
    builder.add_output("y", {a[0]});
    EXPECT_THROW(builder.add_output("y", {a[0]}), Error);
    EXPECT_THROW(builder.add_output("z", {Literal(77, false)}), Error);
    EXPECT_THROW((void)builder.and_gate(a[0], Literal(77, false)), Error);
    EXPECT_THROW(builder.set_next(a[0], a[0]), Error);
    const Literal r = builder.add_register("r", false);
    EXPECT_THROW((void)builder.finish(), Error);
    builder.set_next(r, !r);
    EXPECT_THROW(builder.set_next(r, r), Error);
    EXPECT_NO_THROW((void)builder.finish());
}

TEST(CircuitBuilder, SameCallsGiveTheSameCircuit) {
    const auto make = [] {
        CircuitBuilder builder("t");
        auto wires = builder.add_input("x", 16);
        std::mt19937_64 random(7);
        for (int i = 0; i < 2000; ++i) {
            const Literal a = wires[random() % wires.size()];
            const Literal b = !wires[random() % wires.size()];
            const Literal c = wires[random() % wires.size()];
            wires.push_back(random() % 2 != 0 ? builder.mux(a, b, c) : builder.majority(a, b, c));
        }
        builder.add_output("y", {wires.end() - 8, wires.end()});
        return builder.finish();
    };
    const Circuit a = make();
    const Circuit b = make();
    EXPECT_EQ(a.operands, b.operands);
    ASSERT_EQ(a.gates.size(), b.gates.size());
    EXPECT_GT(a.gates.size(), 100U);
}

// Long chains need no recursion, and half a million gates take a second or two.
TEST(CircuitBuilder, LargeCircuits) {
    CircuitBuilder builder("t");
    auto x = builder.add_input("x", 64);
    Literal chain = x[0];
    for (std::size_t i = 0; i < 500000; ++i) {
        chain = i % 2 != 0 ? builder.and_gate(chain, !x[i % 63 + 1]) : builder.xor_gate(chain, x[i * 7 % 64]);
    }
    builder.add_output("y", {chain});
    const Circuit circuit = builder.finish();
    EXPECT_GT(circuit.gates.size(), 490000U);
    EXPECT_EQ(statistics(circuit).depth, circuit.gates.size());
}

}  // namespace
}  // namespace toroid::circuit
