// SPDX-License-Identifier: Apache-2.0
// Key generation against the definitions, with arithmetic of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "client/secret_key.hpp"
#include "math/decomposition.hpp"
#include "math/negacyclic.hpp"
#include "support/seed.hpp"
#include "support/statistics.hpp"
#include "support/toy_parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::client {
namespace {

using Words = std::vector<std::uint32_t>;

std::size_t size(int value) {
    return static_cast<std::size_t>(value);
}

/// body - sum_c mask_c S_c of a GLWE sample.
Words glwe_phase(const SecretKey& key, std::span<const std::uint32_t> sample) {
    const std::size_t ring = size(key.parameters().N());
    const std::size_t components = size(key.parameters().k());
    Words phase(sample.begin() + static_cast<std::ptrdiff_t>(components * ring), sample.end());
    Words polynomial(ring);
    Words product(ring);
    for (std::size_t c = 0; c < components; ++c) {
        for (std::size_t x = 0; x < ring; ++x)
            polynomial[x] = static_cast<std::uint32_t>(key.glwe()[c * ring + x]);
        math::negacyclic_multiply(sample.subspan(c * ring, ring), polynomial, product);
        for (std::size_t x = 0; x < ring; ++x) phase[x] -= product[x];
    }
    return phase;
}

struct Case {
    const char* name;
    scheme::ParametersLiteral literal;
};

std::vector<Case> cases() {
    auto binary = tests::toy_literal();
    binary.lwe.dimension = 16;
    binary.glwe.ring_dimension = 256;
    auto block = binary;
    block.lwe = {
        .dimension = 18, .key = scheme::KeyDistribution::block_binary, .block = 3, .std_log2 = -15.25};
    block.mask = {.base_log = 6, .levels = 3};
    block.key_switch.gadget = {.base_log = 2, .levels = 7};
    auto other_order = binary;
    other_order.order = scheme::GateOrder::bootstrap_first;
    other_order.lwe.std_log2 = -17.38;
    other_order.glwe = {
        .ring_dimension = 128, .glwe_dimension = 3, .key = scheme::KeyDistribution::binary, .std_log2 = -30};
    other_order.mask = other_order.body = {.base_log = 10, .levels = 2};
    other_order.key_switch = {.gadget = {.base_log = 3, .levels = 5}, .modulus_log = 32};
    return {{"binary", binary}, {"block", block}, {"bootstrap_first", other_order}};
}

class KeyGeneration : public testing::TestWithParam<Case> {
 protected:
    const scheme::Parameters parameters{GetParam().literal};
    tests::SeededSources sources{0x4e1};
    base::ThreadPool pool{2};
    const SecretKey key = SecretKey::generate(parameters, sources, true);
    const scheme::EvaluationKey evaluation_key = make_evaluation_key(key, sources, pool, {});

    [[nodiscard]] Words row(int i, int r) const {
        Words words(size((parameters.k() + 1) * parameters.N()));
        evaluation_key.glwe_row(i, r, words);
        return words;
    }
};
INSTANTIATE_TEST_SUITE_P(Sets, KeyGeneration, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(KeyGeneration, RowsEncryptTheGadgetTimesTheKey) {
    const double std = std::exp2(parameters.literal().glwe.std_log2);
    const std::size_t ring = size(parameters.N());
    Words noise;
    int ones = 0;
    for (int i = 0; i < parameters.n(); ++i) {
        const std::uint32_t bit = key.lwe()[size(i)] == 0 ? 0 : 1;
        ones += key.lwe()[size(i)];
        for (int r = 0; r < parameters.rows(); ++r) {
            Words phase = glwe_phase(key, row(i, r));
            const int mask_rows = parameters.k() * parameters.mask().levels;
            if (r < mask_rows) {
                const int component = r / parameters.mask().levels;
                const int level = r % parameters.mask().levels + 1;
                const std::uint32_t gadget = std::uint32_t{1} << (32 - level * parameters.mask().base_log);
                for (std::size_t x = 0; x < ring; ++x)
                    phase[x] +=
                        bit * gadget * static_cast<std::uint32_t>(key.glwe()[size(component) * ring + x]);
            } else {
                const int level = r - mask_rows + 1;
                phase[0] -= bit << (32 - level * parameters.body().base_log);
            }
            noise.insert(noise.end(), phase.begin(), phase.end());
        }
    }
    ASSERT_GT(ones, 0);
    ASSERT_LT(ones, parameters.n());
    const tests::Moments moments(noise);
    EXPECT_LT(moments.largest, 7 * std);
    EXPECT_NEAR(moments.deviation() / std, 1, 0.02);
    EXPECT_LT(std::abs(moments.mean), 6 * std / std::sqrt(static_cast<double>(noise.size())));
}

TEST_P(KeyGeneration, ExternalProductMultipliesByTheKeyBit) {
    // An encryption of known noiseless phase under random masks, decomposed by hand.
    auto generator = tests::generator(0xacc);
    const std::size_t ring = size(parameters.N());
    const std::size_t words = size(parameters.k() + 1) * ring;
    Words accumulator(words);
    for (auto& word : accumulator) word = static_cast<std::uint32_t>(generator());
    const Words phase = glwe_phase(key, accumulator);
    for (int i = 0; i < 4; ++i) {
        Words product(words);
        for (int component = 0; component <= parameters.k(); ++component) {
            const math::Gadget gadget = component < parameters.k() ? parameters.mask() : parameters.body();
            std::vector<Words> digits(size(gadget.levels), Words(ring));
            for (std::size_t x = 0; x < ring; ++x) {
                std::vector<std::int32_t> of_word(size(gadget.levels));
                math::decompose(accumulator[size(component) * ring + x], gadget, of_word);
                for (std::size_t l = 0; l < of_word.size(); ++l)
                    digits[l][x] = static_cast<std::uint32_t>(of_word[l]);
            }
            for (int l = 0; l < gadget.levels; ++l) {
                const Words words_of_row = row(i, component * parameters.mask().levels + l);
                Words part(ring);
                for (std::size_t c = 0; c < size(parameters.k() + 1); ++c) {
                    math::negacyclic_multiply(digits[size(l)],
                                              std::span(words_of_row).subspan(c * ring, ring), part);
                    for (std::size_t x = 0; x < ring; ++x) product[c * ring + x] += part[x];
                }
            }
        }
        Words error = glwe_phase(key, product);
        if (key.lwe()[size(i)] != 0)
            for (std::size_t x = 0; x < ring; ++x) error[x] -= phase[x];
        EXPECT_LT(tests::Moments(error).largest, std::exp2(-7)) << "bit " << int{key.lwe()[size(i)]};
    }
}

TEST_P(KeyGeneration, KeySwitchingSamplesEncryptTheGlweKey) {
    const double std = std::exp2(parameters.literal().lwe.std_log2);
    const int modulus_log = parameters.key_switch_modulus_log();
    const math::Gadget gadget = parameters.key_switch_gadget();
    Words noise;
    Words sample(size(parameters.n()) + 1);
    for (int j = 0; j < parameters.extracted_dimension(); ++j) {
        for (int l = 0; l < gadget.levels; ++l) {
            evaluation_key.lwe_sample(j, l, sample);
            for (const std::uint32_t word : sample) ASSERT_LT(word, std::uint64_t{1} << modulus_log);
            std::uint32_t phase = sample.back();
            for (int i = 0; i < parameters.n(); ++i)
                if (key.lwe()[size(i)] != 0) phase -= sample[size(i)];
            phase -= static_cast<std::uint32_t>(key.glwe()[size(j)])
                     << (modulus_log - (l + 1) * gadget.base_log);
            noise.push_back(phase << (32 - modulus_log));
        }
    }
    const tests::Moments moments(noise);
    EXPECT_LT(moments.largest, 7 * std);
    EXPECT_NEAR(moments.deviation() / std, 1, 6 / std::sqrt(2.0 * static_cast<double>(noise.size())));
    EXPECT_LT(std::abs(moments.mean), 6 * std / std::sqrt(static_cast<double>(noise.size())));
}

TEST_P(KeyGeneration, BelongsToTheSecretKey) {
    EXPECT_EQ(evaluation_key.key_id(), key.key_id());
    EXPECT_EQ(evaluation_key.parameters().fingerprint(), parameters.fingerprint());
}

TEST(KeyGenerationRandomness, TwoKeysDiffer) {
    const scheme::Parameters parameters(tests::toy_literal());
    auto& random = base::system_random_sources();
    base::ThreadPool pool(2);
    const SecretKey key = SecretKey::generate(parameters, random, true);
    const SecretKey other = SecretKey::generate(parameters, random, true);
    EXPECT_NE(key.key_id(), other.key_id());
    EXPECT_FALSE(std::ranges::equal(key.glwe(), other.glwe()));
    // Two evaluation keys of one secret key share neither masks nor noise.
    const auto first = make_evaluation_key(key, random, pool, {});
    const auto second = make_evaluation_key(key, random, pool, {});
    EXPECT_NE(first.seed(), second.seed());
    Words row(size((parameters.k() + 1) * parameters.N()));
    first.glwe_row(0, 0, row);
    const Words phase = glwe_phase(key, row);
    second.glwe_row(0, 0, row);
    EXPECT_NE(glwe_phase(key, row), phase);
    first.glwe_row(1, 0, row);
    Words neighbour = glwe_phase(key, row);
    EXPECT_NE(neighbour, phase);
}

TEST(KeyGenerationRandomness, WorkersDoNotShareNoise) {
    // With equal noise two samples differ by their messages only, however the tasks fell to the workers.
    const scheme::Parameters parameters(tests::toy_literal());
    tests::SeededSources sources(0x5a3e);
    base::ThreadPool pool(4);
    const SecretKey key = SecretKey::generate(parameters, sources, true);
    const auto evaluation_key = make_evaluation_key(key, sources, pool, {});
    std::vector<std::uint32_t> seen;
    Words row(size((parameters.k() + 1) * parameters.N()));
    for (int i = 0; i < parameters.n(); ++i)
        for (int r = parameters.k() * parameters.mask().levels; r < parameters.rows(); ++r) {
            evaluation_key.glwe_row(i, r, row);
            const Words phase = glwe_phase(key, row);  // coefficients 1... of a body row are noise alone
            seen.push_back(phase[1] * 0x9e3779b1U + phase[2] * 0x85ebca6bU + phase[3]);
        }
    std::ranges::sort(seen);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

TEST(KeyGenerationProgress, IsMonotonicSerialAndComplete) {
    const scheme::Parameters parameters(tests::toy_literal());
    tests::SeededSources sources;
    for (const unsigned threads : {1U, 3U}) {
        base::ThreadPool pool(threads);
        const SecretKey key = SecretKey::generate(parameters, sources, true);
        std::atomic<int> inside{0};
        std::vector<std::uint64_t> seen;
        std::uint64_t whole = 0;
        (void)make_evaluation_key(key, sources, pool, [&](std::uint64_t done, std::uint64_t total) {
            EXPECT_EQ(inside.fetch_add(1), 0);
            seen.push_back(done);
            whole = total;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));  // long enough for another to enter
            inside.fetch_sub(1);
        });
        ASSERT_FALSE(seen.empty());
        EXPECT_TRUE(std::ranges::is_sorted(seen));
        EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
        EXPECT_EQ(seen.back(), whole);
        EXPECT_EQ(whole, static_cast<std::uint64_t>(parameters.n() + parameters.extracted_dimension() / 64));
    }
}

TEST(KeyGenerationProgress, MayStopTheWork) {
    const scheme::Parameters parameters(tests::toy_literal());
    tests::SeededSources sources;
    base::ThreadPool pool(2);
    const SecretKey key = SecretKey::generate(parameters, sources, true);
    EXPECT_THROW((void)make_evaluation_key(
                     key, sources, pool,
                     [](std::uint64_t, std::uint64_t) { throw Error(ErrorKind::interrupted, "stopped"); }),
                 Error);
    EXPECT_NO_THROW((void)make_evaluation_key(key, sources, pool, {}));
}

}  // namespace
}  // namespace toroid::client
