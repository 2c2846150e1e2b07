// SPDX-License-Identifier: Apache-2.0
// The same ciphertext on several inputs, and outputs written over inputs (case K1).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "contract/workbench.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

constexpr double tolerated_failure_log2 = -24;

class Aliasing : public testing::TestWithParam<Instance> {};

struct Case {
    std::string what;
    std::uint32_t output;
    bool expected;
};

/// Both values of x, from a fresh encryption and from a bootstrap, in slots 0..3.
Bits write_values(Workbench& bench) {
    bench.encrypt(0, {false, true, false, true});
    BatchBuilder refresh;
    refresh.add(gate_kind("IDENTITY"), std::array{2U}, 2);
    refresh.add(gate_kind("IDENTITY"), std::array{3U}, 3);
    bench.run(refresh.batch());
    return {false, true, false, true};
}

TEST_P(Aliasing, OneCiphertextOnEveryInput) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 200);
    const Bits values = write_values(bench);
    BatchBuilder gates;
    std::vector<Case> cases;
    for (const GateKind& kind : gate_kinds()) {
        // Equal and opposite operands of the two-input gates; all operands alike for the wider ones.
        if (kind.form == base::GateForm::linear || kind.arity() > 3) continue;
        for (std::uint32_t x = 0; x < 4; ++x) {
            for (const bool opposite : {false, true}) {
                const std::vector<std::uint32_t> slots(kind.arity(), x);
                const std::vector<double> variances(kind.arity(), x < 2 ? bench.noise().fresh : 1.0);
                Bits negated(kind.arity(), false);
                if (opposite) negated.back() = true;
                if (failure_log2(bench.noise(), kind, slots, variances, negated) > tolerated_failure_log2)
                    continue;
                Bits row(kind.arity(), values[x]);
                if (opposite) row.back() = !values[x];
                const auto output = static_cast<std::uint32_t>(4 + cases.size());
                gates.add(kind, slots, output, negated);
                cases.push_back({kind.name + (opposite ? " with one input negated" : "") + " of slot " +
                                     std::to_string(x),
                                 output, kind.truth(row)});
            }
        }
    }
    ASSERT_GE(cases.size(), 60U);
    ASSERT_LE(cases.size(), 196U);
    bench.run(gates.batch());
    for (const Case& one : cases) EXPECT_EQ(bench.decrypt(one.output), one.expected) << one.what;
}

TEST_P(Aliasing, OutputOverItsOwnInput) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    // Each case has three slots of its own: a, b and a third input.
    Workbench bench(GetParam(), 300);
    auto random = generator(2);
    BatchBuilder gates;
    std::vector<Case> cases;
    std::uint32_t next = 0;
    for (const char* name : {"NAND", "XOR", "ANDNY", "MAJ3", "MUX", "NMUX", "NOT"}) {
        const GateKind& kind = gate_kind(name);
        for (std::uint32_t over = 0; over < kind.arity(); ++over) {
            for (int repeat = 0; repeat < 2; ++repeat) {
                const Bits row = random_bits(kind.arity(), random);
                bench.encrypt(next, row);
                gates.add(kind, slot_range(next, static_cast<std::uint32_t>(kind.arity())), next + over);
                cases.push_back({std::string(name) + " over input " + std::to_string(over), next + over,
                                 kind.truth(row)});
                next += 3;
            }
        }
        // out == a == b
        const bool x = random() % 2 == 1;
        bench.encrypt(next, {x});
        if (failure_log2(bench.noise(), kind, std::vector<std::uint32_t>(kind.arity(), next),
                         std::vector<double>(kind.arity(), bench.noise().fresh)) < tolerated_failure_log2) {
            gates.add(kind, std::vector<std::uint32_t>(kind.arity(), next), next);
            cases.push_back(
                {std::string(name) + " of one slot over itself", next, kind.truth(Bits(kind.arity(), x))});
        }
        next += 3;
    }
    ASSERT_LE(next, 300U);
    bench.run(gates.batch());
    for (const Case& one : cases) EXPECT_EQ(bench.decrypt(one.output), one.expected) << one.what;
}

TEST_P(Aliasing, OutputOverAnotherGatesInput) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    // A ring: gate i reads slots i, i + 1 and i + 2 and writes slot i + 1, so that each output is the operand
    // of gates before and after it. Forms are mixed, and several rounds run without a copy in between.
    constexpr std::uint32_t ring = 9;
    const std::vector<std::string> names{"XOR", "NOT", "MUX", "NAND", "COPY", "MAJ3", "NMUX", "OR", "XNOR"};
    Workbench bench(GetParam(), ring);
    auto random = generator(3);
    Bits bits = random_bits(ring, random);
    bench.encrypt(0, bits);
    for (int round = 0; round < 3; ++round) {
        BatchBuilder gates;
        Bits next = bits;
        for (std::uint32_t i = 0; i < ring; ++i) {
            // Free gates never meet twice in a row, so that noise does not add up.
            const GateKind& kind = gate_kind(names[i]);
            std::vector<std::uint32_t> slots;
            Bits row;
            for (std::uint32_t j = 0; j < kind.arity(); ++j) {
                slots.push_back((i + j) % ring);
                row.push_back(bits[(i + j) % ring]);
            }
            gates.add(kind, slots, (i + 1) % ring);
            next[(i + 1) % ring] = kind.truth(row);
        }
        ASSERT_TRUE(backend::check_batch(gates.batch(), ring));
        bench.run(gates.batch());
        bits = next;
        ASSERT_EQ(bench.decrypt(slot_range(0, ring)), bits) << "round " << round;
    }
}

TEST_P(Aliasing, SwapWithoutABootstrap) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 2);
    auto random = generator(4);
    bench.randomize(0, 2, random);
    const auto before = bench.download(0, 2);
    BatchBuilder gates;
    gates.add(gate_kind("COPY"), std::array{0U}, 1);
    gates.add(gate_kind("COPY"), std::array{1U}, 0);
    bench.run(gates.batch());
    const auto after = bench.download(0, 2);
    EXPECT_TRUE(std::ranges::equal(after[0], before[1]));
    EXPECT_TRUE(std::ranges::equal(after[1], before[0]));
}

/// Case K1 asks for many repeats on a fast device: rare races show only then.
class AliasingRepeated : public testing::TestWithParam<Instance> {};

TEST_P(AliasingRepeated, TenThousandGatesOverTheirInputs) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    constexpr std::uint32_t lanes = 250;
    Workbench bench(GetParam(), lanes);
    auto random = generator(5);
    Bits bits = random_bits(lanes, random);
    bench.encrypt(0, bits);
    const std::array<std::string, 5> names{"NAND", "XOR", "ORYN", "NOR", "XNOR"};
    for (int round = 0; round < 40; ++round) {
        BatchBuilder gates;
        Bits next = bits;
        for (std::uint32_t i = 0; i < lanes; ++i) {
            const GateKind& kind = gate_kind(names[random() % names.size()]);
            const auto other = random() % 4 == 0 ? i : static_cast<std::uint32_t>(random() % lanes);
            gates.add(kind, std::array{i, other}, i);
            next[i] = kind.truth({bits[i], bits[other]});
        }
        bench.run(gates.batch());
        bits = next;
        ASSERT_EQ(bench.decrypt(slot_range(0, lanes)), bits) << "round " << round;
    }
}

INSTANTIATE_TEST_SUITE_P(Reduced, Aliasing, testing::ValuesIn(reduced_instances(4)), instance_name);
INSTANTIATE_TEST_SUITE_P(Full, Aliasing, testing::ValuesIn(full_instances({"tfhe128", "tfhe128-fast"})),
                         instance_name);
INSTANTIATE_TEST_SUITE_P(Slow, AliasingRepeated,
                         testing::ValuesIn(full_instances({"tfhe128", "tfhe128-fast"})), instance_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Aliasing);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AliasingRepeated);

}  // namespace
}  // namespace toroid::tests
