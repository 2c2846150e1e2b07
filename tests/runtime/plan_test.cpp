// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "circuit/circuit_builder.hpp"
#include "circuit/statistics.hpp"
#include "runtime/estimate.hpp"
#include "runtime/random_circuit.hpp"
#include "support/seed.hpp"

namespace toroid::runtime {
namespace {

using circuit::CircuitBuilder;
using circuit::Literal;

/// `count` chains of `length` gates, all on different inputs.
circuit::Circuit chains(std::uint32_t count, std::uint32_t length) {
    CircuitBuilder builder("chains");
    const std::vector<Literal> a = builder.add_input("a", count);
    const std::vector<Literal> b = builder.add_input("b", count);
    std::vector<Literal> ends;
    for (std::uint32_t c = 0; c < count; ++c) {
        Literal wire = a[c];
        Literal before = b[c];
        for (std::uint32_t i = 0; i < length; ++i) {
            const Literal next = builder.and_gate(wire, before);
            before = !wire;
            wire = i % 2 == 0 ? !next : next;
        }
        ends.push_back(wire);
    }
    builder.add_output("y", ends);
    return builder.finish();
}

TEST(Plan, SlotsFollowTheLiveWidthAndNotTheSize) {
    const circuit::Circuit small = chains(4, 10);
    const circuit::Circuit large = chains(4, 2000);
    ASSERT_GT(large.gates.size(), 150 * small.gates.size());
    const Plan small_plan = make_plan(small, {4, 0});
    const Plan large_plan = make_plan(large, {4, 0});
    EXPECT_EQ(large_plan.slots, small_plan.slots);
    // Two wires of each of the four chains are alive at any time; outputs reuse a slot that dies in the same
    // batch.
    EXPECT_EQ(large_plan.slots, 8U);
}

TEST(Plan, OutputTakesTheSlotOfAnOperandThatDies) {
    CircuitBuilder builder("one gate");
    const std::vector<Literal> a = builder.add_input("a", 2);
    builder.add_output("y", {builder.and_gate(a[0], a[1])});
    const Plan plan = make_plan(builder.finish(), {});
    EXPECT_EQ(plan.slots, 2U);
    ASSERT_EQ(plan.gates.size(), 1U);
    EXPECT_LT(plan.gates[0].output, 2U);
}

TEST(Plan, BatchesFillUpWithGatesThatHaveSlack) {
    // One chain of 8 gates and 56 gates that could all run at once: as many batches as the chain is long,
    // each full.
    CircuitBuilder builder("slack");
    const std::vector<Literal> a = builder.add_input("a", 57);
    std::vector<Literal> out;
    Literal chain = a[56];
    for (int i = 0; i < 8; ++i) chain = !builder.and_gate(chain, a[static_cast<std::size_t>(i)]);
    for (std::size_t i = 0; i < 56; ++i) out.push_back(builder.xor_gate(a[i], a[(i + 5) % 56]));
    out.push_back(chain);
    builder.add_output("y", out);
    const Plan plan = make_plan(builder.finish(), {8, 0});
    EXPECT_EQ(plan.bootstraps, 64U);
    EXPECT_EQ(plan.depth, 8U);
    ASSERT_EQ(plan.batches.size(), 8U);
    for (const Plan::Batch& batch : plan.batches) EXPECT_EQ(batch.bootstraps, 8U);
    EXPECT_DOUBLE_EQ(estimate_seconds(plan, 0.5, 8, 3), 64 * 0.5 * 3);
    EXPECT_DOUBLE_EQ(estimate_seconds(plan, 0.5, 16, 1), 128 * 0.5);
}

TEST(Plan, NoBatchIsLargerThanAskedFor) {
    const circuit::Circuit wide = chains(1000, 2);
    const Plan whole = make_plan(wide, {1000, 0});
    EXPECT_EQ(whole.batches.size(), 2U);
    const Plan cut = make_plan(wide, {10, 70});
    for (const Plan::Batch& batch : cut.batches) EXPECT_LE(batch.bootstraps, 70U);
    EXPECT_EQ(cut.bootstraps, whole.bootstraps);
    EXPECT_EQ(make_plan(wide, {10, 0}).batches.front().bootstraps, 80U);
}

TEST(Plan, IsDeterministicAndRunsEachNeededGateOnce) {
    auto random = tests::generator(1);
    for (int round = 0; round < 20; ++round) {
        const circuit::Circuit circuit = tests::random_circuit(random, 20, 5, 400);
        const Plan plan = make_plan(circuit, {7, 0});
        const Plan again = make_plan(circuit, {7, 0});
        ASSERT_EQ(plan.operands, again.operands);
        ASSERT_LE(plan.bootstraps, circuit.bootstraps());
        std::uint64_t bootstraps = 0;
        std::uint32_t gates = 0;
        for (const Plan::Batch& batch : plan.batches) {
            ASSERT_EQ(batch.first_gate, gates);
            gates += batch.gates;
            bootstraps += batch.bootstraps;
            // a multiplexer (2) may be the first of a batch that has room for one
            ASSERT_LE(batch.bootstraps, 56U);
        }
        ASSERT_EQ(gates, plan.gates.size());
        ASSERT_EQ(bootstraps, plan.bootstraps);
    }
}

TEST(Plan, CircuitWithoutGatesNeedsNoBatch) {
    CircuitBuilder builder("wires");
    const std::vector<Literal> a = builder.add_input("a", 3);
    builder.add_output("y", {!a[1], Literal::constant(true), a[1]});
    const Plan plan = make_plan(builder.finish(), {});
    EXPECT_TRUE(plan.batches.empty());
    EXPECT_EQ(plan.slots, 1U);
    ASSERT_EQ(plan.inputs.size(), 1U);
    EXPECT_EQ(plan.inputs[0].bit, 1U);
    ASSERT_EQ(plan.outputs.size(), 3U);
    EXPECT_TRUE(plan.outputs[0].negated);
    EXPECT_EQ(plan.outputs[1].source, Plan::OutputBit::Source::constant);
}

}  // namespace
}  // namespace toroid::runtime
