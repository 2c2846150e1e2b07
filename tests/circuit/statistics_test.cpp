// SPDX-License-Identifier: Apache-2.0
#include "circuit/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "circuit/circuit_builder.hpp"
#include "circuit/simulator.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string kind(std::vector<base::Operand> operands, int offset) {
    base::GateRecord gate;
    gate.operands_a = static_cast<std::uint16_t>(operands.size());
    gate.offset_a = static_cast<std::int8_t>(offset);
    return gate_kind(gate, operands);
}

TEST(GateKind, NamesTheFamily) {
    EXPECT_EQ(kind({{1, 1}, {2, 1}}, -1), "AND");
    EXPECT_EQ(kind({{1, -1}, {2, -1}}, 1), "NAND");
    EXPECT_EQ(kind({{1, 1}, {2, 1}}, 3), "NAND");
    EXPECT_EQ(kind({{1, 1}, {2, 1}}, 1), "OR");
    EXPECT_EQ(kind({{1, -1}, {2, -1}}, -1), "NOR");
    EXPECT_EQ(kind({{1, -1}, {2, 1}}, -1), "ANDNY");
    EXPECT_EQ(kind({{1, 1}, {2, -1}}, -1), "ANDYN");
    EXPECT_EQ(kind({{1, -1}, {2, 1}}, 1), "ORNY");
    EXPECT_EQ(kind({{1, 1}, {2, -1}}, 1), "ORYN");
    EXPECT_EQ(kind({{1, 2}, {2, 2}}, 2), "XOR");
    EXPECT_EQ(kind({{1, 2}, {2, 2}}, -2), "XNOR");
    EXPECT_EQ(kind({{1, -2}, {2, -2}, {3, -2}}, 0), "XOR3");
    EXPECT_EQ(kind({{1, 1}, {2, 1}, {3, 1}}, 0), "MAJ3");
    EXPECT_EQ(kind({{1, 1}, {2, -1}, {3, 1}}, 0), "MAJ3");
    EXPECT_EQ(kind({{1, 1}, {2, 1}, {3, 1}}, 2), "NAE3");
    EXPECT_EQ(kind({{1, 1}, {2, 1}, {3, 2}}, 1), "AX");
    EXPECT_EQ(kind({{1, 1}, {2, 1}, {3, 1}, {4, 1}}, 1), "E2");
    EXPECT_EQ(kind({{1, 1}}, 0), "COPY");
    EXPECT_EQ(kind({{1, -1}}, 0), "NOT");
    EXPECT_EQ(kind({{1, 1}}, 2), "CONSTANT");
    EXPECT_EQ(kind({{1, 1}, {2, 1}}, 0), "AFFINE");
}

TEST(GateKind, WeightsMayBeAnyIntegers) {
    constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
    EXPECT_EQ(kind({{1, least}, {2, 9}}, 0), "COPY");
    const std::vector<base::Operand> operands = {{1, least}, {2, 1}, {1, least}, {3, 1}};
    base::GateRecord pair{.operands_a = 2, .operands_b = 2, .form = base::GateForm::pair};
    pair.offset_a = pair.offset_b = -1;
    pair.post_offset = 1;
    EXPECT_EQ(gate_kind(pair, operands), "PAIR");
}

TEST(MarginEighths, IsTwoWherePhasesAreEven) {
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const auto margin = [](std::vector<base::Operand> term, int offset) {
        return margin_eighths(term, offset);
    };
    EXPECT_EQ(margin({{1, 1}, {2, 1}}, -1), 1);
    EXPECT_EQ(margin({{1, 1}, {2, 1}, {3, -1}}, 0), 1);
    EXPECT_EQ(margin({{1, 2}, {2, -2}}, 2), 2);
    EXPECT_EQ(margin({{1, most}, {2, 1}, {3, most}}, 0), 1);
    EXPECT_EQ(margin({{1, -2 * (most / 2)}}, -2), 2);
}

TEST(Statistics, KindsDepthAndWidth) {
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 4);
    const Literal carry = builder.majority(x[0], x[1], x[2]);
    const WeightedLiteral sum_operands[] = {{x[0], 1}, {x[1], 1}, {x[2], 1}, {carry, -2}};
    const Literal sum = builder.linear_form(sum_operands, 0);
    const Literal chosen = builder.mux(x[3], sum, !carry);
    builder.add_output("y", {builder.xor_gate(chosen, x[0]), sum});
    const Circuit circuit = builder.finish();
    const Statistics found = statistics(circuit);
    EXPECT_THAT(found.gates_by_kind,
                UnorderedElementsAre(Pair("MAJ3", 1), Pair("FORM", 1), Pair("MUX", 1), Pair("XOR", 1)));
    EXPECT_EQ(found.gates, 4U);
    EXPECT_EQ(found.bootstraps, 4U);
    EXPECT_EQ(found.depth, 3U);
    EXPECT_THAT(found.width_by_level, ElementsAre(1, 2, 1));
    EXPECT_EQ(statistics(CircuitBuilder("empty").finish()).depth, 0U);
}

TEST(NoiseProfile, FollowsTheRulesOfWeightNorm) {
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 4);
    const Literal m1 = builder.mux(x[0], x[1], x[2]);
    const Literal m2 = builder.mux(x[1], x[2], x[3]);
    builder.add_output("both", {builder.and_gate(m1, m2)});      // 2 + 2
    builder.add_output("parity", {builder.xor_gate(m1, x[3])});  // (4 * 2 + 4) / 4
    const Circuit circuit = builder.finish();
    const NoiseProfile profile = noise_profile(circuit);
    EXPECT_THAT(profile.weight_norm, ElementsAre(2, 2, 4, 3));
    EXPECT_THAT(profile.variance, ElementsAre(2, 2, 4, 12));
    EXPECT_THAT(profile.margin_eighths, ElementsAre(1, 1, 1, 2));
    EXPECT_EQ(profile.largest_weight_norm, 4);
    EXPECT_EQ(profile.largest_output_variance, 1);
    EXPECT_EQ(profile.signal_variance[m1.signal()], 2);
    EXPECT_THAT(profile.histogram,
                UnorderedElementsAre(Pair(std::pair(2.0, 1), 4), Pair(std::pair(4.0, 1), 1),
                                     Pair(std::pair(12.0, 2), 1)));
    EXPECT_EQ(noise_profile(circuit, 0.25).weight_norm[0], 0.5);
}

TEST(NoiseProfile, ExpandsFormsAndMergesEqualOperands) {
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 4);
    const Literal carry = builder.majority(x[0], x[1], x[2]);
    const WeightedLiteral sum_operands[] = {{x[0], 1}, {x[1], 1}, {x[2], 1}, {carry, -2}};
    const Literal sum = builder.linear_form(sum_operands, 0);
    builder.add_output("s", {sum});                          // 1 + 1 + 1 + 4
    builder.add_output("a", {builder.and_gate(sum, x[3])});  // 7 + 1
    builder.add_output("b", {builder.and_gate(sum, x[0])});  // 2 x0: 4 + 1 + 1 + 4
    builder.add_output("c", {builder.xor_gate(sum, x[3])});  // even weights: 2, 2, 2, 0 (4 carry) and 2
    const NoiseProfile profile = noise_profile(builder.finish());
    EXPECT_THAT(profile.weight_norm, ElementsAre(3, 0, 8, 10, 4));
    EXPECT_EQ(profile.margin_eighths.back(), 2);
    EXPECT_EQ(profile.largest_output_variance, 7);
}

TEST(NoiseProfile, RegistersCarryWhatTheyHold) {
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 3);
    const Literal late = builder.add_register("late", false);
    const Literal early = builder.add_register("early", false);
    builder.set_next(late, early);
    builder.set_next(early, builder.mux(x[0], x[1], x[2]));
    builder.add_output("y", {builder.and_gate(late, x[0])});
    const NoiseProfile profile = noise_profile(builder.finish());
    EXPECT_EQ(profile.signal_variance[late.signal()], 2);
    EXPECT_EQ(profile.largest_weight_norm, 3);

    CircuitBuilder growing("g");
    const auto y = growing.add_input("y", 2);
    const Literal state = growing.add_register("state", false);
    const WeightedLiteral form[] = {{state, 1}, {y[0], 1}, {y[1], -1}};
    growing.set_next(state, growing.linear_form(form, 0));
    growing.add_output("y", {state});
    try {
        (void)noise_profile(growing.finish());
        FAIL() << "noise grows without bound";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::noise);
        EXPECT_THAT(error.what(), testing::HasSubstr("register state"));
    }
}

// Long chains of registers settle in few sweeps in either order.
TEST(NoiseProfile, LongShiftRegisters) {
    for (const bool forwards : {false, true}) {
        CircuitBuilder builder("t");
        const auto x = builder.add_input("x", 3);
        const Literal source = builder.mux(x[0], x[1], x[2]);
        std::vector<Literal> chain;
        for (int i = 0; i < 50000; ++i) chain.push_back(builder.add_register("r" + std::to_string(i), false));
        if (forwards) std::reverse(chain.begin(), chain.end());
        for (std::size_t i = 0; i < chain.size(); ++i)
            builder.set_next(chain[i], i == 0 ? source : chain[i - 1]);
        builder.add_output("y", {chain.back()});
        EXPECT_EQ(noise_profile(builder.finish()).largest_output_variance, 2);
    }
}

TEST(FlattenForms, NoGateReadsAFormAndTheFunctionStays) {
    auto random = tests::generator(40);
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 8);
    std::vector<Literal> wires = x;
    for (int i = 0; i < 200; ++i) {
        const auto pick = [&] {
            const Literal wire = wires[wires.size() - 1 - random() % 12 % wires.size()];
            return random() % 2 != 0 ? wire : !wire;
        };
        const Literal a = pick();
        const Literal b = pick();
        const Literal c = pick();
        if (i % 3 == 0) {
            const Literal m = builder.majority(a, b, c);
            const WeightedLiteral sum[] = {{a, 1}, {b, 1}, {c, 1}, {m, -2}};
            wires.push_back(m);
            wires.push_back(builder.linear_form(sum, 0));
        } else {
            wires.push_back(i % 3 == 1 ? builder.mux(a, b, c) : builder.xor_gate(a, b));
        }
    }
    builder.add_output("y", {wires.end() - 16, wires.end()});
    const Circuit circuit = builder.finish();
    const Circuit flat = flatten_forms(circuit);
    std::vector<bool> is_form(flat.signal_count, false);
    for (const base::GateRecord& gate : flat.gates) {
        for (const base::Operand& operand :
             std::span(flat.operands).subspan(gate.first_operand, gate.operands_a + gate.operands_b)) {
            EXPECT_LT(operand.index, gate.output);
            EXPECT_FALSE(is_form[operand.index]);
        }
        is_form[gate.output] = gate.form == base::GateForm::linear;
    }
    EXPECT_EQ(flat.bootstraps(), circuit.bootstraps());
    EXPECT_EQ(flat.signal_count, 1 + 8 + flat.gates.size());
    EXPECT_EQ(noise_profile(flat).largest_weight_norm, noise_profile(circuit).largest_weight_norm);
    Simulator before(circuit);
    Simulator after(flat);
    for (int round = 0; round < 8; ++round) {
        std::vector<std::uint64_t> words(8);
        for (auto& word : words) word = random();
        EXPECT_EQ(before.step(words), after.step(words));
    }
}

TEST(Simulator, NoticesFormsAndGatesThatAreNone) {
    Circuit circuit;
    circuit.signal_count = 4;
    circuit.inputs = {{"x", false, {1, 2}}};
    circuit.operands = {{1, 1}, {2, 1}};
    base::GateRecord gate;
    gate.output = 3;
    gate.operands_a = 2;
    gate.offset_a = -1;
    gate.form = base::GateForm::linear;
    circuit.gates = {gate};
    circuit.outputs = {{"y", false, {Literal(3, false)}}};
    const std::vector<std::uint64_t> mixed = {0b0101, 0b0011};
    const std::vector<std::uint64_t> ones = {~std::uint64_t{0}, ~std::uint64_t{0}};
    EXPECT_THROW((void)Simulator(circuit).step(mixed), Error);  // -2 - 1 = -3
    EXPECT_EQ(Simulator(circuit).step(ones)[0], ~std::uint64_t{0});
    circuit.gates[0].form = base::GateForm::bootstrap;
    EXPECT_EQ(Simulator(circuit).step(mixed)[0], 0b0001U);
    circuit.gates[0].offset_a = 0;
    EXPECT_THROW((void)Simulator(circuit).step(mixed), Error);
    EXPECT_THROW((void)Simulator(circuit).step(std::span(mixed).first(1)), Error);
}

}  // namespace
}  // namespace toroid::circuit
