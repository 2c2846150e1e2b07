// SPDX-License-Identifier: Apache-2.0
// The steps inside a gate: equal to the reference where they are integers, right by the secret key
// everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "client/encryption.hpp"
#include "contract/measurement.hpp"
#include "contract/workbench.hpp"
#include "math/noise.hpp"
#include "math/torus.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

/// The largest of a few thousand Gaussian errors passes this many standard deviations once in 10^8 runs.
constexpr double sigmas = 7.5;

/// Slots of random words, then slots of edge values: every digit boundary of the key switch, alone or mixed.
std::uint32_t write_samples(Workbench& bench, std::uint32_t random_count, std::mt19937_64& random) {
    bench.randomize(0, random_count, random);
    const math::Gadget gadget = bench.parameters().key_switch_gadget();
    std::vector<std::uint32_t> edges{0U, 1U, 0x7FFFFFFFU, 0x80000000U, 0x80000001U, 0xFFFFFFFFU};
    for (int level = 1; level <= gadget.levels; ++level) {
        // Half a digit of this level: where a tie is decided.
        const std::uint32_t half = std::uint32_t{1} << (31 - level * gadget.base_log + gadget.base_log);
        for (const std::uint32_t around : {half - 1, half, half + 1}) edges.push_back(around);
    }
    if (gadget.base_log * gadget.levels < 32) {
        const std::uint32_t rounding = std::uint32_t{1} << (31 - gadget.base_log * gadget.levels);
        for (const std::uint32_t around : {rounding - 1, rounding, rounding + 1}) edges.push_back(around);
    }
    const auto edge_count = static_cast<std::uint32_t>(edges.size());
    scheme::LweArray samples(edge_count + 4, bench.parameters().wire_dimension());
    for (std::uint32_t i = 0; i < edge_count + 4; ++i) {
        for (std::uint32_t& word : samples[i]) {
            word = i < edge_count ? edges[i]
                                  : edges[random() % edge_count] + static_cast<std::uint32_t>(random() % 3);
        }
    }
    bench.pool().upload(slot_range(random_count, edge_count + 4), samples);
    return random_count + edge_count + 4;
}

class IntegerSteps : public testing::TestWithParam<Instance> {};

TEST_P(IntegerSteps, SwitchedRowsEqualTheReference) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    constexpr std::uint32_t random_count = 40;
    Workbench bench(GetParam(), 300);
    Workbench reference({"reference", GetParam().parameters}, 300);
    ASSERT_EQ(bench.key().key_id(), reference.key().key_id());
    auto random = generator(400);
    const std::uint32_t count = write_samples(bench, random_count, random);
    reference.pool().upload(slot_range(0, count), bench.download(0, count));

    BatchBuilder gates;
    std::size_t rows = 0;
    const auto add = [&](const GateKind& kind, std::span<const std::uint32_t> slots) {
        gates.add(kind, slots, 150 + static_cast<std::uint32_t>(gates.gates().size()),
                  random_bits(kind.arity(), random));
        rows += static_cast<std::size_t>(gates.gates().back().bootstraps());
    };
    for (std::uint32_t slot = 0; slot < count; ++slot) add(gate_kind("IDENTITY"), std::array{slot});
    for (const GateKind& kind : gate_kinds()) {
        std::vector<std::uint32_t> slots;
        for (std::size_t i = 0; i < kind.arity(); ++i)
            slots.push_back(static_cast<std::uint32_t>(random() % count));
        add(kind, slots);
    }
    ASSERT_LE(count, 150U);
    ASSERT_LE(gates.gates().size(), 150U);
    const auto mine = bench.key().probe_switched(gates.batch(), bench.pool());
    const auto theirs = reference.key().probe_switched(gates.batch(), reference.pool());
    ASSERT_EQ(theirs.size(), rows * (static_cast<std::size_t>(bench.parameters().n()) + 1));
    EXPECT_TRUE(mine == theirs);
}

class ExternalProducts : public testing::TestWithParam<Instance> {};

TEST_P(ExternalProducts, EqualTheExactOnesButForRounding) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    // Two steps of a blind rotation (all other rotations are by 0, which adds nothing): the second decomposes
    // a random accumulator. Errors of an FP64 transform stay far below one step of the gadget, but now and
    // then one moves a coefficient over a rounding boundary: a different, equally good digit, after which all
    // words differ. Such a trial says nothing; the share of the others must be large.
    const auto key = loaded_key(GetParam());
    const auto reference = loaded_key({"reference", GetParam().parameters});
    const scheme::Parameters& set = key->parameters();
    const auto n = static_cast<std::size_t>(set.n());
    const auto block = static_cast<std::size_t>(set.block());
    const double products = set.block() == 1 ? 2 : 4 * set.block();
    const double rounding_std =
        std::sqrt(products * math::fourier_error_variance(1, set.N(), set.k(), set.mask(), set.body()));
    const double bound = 2 + 10 * rounding_std * 4294967296.0;
    auto random = generator(401);
    int agreeing = 0;
    constexpr int trials = 10;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<std::uint16_t> row(n + 1);
        const auto rotations = static_cast<std::uint64_t>(2 * set.N());
        const std::size_t steps = n / block;
        for (const std::size_t step : {random() % (steps / 2), steps / 2 + random() % (steps - steps / 2)}) {
            for (std::size_t i = 0; i < block; ++i) {
                row[step * block + i] = static_cast<std::uint16_t>(random() % rotations);
            }
        }
        row[n] = static_cast<std::uint16_t>(random() % rotations);
        const auto mine = key->probe_accumulators(row);
        const auto exact = reference->probe_accumulators(row);
        ASSERT_EQ(mine.size(), exact.size());
        double largest = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            largest = std::max(largest, std::abs(to_fraction(mine[i] - exact[i])) * 4294967296.0);
        }
        if (largest <= bound) ++agreeing;
    }
    EXPECT_GE(agreeing, trials / 5) << "bound " << bound;
}

class WholeRotations : public testing::TestWithParam<Instance> {};

TEST_P(WholeRotations, OfTheExactTransformEqualTheReferenceBitForBit) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const auto key = loaded_key(GetParam());
    auto random = generator(404);
    const auto rows = random_rows(key->parameters(), 3, random);
    EXPECT_TRUE(key->probe_accumulators(rows) ==
                loaded_key({"reference", GetParam().parameters})->probe_accumulators(rows));
}

class Steps : public testing::TestWithParam<Instance> {};

TEST_P(Steps, RotationWithoutMaskIsExact) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const auto key = loaded_key(GetParam());
    const scheme::Parameters& set = key->parameters();
    const auto N = static_cast<std::uint32_t>(set.N());
    const auto n = static_cast<std::size_t>(set.n());
    const std::array bodies{0U, 1U, N / 2, N - 1, N, N + 1, 2 * N - 1};
    std::vector<std::uint16_t> rows(bodies.size() * (n + 1));
    for (std::size_t i = 0; i < bodies.size(); ++i)
        rows[i * (n + 1) + n] = static_cast<std::uint16_t>(bodies[i]);
    const auto accumulators = key->probe_accumulators(rows);
    const std::size_t words = static_cast<std::size_t>(set.k() + 1) * N;
    ASSERT_EQ(accumulators.size(), bodies.size() * words);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto accumulator = std::span(accumulators).subspan(i * words, words);
        EXPECT_TRUE(
            std::ranges::all_of(accumulator.first(words - N), [](std::uint32_t w) { return w == 0; }));
        EXPECT_TRUE(std::ranges::equal(accumulator.last(N), rotated_test_polynomial(set, bodies[i])))
            << "rotation by " << bodies[i];
    }
    EXPECT_TRUE(key->probe_accumulators({}).empty());
}

TEST_P(Steps, RotationTurnsByThePhase) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const auto key = loaded_key(GetParam());
    const TestKey& secrets = test_key(GetParam().parameters);
    auto random = generator(402);
    const auto rows = random_rows(key->parameters(), 5, random);
    Moments errors;
    add_rotation_errors(secrets.secret, rows, key->probe_accumulators(rows), errors);
    EXPECT_LT(errors.largest(), sigmas * std::sqrt(1.1 * rotation_variance(secrets.secret)));
}

TEST_P(Steps, SwitchedRowsKeepThePhase) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    constexpr std::uint32_t count = 50;
    Workbench bench(GetParam(), count);
    auto random = generator(403);
    bench.randomize(0, count, random);
    BatchBuilder gates;
    for (std::uint32_t slot = 0; slot < count; ++slot)
        gates.add(gate_kind("IDENTITY"), std::array{slot}, slot);
    const auto rows = bench.key().probe_switched(gates.batch(), bench.pool());
    const auto exact = client::phases(bench.secrets().secret, bench.download(0, count));
    const std::size_t width = static_cast<std::size_t>(bench.parameters().n()) + 1;
    Moments errors;
    for (std::uint32_t slot = 0; slot < count; ++slot) {
        const auto row = std::span(rows).subspan(slot * width, width);
        errors.add(switching_error(bench.secrets().secret, row, exact[slot]));
    }
    const bool key_switched = bench.parameters().order() == scheme::GateOrder::key_switch_first;
    const double variance = bench.noise().modulus_switch + (key_switched ? bench.noise().key_switch : 0);
    EXPECT_LT(errors.largest(), sigmas * std::sqrt(1.2 * variance));
    // Words of a random phase would be off by 0.25 on average: the bound above must mean something.
    EXPECT_LT(sigmas * std::sqrt(1.2 * variance), 0.12);
}

TEST_P(Steps, TrivialSamplesSwitchWithoutError) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench bench(GetParam(), 8);
    BatchBuilder gates;
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
        bench.pool().set_trivial(slot, static_cast<int>(slot) - 4);
        gates.add(gate_kind("IDENTITY"), std::array{slot}, slot);
    }
    const auto rows = bench.key().probe_switched(gates.batch(), bench.pool());
    const std::size_t n = static_cast<std::size_t>(bench.parameters().n());
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
        const auto row = std::span(rows).subspan(slot * (n + 1), n + 1);
        EXPECT_TRUE(std::ranges::all_of(row.first(n), [](int rotation) { return rotation == 0; }));
        const std::uint32_t body = math::from_eighths(static_cast<int>(slot) - 4);
        EXPECT_EQ(row[n], body >> (32 - bench.parameters().rotation_log()));
    }
}

/// Every backend but the reference, whose comparison with itself would say nothing.
std::vector<Instance> compared(std::vector<Instance> instances) {
    std::erase_if(instances, [](const Instance& instance) { return instance.backend == "reference"; });
    return instances;
}

INSTANTIATE_TEST_SUITE_P(Reduced, IntegerSteps, testing::ValuesIn(compared(reduced_instances(16))),
                         instance_name);
INSTANTIATE_TEST_SUITE_P(Full, IntegerSteps, testing::ValuesIn(full_instances()), instance_name);
INSTANTIATE_TEST_SUITE_P(Reduced, ExternalProducts, testing::ValuesIn(compared(reduced_instances(16))),
                         instance_name);
INSTANTIATE_TEST_SUITE_P(Slow, ExternalProducts, testing::ValuesIn(full_instances()), instance_name);
std::vector<Instance> exact(std::vector<Instance> instances) {
    std::erase_if(instances, [](const Instance& instance) {
        return transform_of(instance.backend) != backend::Transform::ntt;
    });
    return instances;
}

INSTANTIATE_TEST_SUITE_P(Reduced, WholeRotations, testing::ValuesIn(exact(reduced_instances(16))),
                         instance_name);
INSTANTIATE_TEST_SUITE_P(Reduced, Steps, testing::ValuesIn(reduced_instances(16)), instance_name);
INSTANTIATE_TEST_SUITE_P(Full, Steps, testing::ValuesIn(full_instances()), instance_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(IntegerSteps);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ExternalProducts);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WholeRotations);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Steps);

}  // namespace
}  // namespace toroid::tests
