// SPDX-License-Identifier: Apache-2.0
#include "scheme/sampling.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "support/seed.hpp"
#include "support/statistics.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

/// Sum of (seen - expected)^2 / expected; with m equally likely cases its mean is m - 1, its variance 2 (m -
/// 1).
double chi_square(const std::vector<std::size_t>& seen) {
    double total = 0;
    for (const std::size_t count : seen) total += static_cast<double>(count);
    const double expected = total / static_cast<double>(seen.size());
    double sum = 0;
    for (const std::size_t count : seen) sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
    return sum;
}

class Sampling : public testing::Test {
 protected:
    tests::SeededSources sources{0x5a11};
    std::unique_ptr<base::RandomSource> source = sources.make();
};

/// A source whose words are given: shows which words are rejected.
class ScriptedSource : public base::RandomSource {
 public:
    explicit ScriptedSource(std::vector<std::uint32_t> words) : words_(std::move(words)) {}
    void fill(std::span<std::byte> bytes) override {
        ASSERT_EQ(bytes.size(), 4U);
        for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(words_.at(next_) >> (8 * i));
        ++next_;
    }
    [[nodiscard]] std::size_t used() const { return next_; }

 private:
    std::vector<std::uint32_t> words_;
    std::size_t next_ = 0;
};

TEST_F(Sampling, BelowRejectsExactlyTheSurplusWords) {
    // 2^32 = 3 * 1431655765 + 1: one word in all of 2^32, the word 0, is surplus.
    ScriptedSource words({0, 1, 0x55555555, 0x55555556, 0xaaaaaaaa, 0xaaaaaaab, 0xffffffff});
    EXPECT_EQ(sample_below(words, 3), 0U);
    EXPECT_EQ(words.used(), 2U);
    EXPECT_EQ(sample_below(words, 3), 0U);
    EXPECT_EQ(sample_below(words, 3), 1U);
    EXPECT_EQ(sample_below(words, 3), 1U);
    EXPECT_EQ(sample_below(words, 3), 2U);
    EXPECT_EQ(sample_below(words, 3), 2U);
    EXPECT_THROW((void)sample_below(*source, 0), Error);
}

TEST_F(Sampling, BelowIsUniform) {
    for (const std::uint32_t bound : {2U, 3U, 4U, 5U, 7U}) {
        std::vector<std::size_t> seen(bound);
        for (int i = 0; i < 200000; ++i) ++seen.at(sample_below(*source, bound));
        EXPECT_LT(chi_square(seen), bound - 1 + 6 * std::sqrt(2.0 * bound) + 10) << bound;
    }
}

TEST_F(Sampling, KeysHaveTheirDistribution) {
    std::vector<std::int8_t> key(300000);
    sample_key(*source, KeyDistribution::binary, 1, key);
    std::vector<std::size_t> binary(2);
    for (const auto s : key) ++binary.at(static_cast<std::size_t>(s));
    EXPECT_LT(chi_square(binary), 30);
    EXPECT_TRUE(is_key_of(KeyDistribution::binary, 1, key));

    sample_key(*source, KeyDistribution::ternary, 1, key);
    std::vector<std::size_t> ternary(3);
    for (const auto s : key) ++ternary.at(static_cast<std::size_t>(s + 1));
    EXPECT_LT(chi_square(ternary), 35);
    EXPECT_TRUE(is_key_of(KeyDistribution::ternary, 1, key));
    EXPECT_FALSE(is_key_of(KeyDistribution::binary, 1, key));

    for (const int block : {2, 3, 4}) {
        sample_key(*source, KeyDistribution::block_binary, block, key);
        const auto length = static_cast<std::size_t>(block);
        std::vector<std::size_t> cases(length + 1);
        for (std::size_t begin = 0; begin < key.size(); begin += length) {
            std::size_t chosen = length;
            int ones = 0;
            for (std::size_t j = 0; j < length; ++j) {
                if (key[begin + j] == 1) chosen = j;
                ones += key[begin + j];
            }
            ASSERT_LE(ones, 1);
            ++cases.at(chosen);
        }
        EXPECT_LT(chi_square(cases), 40) << block;
        EXPECT_TRUE(is_key_of(KeyDistribution::block_binary, block, key));
    }
    EXPECT_THROW(sample_block_binary(*source, 7, std::span(key).first(20)), Error);
}

TEST_F(Sampling, ForeignCoefficientsAreNoKey) {
    std::vector<std::int8_t> key(12, 0);
    EXPECT_TRUE(is_key_of(KeyDistribution::block_binary, 3, key));
    for (const int wrong : {-128, -2, -1, 2, 3, 127}) {
        key[7] = static_cast<std::int8_t>(wrong);
        EXPECT_FALSE(is_key_of(KeyDistribution::binary, 1, key)) << wrong;
        EXPECT_EQ(is_key_of(KeyDistribution::ternary, 1, key), wrong == -1) << wrong;
        EXPECT_FALSE(is_key_of(KeyDistribution::block_binary, 3, key)) << wrong;
    }
    key[7] = key[8] = 1;
    EXPECT_TRUE(is_key_of(KeyDistribution::binary, 1, key));
    EXPECT_FALSE(is_key_of(KeyDistribution::block_binary, 3, key));
}

TEST_F(Sampling, NoiseIsGaussianOfTheNominalDeviation) {
    struct Case {
        double std_log2;
        int modulus_log;
    };
    for (const auto& [std_log2, modulus_log] :
         {Case{-24.97, 32}, Case{-13.87, 16}, Case{-15.25, 16}, Case{-30.0, 32}}) {
        const double std = std::exp2(std_log2);
        NoiseSampler sampler(sources.make(), std, modulus_log);
        std::vector<std::uint32_t> noise(1000000);
        sampler.fill(noise);
        const tests::Moments moments(noise);
        // 5 standard errors, and never more than the 1 % that the noise formulas rely on.
        EXPECT_LT(std::abs(moments.mean), 5e-3 * std) << std_log2;
        EXPECT_NEAR(moments.deviation() / std, 1.0, 0.004) << std_log2;
        EXPECT_NEAR(moments.kurtosis, 3.0, 0.03) << std_log2;
        EXPECT_GT(moments.largest, 4.2 * std) << std_log2;
        EXPECT_LT(moments.largest, 7.0 * std) << std_log2;
        std::uint32_t bits = 0;
        for (const std::uint32_t word : noise) bits |= word;
        EXPECT_EQ(bits & ((std::uint64_t{1} << (32 - modulus_log)) - 1), 0U)
            << "not a multiple of 2^-" << modulus_log;
        EXPECT_NE(bits >> (32 - modulus_log) & 1, 0U);
    }
}

TEST_F(Sampling, NoiseWordsAreIndependent) {
    const double std = std::exp2(-20);
    constexpr std::size_t count = 300001;  // odd: the last pair is used by half
    NoiseSampler one(sources.make(), std, 32);
    NoiseSampler other(sources.make(), std, 32);
    std::vector<std::uint32_t> first(count);
    std::vector<std::uint32_t> second(count);
    one.fill(first);
    other.fill(second);
    const auto correlation = [&](std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                 int power) {
        double sum = 0;
        const double centre = power == 2 ? 1.0 : 0.0;
        for (std::size_t i = 0; i < b.size(); ++i)
            sum += (std::pow(tests::Moments::value(a[i]) / std, power) - centre) *
                   (std::pow(tests::Moments::value(b[i]) / std, power) - centre);
        return sum / static_cast<double>(b.size()) / (power == 2 ? 2.0 : 1.0);
    };
    const double limit = 6 / std::sqrt(static_cast<double>(count));
    for (const int power : {1, 2}) {
        EXPECT_LT(std::abs(correlation(first, second, power)), limit);
        for (const std::size_t lag : {1U, 2U, 512U})
            EXPECT_LT(std::abs(correlation(first, std::span(first).subspan(lag), power)), 1.5 * limit) << lag;
    }
}

TEST_F(Sampling, NoiseThatCannotBeSampledIsRefused) {
    for (const double std : {0.0, -1.0, std::exp2(-16.5), 0.5, std::nan("")}) {
        try {
            NoiseSampler sampler(sources.make(), std, 16);
            ADD_FAILURE() << std;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::parameters);
        }
    }
    EXPECT_THROW(NoiseSampler(sources.make(), 0.1, 33), Error);
}

TEST_F(Sampling, SystemSourcesDiffer) {
    const auto one = base::system_random_sources().make();
    const auto other = base::system_random_sources().make();
    EXPECT_NE(sample_mask_seed(*one), sample_mask_seed(*other));
    EXPECT_NE(sample_mask_seed(*one), sample_mask_seed(*one));
    EXPECT_NE(sample_key_id(*one), sample_key_id(*other));
}

}  // namespace
}  // namespace toroid::scheme
