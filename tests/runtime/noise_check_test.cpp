// SPDX-License-Identifier: Apache-2.0
#include "runtime/noise_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "circuit/circuit_builder.hpp"
#include "scheme/parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::runtime {
namespace {

using circuit::CircuitBuilder;
using circuit::Literal;
using circuit::WeightedLiteral;
using testing::HasSubstr;

const scheme::NoiseModel& model() {
    static const scheme::NoiseModel made(scheme::named_parameters("tfhe128"));
    return made;
}

NoiseReport report_of(const circuit::Circuit& circuit, std::uint32_t cycles = 1,
                      InputNoise noise = {1, true}) {
    return noise_report(circuit, model(), std::vector<InputNoise>(circuit.inputs.size(), noise), cycles);
}

TEST(NoiseCheck, OneGateHasItsFormulasNorm) {
    CircuitBuilder builder("gates");
    const std::vector<Literal> a = builder.add_input("a", 3);
    builder.add_output("y", {builder.majority(a[0], a[1], a[2])});
    const NoiseReport maj = report_of(builder.finish());
    EXPECT_DOUBLE_EQ(maj.largest_weight_norm, 3);
    EXPECT_DOUBLE_EQ(maj.worst_gate_log2, model().gate_failure_log2(3.0, 1));
    EXPECT_NEAR(maj.circuit_log2,
                std::log2(std::exp2(maj.worst_gate_log2) + std::exp2(maj.worst_output_log2)), 1e-9);
    EXPECT_THAT(maj.worst_gate, HasSubstr("MAJ3"));
    EXPECT_DOUBLE_EQ(maj.largest_output_variance, 1);
}

TEST(NoiseCheck, PureXorHasTwiceTheMargin) {
    CircuitBuilder builder("xor");
    const std::vector<Literal> a = builder.add_input("a", 3);
    builder.add_output("y", {builder.xor_of(a)});
    const NoiseReport report = report_of(builder.finish());
    EXPECT_DOUBLE_EQ(report.largest_weight_norm, 3);
    EXPECT_DOUBLE_EQ(report.worst_gate_log2, model().gate_failure_log2(12.0, 2));
    EXPECT_LT(report.worst_gate_log2, model().gate_failure_log2(3.0, 1));
}

TEST(NoiseCheck, RefusalGivesBothNumbersAndTheGate) {
    // AND of two multiplexers: each output has two blind rotations' variance, so W = 4, above what tfhe128
    // carries.
    CircuitBuilder builder("and of muxes");
    const std::vector<Literal> a = builder.add_input("a", 6);
    builder.add_output("y", {builder.and_gate(builder.mux(a[0], a[1], a[2]), builder.mux(a[3], a[4], a[5]))});
    const NoiseReport report = report_of(builder.finish());
    EXPECT_DOUBLE_EQ(report.largest_weight_norm, 4);
    try {
        check_noise(report, -128, "tfhe128");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::noise);
        EXPECT_THAT(error.what(), HasSubstr("W=4"));
        EXPECT_THAT(error.what(), HasSubstr("2^-113"));
        EXPECT_THAT(error.what(), HasSubstr("2^-128"));
        EXPECT_THAT(error.what(), HasSubstr("AND"));
        EXPECT_THAT(error.what(), HasSubstr("tfhe128"));
    }
    EXPECT_NO_THROW(check_noise(report, -100, "tfhe128"));
}

TEST(NoiseCheck, InputsCountWithTheirOwnVariance) {
    CircuitBuilder builder("and");
    const std::vector<Literal> a = builder.add_input("a", 1);
    const std::vector<Literal> b = builder.add_input("b", 1);
    builder.add_output("y", {builder.and_gate(a[0], b[0])});
    const circuit::Circuit circuit = builder.finish();
    const NoiseReport report = noise_report(circuit, model(), {{0.25, true}, {7, true}}, 1);
    EXPECT_DOUBLE_EQ(report.largest_weight_norm, 7.25);
    EXPECT_THROW(check_noise(report, -128, "tfhe128"), Error);
    const NoiseReport clear = noise_report(circuit, model(), {{0, true}, {1, true}}, 1);
    EXPECT_DOUBLE_EQ(clear.largest_weight_norm, 1);
}

/// a + b + c - 2 MAJ3(a, b, c)
Literal sum_form(CircuitBuilder& builder, Literal a, Literal b, Literal c, Literal carry) {
    const std::array<WeightedLiteral, 4> sum{WeightedLiteral{a, 1}, WeightedLiteral{b, 1},
                                             WeightedLiteral{c, 1}, WeightedLiteral{carry, -2}};
    return builder.linear_form(sum, 0);
}

TEST(NoiseCheck, OutputThatIsAFormMustDecrypt) {
    CircuitBuilder builder("sum");
    const std::vector<Literal> a = builder.add_input("a", 3);
    builder.add_output("sum", {sum_form(builder, a[0], a[1], a[2], builder.majority(a[0], a[1], a[2]))});
    const circuit::Circuit circuit = builder.finish();
    const NoiseReport report = report_of(circuit);
    EXPECT_DOUBLE_EQ(report.largest_output_variance, 7);
    EXPECT_NO_THROW(check_noise(report, -128, "tfhe128"));  // at most 7.3
    const scheme::NoiseModel fast(scheme::named_parameters("tfhe128-fast"));
    const NoiseReport refused = noise_report(circuit, fast, {{1, true}}, 1);
    try {
        check_noise(refused, -128, "tfhe128-fast");  // at most 3.7
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::noise);
        EXPECT_THAT(error.what(), HasSubstr("sum[0]"));
    }
}

TEST(NoiseCheck, OutputsThatShareNoiseSayMore) {
    CircuitBuilder builder("shared");
    const std::vector<Literal> a = builder.add_input("a", 3);
    const Literal carry = builder.majority(a[0], a[1], a[2]);
    const Literal other = builder.and_gate(a[0], a[1]);
    builder.add_output("y", {carry, !carry, other, sum_form(builder, a[0], a[1], a[2], carry)});
    const NoiseReport report = report_of(builder.finish());
    // carry is there twice and with weight 2 in the sum: |cov| 1 + 1 + 2; the sum: 7 + 2 + 2
    EXPECT_THAT(report.output_variance, testing::ElementsAre(4, 4, 1, 11));
}

TEST(NoiseCheck, RegistersOfTheSameWireAreOneSource) {
    const auto circuit_of = [](bool same) {
        CircuitBuilder builder("pair of registers");
        const std::vector<Literal> a = builder.add_input("a", 4);
        const Literal p = builder.add_register("p", false);
        const Literal q = builder.add_register("q", false);
        const Literal wire = builder.and_gate(a[0], a[1]);
        builder.set_next(p, wire);
        builder.set_next(q, same ? !wire : builder.and_gate(a[2], a[3]));
        const Literal other = builder.majority(p, q, a[2]);
        builder.add_output("y", {other});
        return builder.finish();
    };
    // In the first cycle registers are noiseless; then 1 + 1 + 1, or (1 - 1)^2 + 1 for p, NOT p of one wire.
    EXPECT_DOUBLE_EQ(report_of(circuit_of(false), 1).largest_weight_norm, 2);  // AND of inputs
    EXPECT_DOUBLE_EQ(report_of(circuit_of(false), 2).largest_weight_norm, 3);
    EXPECT_DOUBLE_EQ(report_of(circuit_of(true), 9).largest_weight_norm, 2);
}

TEST(NoiseCheck, HeldInputInAShiftRegisterIsOneSource) {
    CircuitBuilder builder("shift");
    const std::vector<Literal> a = builder.add_input("a", 1);
    const Literal first = builder.add_register("first", false);
    const Literal second = builder.add_register("second", false);
    builder.set_next(first, a[0]);
    builder.set_next(second, first);
    builder.add_output("y", {builder.and_gate(first, second)});
    const circuit::Circuit circuit = builder.finish();
    EXPECT_DOUBLE_EQ(report_of(circuit, 5, {1, false}).largest_weight_norm, 2);
    EXPECT_DOUBLE_EQ(report_of(circuit, 5, {1, true}).largest_weight_norm, 4);
}

TEST(NoiseCheck, SumThatIsNeverBootstrappedGrowsWithEachCycle) {
    CircuitBuilder builder("gathering");
    const std::vector<Literal> a = builder.add_input("a", 2);
    const Literal state = builder.add_register("state", false);
    const Literal next = sum_form(builder, state, a[0], a[1], builder.majority(state, a[0], a[1]));
    builder.set_next(state, next);
    builder.add_output("y", {state});
    const circuit::Circuit circuit = builder.finish();
    // Each cycle adds 1 + 1 + 4.
    EXPECT_DOUBLE_EQ(report_of(circuit, 2, {1, false}).largest_output_variance, 6);
    EXPECT_DOUBLE_EQ(report_of(circuit, 3, {1, false}).largest_output_variance, 12);
    EXPECT_NO_THROW(check_noise(report_of(circuit, 1, {1, false}), -128, "tfhe128"));
    EXPECT_THROW(check_noise(report_of(circuit, 40, {1, false}), -128, "tfhe128"), Error);
    EXPECT_THROW((void)report_of(circuit, 1'000'000'000, {1, false}), Error);
}

TEST(NoiseCheck, CyclesAddUp) {
    CircuitBuilder builder("toggle");
    const std::vector<Literal> a = builder.add_input("a", 1);
    const Literal state = builder.add_register("state", false);
    builder.set_next(state, builder.xor_gate(state, a[0]));
    builder.add_output("y", {state});
    const circuit::Circuit circuit = builder.finish();
    const double settled = report_of(circuit, 1001).circuit_log2;
    const double longer = report_of(circuit, 1'000'000'001).circuit_log2;
    EXPECT_NEAR(longer - settled, std::log2(1e9 / 1e3), 1e-6);
}

TEST(NoiseCheck, CircuitWithoutGatesCannotFailInGates) {
    CircuitBuilder builder("constants");
    builder.add_output("y", {Literal::constant(true)});
    const NoiseReport report = report_of(builder.finish());
    EXPECT_EQ(report.circuit_log2, -std::numeric_limits<double>::infinity());
    EXPECT_NO_THROW(check_noise(report, -128, "tfhe128"));
}

}  // namespace
}  // namespace toroid::runtime
