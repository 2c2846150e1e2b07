// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

using base::GateForm;
using base::GateRecord;
using base::Operand;

/// A batch that owns its arrays.
struct Gates {
    std::vector<GateRecord> gates;
    std::vector<Operand> operands;
    void add(std::uint32_t output, const std::vector<std::uint32_t>& inputs,
             GateForm form = GateForm::bootstrap) {
        gates.push_back({.output = output,
                         .first_operand = static_cast<std::uint32_t>(operands.size()),
                         .operands_a = static_cast<std::uint16_t>(inputs.size()),
                         .form = form});
        for (const std::uint32_t index : inputs) operands.push_back({index, 1});
    }
    [[nodiscard]] GateBatch batch() const { return {gates, operands}; }
};

void expect_refused(const Gates& gates, std::uint32_t slots, const std::string& part) {
    try {
        check_batch(gates.batch(), slots);
        ADD_FAILURE() << "accepted; expected a refusal with: " << part;
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::internal);
        EXPECT_THAT(error.what(), testing::HasSubstr(part));
    }
}

TEST(CheckBatch, AcceptsEveryForm) {
    Gates gates;
    gates.add(2, {0, 1});
    gates.add(3, {0, 0}, GateForm::linear);
    gates.add(4, {0, 1}, GateForm::pair);
    gates.gates.back().operands_a = 1;
    gates.gates.back().operands_b = 1;
    gates.gates.back().offset_b = -1;
    gates.gates.back().post_offset = 1;
    gates.add(5, {}, GateForm::linear);
    EXPECT_NO_THROW(check_batch(gates.batch(), 6));
    EXPECT_NO_THROW(check_batch({}, 0));
}

TEST(CheckBatch, NamesTheGateWithABadIndex) {
    Gates output;
    output.add(2, {0});
    output.add(6, {0});
    expect_refused(output, 6, "gate 1 of the batch: output slot 6 of a pool of 6");

    Gates operand;
    operand.add(2, {0, 6});
    expect_refused(operand, 6, "gate 0 of the batch: operand slot 6 of a pool of 6");

    Gates range;
    range.add(2, {0, 1});
    range.gates[0].first_operand = 1;
    expect_refused(range, 6, "operands [1, 3) of 2");
    range.gates[0].first_operand = 0xFFFFFFFF;
    expect_refused(range, 6, "operands [4294967295, 4294967297) of 2");
}

TEST(CheckBatch, RefusesAnOutputWrittenTwice) {
    Gates gates;
    gates.add(2, {0});
    gates.add(3, {0});
    gates.add(2, {1});
    expect_refused(gates, 6, "gate 2 of the batch: slot 2 is the output of an earlier gate too");
}

TEST(CheckBatch, RefusesFieldsThatAFormDoesNotHave) {
    for (const GateForm form : {GateForm::linear, GateForm::bootstrap}) {
        Gates gates;
        gates.add(2, {0, 1}, form);
        gates.gates[0].operands_a = 1;
        gates.gates[0].operands_b = 1;
        expect_refused(gates, 6, "only a pair");
        gates.gates[0].operands_b = 0;
        gates.gates[0].offset_b = 1;
        expect_refused(gates, 6, "only a pair");
        gates.gates[0].offset_b = 0;
        gates.gates[0].post_offset = 1;
        expect_refused(gates, 6, "only a pair");
    }
    Gates unknown;
    unknown.add(2, {0}, static_cast<GateForm>(3));
    expect_refused(unknown, 6, "unknown form 3");
}

TEST(OutputsAliasInputs, OwnOperandsNeedNoStaging) {
    Gates gates;
    gates.add(0, {0, 1});
    gates.add(3, {1, 3});
    EXPECT_FALSE(check_batch(gates.batch(), 4));
}

TEST(OutputsAliasInputs, AnotherGatesOperandDoes) {
    Gates later;
    later.add(0, {1});
    later.add(2, {0});
    EXPECT_TRUE(check_batch(later.batch(), 4));

    Gates earlier;
    earlier.add(2, {0});
    earlier.add(0, {1});
    EXPECT_TRUE(check_batch(earlier.batch(), 4));

    Gates second_term;
    second_term.add(2, {1, 3}, GateForm::pair);
    second_term.gates[0].operands_a = 1;
    second_term.gates[0].operands_b = 1;
    second_term.add(3, {1});
    EXPECT_TRUE(check_batch(second_term.batch(), 4));
}

}  // namespace
}  // namespace toroid::backend
