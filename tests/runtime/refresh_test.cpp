// SPDX-License-Identifier: Apache-2.0
#include "runtime/refresh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "circuit/circuit_builder.hpp"
#include "circuit/simulator.hpp"
#include "runtime/noise_check.hpp"
#include "scheme/parameters.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::runtime {
namespace {

using circuit::Circuit;
using circuit::CircuitBuilder;
using circuit::Literal;
using circuit::WeightedLiteral;

constexpr double target = -128;

const scheme::NoiseModel& model() {
    static const scheme::NoiseModel made(scheme::named_parameters("tfhe128"));
    return made;
}

void check(const Circuit& circuit) {
    check_noise(noise_report(circuit, model(), std::vector<InputNoise>(circuit.inputs.size()), 4), target,
                "tfhe128");
}

void expect_same_function(const Circuit& a, const Circuit& b) {
    circuit::Simulator first(a);
    circuit::Simulator second(b);
    std::size_t bits = 0;
    for (const circuit::InputPort& port : a.inputs) bits += port.signals.size();
    auto random = tests::generator();
    for (int cycle = 0; cycle < 8; ++cycle) {
        std::vector<std::uint64_t> inputs(bits);
        for (std::uint64_t& word : inputs) word = random();
        EXPECT_EQ(first.step(inputs), second.step(inputs)) << "cycle " << cycle;
    }
}

TEST(Refresh, QuietCircuitsKeepTheirGates) {
    CircuitBuilder builder("quiet");
    const auto a = builder.add_input("a", 4);
    builder.add_output("y", {builder.majority(a[0], a[1], a[2]), builder.mux(a[3], a[1], a[2])});
    const Circuit circuit = builder.finish();
    const RefreshedCircuit refreshed = refresh_noisy_wires(circuit, model(), 1, target);
    EXPECT_EQ(refreshed.refreshes, 0U);
    EXPECT_EQ(refreshed.circuit.bootstraps(), circuit.bootstraps());
    expect_same_function(circuit, refreshed.circuit);
}

TEST(Refresh, OneOperandOfAnAndOfMuxesIsEnough) {
    CircuitBuilder builder("and of muxes");
    const auto a = builder.add_input("a", 6);
    const Literal left = builder.mux(a[0], a[1], a[2]);
    const Literal right = builder.mux(a[3], a[4], a[5]);
    builder.add_output("y", {builder.and_gate(left, right), !builder.or_gate(left, !right)});
    const Circuit circuit = builder.finish();
    EXPECT_THROW(check(circuit), Error);
    const RefreshedCircuit refreshed = refresh_noisy_wires(circuit, model(), 1, target);
    EXPECT_EQ(refreshed.refreshes, 1U) << "both readers share the refreshed copy";
    EXPECT_NO_THROW(check(refreshed.circuit));
    expect_same_function(circuit, refreshed.circuit);
}

TEST(Refresh, RegistersThatHoldMuxOutputsAreRefreshedWhereTheyAreRead) {
    CircuitBuilder builder("held muxes");
    const auto a = builder.add_input("a", 3);
    const Literal p = builder.add_register("p", false);
    const Literal q = builder.add_register("q", true);
    builder.set_next(p, builder.mux(a[0], q, a[1]));
    builder.set_next(q, builder.mux(a[1], p, a[2]));
    builder.add_output("y", {builder.and_gate(p, q), builder.mux(a[2], p, q)});
    const Circuit circuit = builder.finish();
    EXPECT_THROW(check(circuit), Error);
    const RefreshedCircuit refreshed = refresh_noisy_wires(circuit, model(), 1, target);
    EXPECT_GT(refreshed.refreshes, 0U);
    EXPECT_NO_THROW(check(refreshed.circuit));
    expect_same_function(circuit, refreshed.circuit);
}

TEST(Refresh, NoisyOutputFormIsBootstrapped) {
    // a + b - 2 AND(a, b) - 1/8 of two such sums: 4 inputs' worth of noise and more in an output.
    CircuitBuilder builder("forms");
    const auto a = builder.add_input("a", 4);
    const auto half_sum = [&](Literal x, Literal y, Literal both) {
        return builder.linear_form(std::array<WeightedLiteral, 3>{{{x, 1}, {y, 1}, {both, -2}}}, -1);
    };
    const Literal left = builder.mux(a[0], a[1], a[2]);
    const Literal right = builder.mux(a[3], a[0], a[1]);
    const Literal form = half_sum(left, right, builder.and_gate(left, right));
    builder.add_output("y", {form});
    const Circuit circuit = builder.finish();
    EXPECT_THROW(check(circuit), Error);
    const RefreshedCircuit refreshed = refresh_noisy_wires(circuit, model(), 1, target);
    expect_same_function(circuit, refreshed.circuit);
    const auto report =
        noise_report(refreshed.circuit, model(), std::vector<InputNoise>(circuit.inputs.size()), 1);
    EXPECT_LE(report.worst_output_log2, target);
}

TEST(Refresh, WhatNoRefreshCanHelpStaysForTheRefusal) {
    // MAJ of 7 fresh bits as E2 has W = 7 whatever is refreshed.
    CircuitBuilder builder("wide");
    const auto a = builder.add_input("a", 7);
    builder.add_output("y", {builder.e2_gate(a, {})});
    const Circuit circuit = builder.finish();
    const RefreshedCircuit refreshed = refresh_noisy_wires(circuit, model(), 1, target);
    EXPECT_EQ(refreshed.refreshes, 0U);
    EXPECT_THROW(check(refreshed.circuit), Error);
}

TEST(Refresh, WeightsOfAnySizeCountInFull) {
    // 1 modulo 8, and its square is 1 modulo 2^32: a file may say so.
    constexpr std::int32_t huge = -2147483647;
    CircuitBuilder builder("huge");
    const auto a = builder.add_input("a", 4);
    builder.add_output("y", {builder.and_gate(builder.mux(a[0], a[1], a[2]), a[3])});
    Circuit circuit = builder.finish();
    EXPECT_EQ(refresh_noisy_wires(circuit, model(), 1, target).refreshes, 0U);
    const base::GateRecord& last = circuit.gates.back();
    const auto of_mux =
        std::ranges::find(circuit.operands, circuit.gates.front().output, &base::Operand::index);
    ASSERT_GE(of_mux - circuit.operands.begin(), last.first_operand);
    of_mux->weight = huge;
    const RefreshedCircuit refreshed = refresh_noisy_wires(circuit, model(), 1, target);
    EXPECT_EQ(refreshed.refreshes, 1U);
    EXPECT_THROW(check(refreshed.circuit), Error);
}

}  // namespace
}  // namespace toroid::runtime
