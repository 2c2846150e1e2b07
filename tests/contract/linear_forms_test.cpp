// SPDX-License-Identifier: Apache-2.0
// Wires that are linear forms of other wires, and every kind of producer into every kind of consumer (case
// K3).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "contract/workbench.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

constexpr double tolerated_failure_log2 = -28;

class LinearForms : public testing::TestWithParam<Instance> {};

TEST_P(LinearForms, SumOfAFullAdder) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    // For each row a, b, c: MAJ3 by a bootstrap, then sum = a + b + c - 2 MAJ3 without one.
    Workbench bench(GetParam(), 8 * 6);
    BatchBuilder carries;
    BatchBuilder sums;
    for (std::uint32_t row = 0; row < 8; ++row) {
        const std::uint32_t a = 6 * row;
        bench.encrypt(a, {(row & 1U) != 0, (row & 2U) != 0, (row & 4U) != 0});
        carries.add(gate_kind("MAJ3"), slot_range(a, 3), a + 3);
        sums.add_linear({{a, 1}, {a + 1, 1}, {a + 2, 1}, {a + 3, -2}}, 0, a + 4);
    }
    bench.run(carries.batch());
    bench.run(sums.batch());
    BatchBuilder consumers;
    const double sum_variance = 4 + 3 * bench.noise().fresh;
    const GateKind& consumer = gate_kind("AND");
    ASSERT_LT(failure_log2(bench.noise(), consumer, std::array{4U, 0U},
                           std::array{sum_variance, bench.noise().fresh}),
              -20);
    for (std::uint32_t row = 0; row < 8; ++row) {
        const std::uint32_t a = 6 * row;
        consumers.add(consumer, std::array{a + 4, a}, a + 5);
    }
    bench.run(consumers.batch());
    for (std::uint32_t row = 0; row < 8; ++row) {
        const std::uint32_t a = 6 * row;
        const int ones = std::popcount(row);
        EXPECT_EQ(bench.decrypt(a + 3), ones >= 2) << row;
        EXPECT_EQ(bench.decrypt(a + 4), ones % 2 == 1) << row;
        EXPECT_EQ(bench.decrypt(a + 5), ones % 2 == 1 && (row & 1U) != 0) << row;
    }
}

TEST_P(LinearForms, AreExactOnWords) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 5);
    auto random = generator(6);
    bench.randomize(0, 3, random);
    BatchBuilder gates;
    // A slot twice, a weight of zero, an offset beyond a turn.
    gates.add_linear({{0, 3}, {1, -2}, {0, 4}, {2, 0}}, -13, 3);
    gates.add_linear({}, 9, 4);
    bench.run(gates.batch());
    const auto words = bench.download(0, 5);
    const auto body = words[0].size() - 1;
    for (std::size_t i = 0; i <= body; ++i) {
        const std::uint32_t offset = i == body ? 0U - (13U << 29) : 0U;
        ASSERT_EQ(words[3][i], 7 * words[0][i] - 2 * words[1][i] + offset) << "word " << i;
        ASSERT_EQ(words[4][i], i == body ? 9U << 29 : 0U) << "word " << i;
    }
}

class Mixing : public testing::TestWithParam<Instance> {};

TEST_P(Mixing, EveryProducerIntoEveryConsumer) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    constexpr std::uint32_t sources = 0;     // fresh: 0 0 1 1
    constexpr std::uint32_t produced = 100;  // two slots (0, 1) a producer
    constexpr std::uint32_t outputs = 200;
    Workbench bench(GetParam(), 1200);
    bench.encrypt(sources, {false, false, true, true});
    const auto source = [](bool bit, std::uint32_t copy) { return sources + (bit ? 2U : 0U) + copy; };

    struct Producer {
        std::string name;
        double variance;
    };
    std::vector<Producer> producers;
    BatchBuilder make;
    BatchBuilder forms;
    const auto slots_of = [&](bool bit) {
        return produced + 2 * static_cast<std::uint32_t>(producers.size()) + (bit ? 1U : 0U);
    };
    for (const char* name : {"NAND", "XOR", "MUX", "NMUX", "MAJ3", "XOR3", "AX"}) {
        const GateKind& kind = gate_kind(name);
        for (const bool bit : {false, true}) {
            Bits row;
            for (int code = 0; code < 8; ++code) {
                row = {(code & 1) != 0, (code & 2) != 0, (code & 4) != 0};
                row.resize(kind.arity());
                if (kind.truth(row) == bit) break;
            }
            std::vector<std::uint32_t> slots;
            for (std::uint32_t i = 0; i < kind.arity(); ++i) slots.push_back(source(row[i], i % 2));
            make.add(kind, slots, slots_of(bit));
        }
        producers.push_back({name, kind.form == base::GateForm::pair ? 2.0 : 1.0});
    }
    // x xor 1 = x + 1 - 2 AND(x, 1) - 1/8 as a form of the bootstrapped NAND(x, 1) = -AND(x, 1).
    for (const bool bit : {false, true}) {
        const std::uint32_t nand = produced + 90 + (bit ? 1U : 0U);
        make.add(gate_kind("NAND"), std::array{source(!bit, 0), source(true, 1)}, nand);
        forms.add_linear({{source(!bit, 0), 1}, {source(true, 1), 1}, {nand, 2}}, -1, slots_of(bit));
    }
    producers.push_back({"form", 4 + 2 * bench.noise().fresh});
    for (const bool bit : {false, true}) bench.pool().set_trivial(slots_of(bit), bit ? 1 : -1);
    producers.push_back({"trivial", 0});
    bench.encrypt_public(slots_of(false), {false, true});
    producers.push_back({"public key", bench.noise().fresh_public_key});
    bench.run(make.batch());
    bench.run(forms.batch());
    for (std::uint32_t p = 0; p < producers.size(); ++p) {
        EXPECT_FALSE(bench.decrypt(produced + 2 * p)) << producers[p].name;
        EXPECT_TRUE(bench.decrypt(produced + 2 * p + 1)) << producers[p].name;
    }

    BatchBuilder gates;
    Bits expected;
    std::vector<std::string> what;
    auto random = generator(7);
    for (const char* name : {"AND", "XNOR", "ORNY", "MUX", "NMUX", "MAJ3", "XOR3", "AX"}) {
        const GateKind& kind = gate_kind(name);
        for (std::uint32_t p = 0; p < producers.size(); ++p) {
            for (int code = 0; code < (1 << kind.arity()); ++code) {
                // The producer itself on input p mod arity, others drawn; all ones is among the rows.
                std::vector<std::uint32_t> slots;
                std::vector<double> variances;
                Bits row;
                std::string description = std::string(name) + " of";
                for (std::uint32_t i = 0; i < kind.arity(); ++i) {
                    row.push_back((code >> i & 1) != 0);
                    const auto from = i == static_cast<std::uint32_t>(code) % kind.arity()
                                          ? p
                                          : static_cast<std::uint32_t>(random() % producers.size());
                    slots.push_back(produced + 2 * from + (row[i] ? 1 : 0));
                    variances.push_back(producers[from].variance);
                    description += " " + producers[from].name + "=" + std::to_string(row[i]);
                }
                if (failure_log2(bench.noise(), kind, slots, variances) > tolerated_failure_log2) continue;
                gates.add(kind, slots, outputs + static_cast<std::uint32_t>(expected.size()));
                expected.push_back(kind.truth(row));
                what.push_back(description);
            }
        }
    }
    ASSERT_GE(expected.size(), 300U);
    bench.run(gates.batch());
    const Bits bits = bench.decrypt(slot_range(outputs, static_cast<std::uint32_t>(expected.size())));
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(bits[i], expected[i]) << what[i];
}

INSTANTIATE_TEST_SUITE_P(Reduced, LinearForms, testing::ValuesIn(reduced_instances(4)), instance_name);
INSTANTIATE_TEST_SUITE_P(Full, LinearForms, testing::ValuesIn(full_instances()), instance_name);
INSTANTIATE_TEST_SUITE_P(
    Full, Mixing, testing::ValuesIn(full_instances({"tfhe128-wide", "tfhe128-fast-wide", "tfhers-default"})),
    instance_name);
INSTANTIATE_TEST_SUITE_P(Reduced, Mixing,
                         testing::Values(Instance{"reference",
                                                  reduced(scheme::named_parameters("tfhe128-wide"), 3)}),
                         instance_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LinearForms);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Mixing);

}  // namespace
}  // namespace toroid::tests
