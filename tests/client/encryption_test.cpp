// SPDX-License-Identifier: Apache-2.0
#include "client/encryption.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "math/torus.hpp"
#include "scheme/noise_model.hpp"
#include "support/seed.hpp"
#include "support/statistics.hpp"
#include "support/toy_parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::client {
namespace {

std::vector<bool> random_bits(std::size_t count, std::uint64_t purpose) {
    auto generator = tests::generator(purpose);
    std::vector<bool> bits(count);
    for (std::size_t i = 0; i < count; ++i) bits[i] = (generator() & 1) != 0;
    return bits;
}

/// Phases minus messages.
std::vector<std::uint32_t> errors(const SecretKey& key, const scheme::LweArray& samples,
                                  const std::vector<bool>& bits) {
    std::vector<std::uint32_t> result = phases(key, samples);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] -= math::encode_bit(bits[i]);
    return result;
}

class Encryption : public testing::TestWithParam<std::string> {
 protected:
    const scheme::Parameters& parameters = scheme::named_parameters(GetParam());
    tests::SeededSources sources{0xe4c};
};

std::vector<std::string> set_names() {
    std::vector<std::string> names;
    for (const auto& parameters : scheme::named_parameters()) names.push_back(parameters.name());
    return names;
}

INSTANTIATE_TEST_SUITE_P(NamedSets, Encryption, testing::ValuesIn(set_names()), [](const auto& info) {
    std::string name = info.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST_P(Encryption, DecryptsToTheSameBits) {
    const SecretKey key = SecretKey::generate(parameters, sources, true);
    const auto bits = random_bits(200, 1);
    const SeededSamples encrypted = encrypt(key, bits, sources);
    EXPECT_EQ(encrypted.samples.count(), bits.size());
    EXPECT_EQ(encrypted.samples.dimension(), parameters.wire_dimension());
    EXPECT_EQ(decrypt(key, encrypted.samples), bits);
    std::vector<std::uint32_t> mask(static_cast<std::size_t>(parameters.wire_dimension()));
    for (std::size_t i = 0; i < bits.size(); ++i) {
        scheme::expand_sample_mask(encrypted.seed, i, mask);
        ASSERT_TRUE(std::ranges::equal(mask, encrypted.samples[i].first(mask.size())));
    }
    const SecretKey other = SecretKey::generate(parameters, sources, true);
    EXPECT_NE(decrypt(other, encrypted.samples), bits);
}

TEST_P(Encryption, PublicKeyDecryptsToTheSameBits) {
    const SecretKey key = SecretKey::generate(parameters, sources, true);
    const scheme::PublicKey public_key = make_public_key(key, sources);
    EXPECT_EQ(public_key.key_id(), key.key_id());
    // More than a ring of bits, and not a multiple.
    const auto bits = random_bits(parameters.order() == scheme::GateOrder::key_switch_first ? 1100 : 40, 2);
    const scheme::LweArray samples = public_key.encrypt(bits, sources);
    EXPECT_EQ(samples.dimension(), parameters.wire_dimension());
    EXPECT_EQ(decrypt(key, samples), bits);
}

TEST_P(Encryption, FreshVariancesAreWithinTheUnit) {
    const scheme::NoiseModel model(parameters);
    EXPECT_GT(model.fresh, 0);
    EXPECT_LE(model.fresh, 1);
    EXPECT_GT(model.fresh_public_key, model.fresh);
    EXPECT_LE(model.fresh_public_key, 1);
}

class EncryptionNoise : public testing::TestWithParam<scheme::GateOrder> {
 protected:
    static scheme::Parameters toy(scheme::GateOrder order) {
        auto literal = tests::toy_literal();
        literal.order = order;
        literal.lwe.dimension = 200;
        literal.glwe.ring_dimension = 256;
        if (order == scheme::GateOrder::bootstrap_first) {
            literal.lwe.std_log2 = -17;
            literal.key_switch = {.gadget = {.base_log = 3, .levels = 5}, .modulus_log = 32};
        }
        return scheme::Parameters(literal);
    }
    const scheme::Parameters parameters = toy(GetParam());
    const scheme::NoiseModel model{parameters};
    tests::SeededSources sources{0x401};
};
INSTANTIATE_TEST_SUITE_P(Orders, EncryptionNoise,
                         testing::Values(scheme::GateOrder::key_switch_first,
                                         scheme::GateOrder::bootstrap_first));

TEST_P(EncryptionNoise, SecretKeyEncryptionsHaveTheModelsVariance) {
    const SecretKey key = SecretKey::generate(parameters, sources, true);
    const auto bits = random_bits(50000, 3);
    const tests::Moments moments(errors(key, encrypt(key, bits, sources).samples, bits));
    const double variance = model.fresh * model.unit;
    EXPECT_NEAR(moments.variance / variance, 1, 0.04);
    EXPECT_LT(std::abs(moments.mean), 6 * std::sqrt(variance / 50000));
    EXPECT_NEAR(moments.kurtosis, 3, 0.15);
}

TEST_P(EncryptionNoise, PublicKeyEncryptionsHaveTheModelsVariance) {
    // The error depends on the key's own errors: with binary r in LWE mode their sum shifts all bits of one
    // key alike, so the mean square of a key varies by some 70 %. What is tested is the mean over keys,
    // against its own spread.
    const bool module = GetParam() == scheme::GateOrder::key_switch_first;
    const int keys = module ? 60 : 800;
    const std::size_t bits_a_key = module ? 400 : 40;
    const double expected = model.fresh_public_key * model.unit;
    std::vector<double> squares;
    std::vector<double> means;
    for (int trial = 0; trial < keys; ++trial) {
        const SecretKey key = SecretKey::generate(parameters, sources, true);
        const scheme::PublicKey public_key = make_public_key(key, sources);
        const auto bits = random_bits(bits_a_key, 4 + static_cast<std::uint64_t>(trial));
        const tests::Moments moments(errors(key, public_key.encrypt(bits, sources), bits));
        squares.push_back((moments.variance + moments.mean * moments.mean) / expected);
        means.push_back(moments.mean / std::sqrt(expected));
    }
    const tests::MeanEstimate square(squares);
    EXPECT_LT(square.standard_error, 0.04);
    EXPECT_NEAR(square.mean, 1, 6 * square.standard_error);
    const tests::MeanEstimate mean(means);
    EXPECT_LT(std::abs(mean.mean), 6 * mean.standard_error);
    // The formula of the construction, written out.
    const double std =
        std::exp2(module ? parameters.literal().glwe.std_log2 : parameters.literal().lwe.std_log2);
    const double moments_of_key = module ? 512 * (2.0 / 3 + 2.0 / 3) : 200 * (1.0 / 2 + 1.0 / 2);
    EXPECT_NEAR(expected / (std * std * (1 + moments_of_key)), 1, 1e-9);
}

TEST(EncryptionOfOneBit, UsesFreshMasksEachTime) {
    const scheme::Parameters parameters(tests::toy_literal());
    auto& random = base::system_random_sources();
    const SecretKey key = SecretKey::generate(parameters, random, true);
    const auto one = encrypt(key, {true, true}, random);
    const auto other = encrypt(key, {true, true}, random);
    EXPECT_NE(one.seed, other.seed);
    EXPECT_FALSE(std::ranges::equal(one.samples[0], other.samples[0]));
    EXPECT_FALSE(std::ranges::equal(one.samples[0], one.samples[1]));
    const scheme::PublicKey public_key = make_public_key(key, random);
    const auto first = public_key.encrypt({true, true}, random);
    const auto second = public_key.encrypt({true, true}, random);
    EXPECT_FALSE(std::ranges::equal(first[0], second[0]));
    EXPECT_FALSE(std::ranges::equal(first[0], first[1]));
}

TEST(EncryptionOfNothing, IsNothing) {
    tests::SeededSources sources;
    const SecretKey key = SecretKey::generate(scheme::Parameters(tests::toy_literal()), sources, true);
    EXPECT_EQ(encrypt(key, {}, sources).samples.count(), 0U);
    EXPECT_EQ(make_public_key(key, sources).encrypt({}, sources).count(), 0U);
    EXPECT_TRUE(decrypt(key, scheme::LweArray()).empty());
}

TEST(EncryptionOfAnotherSet, IsRefused) {
    tests::SeededSources sources;
    const SecretKey key = SecretKey::generate(scheme::Parameters(tests::toy_literal()), sources, true);
    try {
        (void)decrypt(key, scheme::LweArray(1, 127));
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::key_mismatch);
    }
}

TEST(EncryptionInOtherThreads, DecryptsHere) {
    auto& random = base::system_random_sources();
    const SecretKey key = SecretKey::generate(scheme::Parameters(tests::toy_literal()), random, true);
    SeededSamples one;
    SeededSamples other;
    std::thread([&] { one = encrypt(key, {true, false}, random); }).join();
    std::thread([&] { other = encrypt(key, {true, false}, random); }).join();
    EXPECT_NE(one.seed, other.seed);
    EXPECT_EQ(decrypt(key, one.samples), (std::vector<bool>{true, false}));
    EXPECT_EQ(decrypt(key, other.samples), (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace toroid::client
