// SPDX-License-Identifier: Apache-2.0
// Batches of every size, and batches that must be refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "contract/workbench.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::tests {
namespace {

/// `count` gates of mixed kinds over the 8 input slots into slots 8, 9, ...; checks every output.
void run_mixed(Workbench& bench, std::uint32_t count, std::uint64_t purpose) {
    constexpr std::uint32_t inputs = 8;
    const std::vector<std::string> names{"NAND", "XNOR", "MUX", "NOT", "MAJ3", "NOR", "XOR3"};
    auto random = generator(purpose);
    const Bits bits = random_bits(inputs, random);
    bench.encrypt(0, bits);
    BatchBuilder gates;
    Bits expected;
    for (std::uint32_t i = 0; i < count; ++i) {
        const GateKind& kind = gate_kind(names[random() % names.size()]);
        std::vector<std::uint32_t> slots;
        Bits row;
        const auto first = static_cast<std::uint32_t>(random() % inputs);
        for (std::uint32_t j = 0; j < kind.arity(); ++j) {
            slots.push_back((first + j) % inputs);
            row.push_back(bits[slots.back()]);
        }
        gates.add(kind, slots, inputs + i);
        expected.push_back(kind.truth(row));
    }
    bench.run(gates.batch());
    EXPECT_EQ(bench.decrypt(slot_range(inputs, count)), expected) << count << " gates";
}

class Batches : public testing::TestWithParam<Instance> {};

TEST_P(Batches, SmallSizes) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 8 + 17);
    for (const std::uint32_t count : {0U, 1U, 2U, 3U, 7U, 17U}) run_mixed(bench, count, 100 + count);
}

TEST_P(Batches, NothingButFreeGates) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 20);
    bench.encrypt(0, {false, true});
    BatchBuilder gates;
    for (std::uint32_t i = 2; i < 20; ++i) gates.add(gate_kind("NOT"), std::array{i % 2}, i);
    bench.run(gates.batch());
    for (std::uint32_t i = 2; i < 20; ++i) EXPECT_EQ(bench.decrypt(i), i % 2 == 0);
}

TEST_P(Batches, OneGateAfterAnotherOnOneStream) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    // Calls on one stream happen in order: no wait between them.
    Workbench bench(GetParam(), 3);
    bench.encrypt(0, {true, true});
    std::vector<BatchBuilder> steps(5);
    for (BatchBuilder& step : steps) {
        step.add(gate_kind("NAND"), std::array{0U, 1U}, 0);
        bench.key().evaluate(step.batch(), bench.pool(), bench.stream());
    }
    bench.stream().synchronize();
    EXPECT_FALSE(bench.decrypt(0));  // NAND(x, 1) = NOT x, five times over 1
}

void expect_refused(ErrorKind kind, const std::string& what, const std::function<void()>& action) {
    try {
        action();
        ADD_FAILURE() << what << ": accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << what << ": " << error.what();
    }
}

TEST_P(Batches, RefusesWhatIsBrokenAndStaysUsable) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 8 + 3);
    bench.encrypt(0, {true, false});
    BatchBuilder twice;
    twice.add(gate_kind("AND"), std::array{0U, 1U}, 5);
    twice.add(gate_kind("OR"), std::array{0U, 1U}, 5);
    BatchBuilder output;
    output.add(gate_kind("AND"), std::array{0U, 1U}, 11);
    BatchBuilder operand;
    operand.add(gate_kind("AND"), std::array{0U, 11U}, 5);
    BatchBuilder range;
    range.add(gate_kind("AND"), std::array{0U, 1U}, 5);
    range.gates()[0].first_operand = 1;
    BatchBuilder form;
    form.add(gate_kind("AND"), std::array{0U, 1U}, 5);
    form.gates()[0].form = static_cast<base::GateForm>(7);
    const auto before = bench.download(0, 8 + 3);
    for (const auto* broken : {&twice, &output, &operand, &range, &form}) {
        expect_refused(ErrorKind::internal, "a broken batch", [&] { bench.run(broken->batch()); });
        expect_refused(ErrorKind::internal, "a broken batch's probe",
                       [&] { (void)bench.key().probe_switched(broken->batch(), bench.pool()); });
    }
    EXPECT_TRUE(equal_samples(before, bench.download(0, 8 + 3))) << "a refused batch wrote something";

    const auto width = static_cast<std::size_t>(bench.parameters().n()) + 1;
    std::vector<std::uint16_t> row(width - 1);
    expect_refused(ErrorKind::internal, "half a row", [&] { (void)bench.key().probe_accumulators(row); });
    row.assign(width, 0);
    row[0] = static_cast<std::uint16_t>(2 * bench.parameters().N());
    expect_refused(ErrorKind::internal, "a rotation of 2N",
                   [&] { (void)bench.key().probe_accumulators(row); });
    run_mixed(bench, 3, 110);
}

TEST_P(Batches, RefusesThePoolOfAnotherKeyOrSet) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const Instance other_set{GetParam().backend,
                             reduced(GetParam().parameters, GetParam().parameters.n() + 6)};
    Workbench bench(GetParam(), 8 + 3);
    Workbench other_key(GetParam(), 8 + 3, 1);
    Workbench other(other_set, 8 + 3);
    BatchBuilder gates;
    gates.add(gate_kind("AND"), std::array{0U, 1U}, 2);
    for (Workbench* foreign : {&other_key, &other}) {
        expect_refused(ErrorKind::key_mismatch, "another key's pool", [&] {
            bench.key().evaluate(gates.batch(), foreign->pool(), bench.stream());
            bench.stream().synchronize();
        });
        expect_refused(ErrorKind::key_mismatch, "another key's pool in a probe",
                       [&] { (void)bench.key().probe_switched(gates.batch(), foreign->pool()); });
    }
    const scheme::LweArray short_samples(1, bench.parameters().wire_dimension() - 1);
    expect_refused(ErrorKind::key_mismatch, "samples of another dimension",
                   [&] { bench.pool().upload(std::array{0U}, short_samples); });
    run_mixed(bench, 3, 111);
    run_mixed(other_key, 3, 112);
}

/// Batches that keep every thread busy, and then some.
class LargeBatches : public testing::TestWithParam<Instance> {};

TEST_P(LargeBatches, MoreGatesThanThreads) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const std::uint32_t full = loaded_key(GetParam())->full_batch();
    Workbench bench(GetParam(), 8 + 2 * full + 301);
    for (const std::uint32_t count : {full - 1, full, full + 1, 2 * full + 1, 301U}) {
        run_mixed(bench, count, 120 + count);
    }
}

class HugeBatches : public testing::TestWithParam<Instance> {};

TEST_P(HugeBatches, TenThousandGates) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 8 + 10007);
    run_mixed(bench, 10007, 130);
}

INSTANTIATE_TEST_SUITE_P(Reduced, Batches, testing::ValuesIn(reduced_instances(4)), instance_name);
INSTANTIATE_TEST_SUITE_P(Full, Batches, testing::ValuesIn(full_instances({"tfhe128", "tfhe128-fast"})),
                         instance_name);
INSTANTIATE_TEST_SUITE_P(Full, LargeBatches, testing::ValuesIn(full_instances({"tfhe128", "tfhe128-fast"})),
                         instance_name);
INSTANTIATE_TEST_SUITE_P(Slow, HugeBatches,
                         testing::ValuesIn(full_instances({"tfhe128-fast", "tfhers-default"})),
                         instance_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Batches);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LargeBatches);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HugeBatches);

}  // namespace
}  // namespace toroid::tests
