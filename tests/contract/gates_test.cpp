// SPDX-License-Identifier: Apache-2.0
// Every gate gives its truth table, whatever its inputs are made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "contract/workbench.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

/// Gates likelier than this to fail are not asked of a set that was not made for them.
constexpr double tolerated_failure_log2 = -28;
/// Longer truth tables are sampled.
constexpr std::size_t most_rows = 8;

class GateTruth : public testing::TestWithParam<Instance> {};

/// Input values to try: all of them, or a random choice where there are many.
std::vector<Bits> rows(std::size_t arity, std::mt19937_64& random) {
    std::vector<Bits> out;
    const std::size_t all = std::size_t{1} << arity;
    for (std::size_t i = 0; i < std::min(all, most_rows); ++i) {
        const std::size_t row = all <= most_rows ? i : static_cast<std::size_t>(random() % all);
        Bits bits(arity);
        for (std::size_t j = 0; j < arity; ++j) bits[j] = ((row >> j) & 1U) != 0;
        out.push_back(bits);
    }
    return out;
}

/// Sources of input bits in a pool: `copies` slots for each origin and value.
class Inputs {
 public:
    enum Origin : std::uint32_t { fresh, public_key, trivial, bootstrapped, pair, origins };
    static constexpr std::uint32_t copies = 4;
    static constexpr std::uint32_t slots = 2 * copies * origins;

    explicit Inputs(Workbench& bench) : noise_(bench.noise()) {
        Bits bits;
        for (std::uint32_t i = 0; i < 2 * copies; ++i) bits.push_back(i >= copies);
        bench.encrypt(first(fresh, false), bits);
        bench.encrypt_public(first(public_key, false), bits);
        for (std::uint32_t i = 0; i < 2 * copies; ++i) {
            bench.pool().set_trivial(first(trivial, false) + i, bits[i] ? 1 : -1);
        }
        BatchBuilder gates;
        for (std::uint32_t i = 0; i < 2 * copies; ++i) {
            const std::uint32_t one = first(fresh, true) + i % copies;
            const std::uint32_t value = first(fresh, false) + i;
            gates.add(gate_kind("AND"), std::array{one, value}, first(bootstrapped, false) + i);
            gates.add(gate_kind("MUX"), std::array{one, value, first(fresh, false)}, first(pair, false) + i);
        }
        bench.run(gates.batch());
    }
    [[nodiscard]] static std::uint32_t first(std::uint32_t origin, bool bit) {
        return origin * 2 * copies + (bit ? copies : 0);
    }
    [[nodiscard]] double variance(std::uint32_t slot) const {
        switch (slot / (2 * copies)) {
            case fresh:
                return noise_.fresh;
            case public_key:
                return noise_.fresh_public_key;
            case trivial:
                return 0;
            case bootstrapped:
                return 1;
            default:
                return 2;
        }
    }

 private:
    scheme::NoiseModel noise_;
};

TEST_P(GateTruth, EveryKindOnEveryRow) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    constexpr std::uint32_t most_gates = 600;
    Workbench bench(GetParam(), Inputs::slots + most_gates);
    const Inputs inputs(bench);
    auto random = generator(1);
    BatchBuilder gates;
    Bits expected;
    std::vector<std::string> what;
    std::size_t kinds = 0;
    for (const GateKind& kind : gate_kinds()) {
        bool used = false;
        for (const Bits& row : rows(kind.arity(), random)) {
            const Bits negated = random_bits(kind.arity(), random);
            std::vector<std::uint32_t> slots;
            std::vector<double> variances;
            std::string description = kind.name;
            for (std::size_t i = 0; i < kind.arity(); ++i) {
                const auto origin = static_cast<std::uint32_t>(random() % Inputs::origins);
                const auto copy = static_cast<std::uint32_t>(random() % Inputs::copies);
                slots.push_back(Inputs::first(origin, row[i] != negated[i]) + copy);
                variances.push_back(inputs.variance(slots.back()));
                description += " " + std::string(negated[i] ? "!" : "") + std::to_string(slots.back());
            }
            if (failure_log2(bench.noise(), kind, slots, variances, negated) > tolerated_failure_log2)
                continue;
            used = true;
            gates.add(kind, slots, Inputs::slots + static_cast<std::uint32_t>(expected.size()), negated);
            expected.push_back(kind.truth(row));
            what.push_back(description);
        }
        kinds += used ? 1 : 0;
    }
    ASSERT_LE(expected.size(), most_gates);
    // All two-input gates, MAJ3, XOR3, MUX, NMUX and the free ones are within every set's reach.
    EXPECT_GE(kinds, 18U);
    const auto before = bench.download(0, Inputs::slots);
    bench.run(gates.batch());
    const auto outputs = slot_range(Inputs::slots, static_cast<std::uint32_t>(expected.size()));
    const Bits bits = bench.decrypt(outputs);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(bits[i], expected[i]) << what[i];
    EXPECT_TRUE(equal_samples(before, bench.download(0, Inputs::slots))) << "an input was changed";
}

/// The reference on whole sets: one gate of each kind, since each takes seconds.
class OneGateOfEachKind : public testing::TestWithParam<Instance> {};

TEST_P(OneGateOfEachKind, OnBootstrappedInputs) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 100);
    bench.encrypt(0, {false, true});
    BatchBuilder refresh;
    for (std::uint32_t i = 0; i < 2; ++i) refresh.add(gate_kind("IDENTITY"), std::array{i}, 2 + i);
    bench.run(refresh.batch());
    auto random = generator(8);
    BatchBuilder gates;
    Bits expected;
    std::vector<std::string> names;
    for (const GateKind& kind : gate_kinds()) {
        Bits row = random_bits(kind.arity(), random);
        std::vector<std::uint32_t> slots;
        std::vector<double> variances;
        for (std::size_t i = 0; i < kind.arity(); ++i) {
            // Bootstrapped and fresh inputs in turn: with few values, equal operands would merge into
            // weights.
            slots.push_back((i % 2 == 0 ? 2U : 0U) + (row[i] ? 1U : 0U));
            variances.push_back(i % 2 == 0 ? 1.0 : bench.noise().fresh);
        }
        if (failure_log2(bench.noise(), kind, slots, variances) > tolerated_failure_log2) continue;
        gates.add(kind, slots, 10 + static_cast<std::uint32_t>(expected.size()));
        expected.push_back(kind.truth(row));
        names.push_back(kind.name);
    }
    EXPECT_GE(expected.size(), 15U);
    bench.run(gates.batch());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(bench.decrypt(10 + static_cast<std::uint32_t>(i)), expected[i]) << names[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Slow, OneGateOfEachKind, testing::ValuesIn(reference_instances()), instance_name);
INSTANTIATE_TEST_SUITE_P(Reduced, GateTruth, testing::ValuesIn(reduced_instances(4)), instance_name);
INSTANTIATE_TEST_SUITE_P(Full, GateTruth, testing::ValuesIn(full_instances()), instance_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GateTruth);

}  // namespace
}  // namespace toroid::tests
