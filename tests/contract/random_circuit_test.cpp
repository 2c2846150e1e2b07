// SPDX-License-Identifier: Apache-2.0
// Long random circuits against plaintext.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "contract/workbench.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

constexpr double tolerated_failure_log2 = -40;

/// Rounds of random gates of every kind over a pool of wires, any of them overwriting any wire.
void run_random_circuit(const Instance& instance, std::uint32_t wires, int rounds, std::uint64_t purpose) {
    Workbench bench(instance, wires);
    auto random = generator(purpose);
    Bits bits = random_bits(wires, random);
    bench.encrypt(0, bits);
    std::vector<double> variances(wires, bench.noise().fresh);
    std::vector<std::uint32_t> targets = slot_range(0, wires);
    std::size_t bootstraps = 0;
    for (int round = 0; round < rounds; ++round) {
        std::ranges::shuffle(targets, random);
        BatchBuilder gates;
        Bits next = bits;
        std::vector<double> next_variances = variances;
        for (const std::uint32_t target : std::span(targets).first(wires / 2 + 1)) {
            // A kind too wide for the noise of the wires drawn is drawn again: sets with little margin, whose
            // wires are mostly outputs of MUX after a while, still get their share of gates.
            for (int attempt = 0; attempt < 8; ++attempt) {
                const GateKind& kind = gate_kinds()[random() % gate_kinds().size()];
                std::vector<std::uint32_t> slots;
                std::vector<double> of_inputs;
                Bits row;
                const Bits negated = random_bits(kind.arity(), random);
                for (std::size_t i = 0; i < kind.arity(); ++i) {
                    slots.push_back(static_cast<std::uint32_t>(random() % wires));
                    of_inputs.push_back(variances[slots.back()]);
                    row.push_back(bits[slots.back()] != negated[i]);
                }
                if (failure_log2(bench.noise(), kind, slots, of_inputs, negated) > tolerated_failure_log2)
                    continue;
                gates.add(kind, slots, target, negated);
                bootstraps += static_cast<std::size_t>(gates.gates().back().bootstraps());
                next[target] = kind.truth(row);
                next_variances[target] = output_variance(kind, of_inputs);
                break;
            }
        }
        bench.run(gates.batch());
        bits = next;
        variances = next_variances;
        ASSERT_EQ(bench.decrypt(slot_range(0, wires)), bits) << "round " << round;
    }
    // Most kinds must have been usable, or the test would have tested little.
    EXPECT_GE(bootstraps, static_cast<std::size_t>(rounds) * wires / 5);
}

class RandomCircuit : public testing::TestWithParam<Instance> {};

TEST_P(RandomCircuit, AgreesWithPlaintext) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const bool slow = GetParam().backend == "reference";
    run_random_circuit(GetParam(), slow ? 12 : 150, slow ? 3 : 15, 300);
}

class LongRandomCircuit : public testing::TestWithParam<Instance> {};

TEST_P(LongRandomCircuit, AgreesWithPlaintext) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    run_random_circuit(GetParam(), 300, 40, 301);
}

INSTANTIATE_TEST_SUITE_P(Reduced, RandomCircuit, testing::ValuesIn(reduced_instances(4)), instance_name);
INSTANTIATE_TEST_SUITE_P(
    Full, RandomCircuit,
    testing::ValuesIn(full_instances({"tfhe128", "tfhe128-fast-wide", "tfhers-default"})), instance_name);
INSTANTIATE_TEST_SUITE_P(Slow, LongRandomCircuit, testing::ValuesIn(full_instances()), instance_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RandomCircuit);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LongRandomCircuit);

}  // namespace
}  // namespace toroid::tests
