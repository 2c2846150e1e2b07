// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "math/decomposition.hpp"
#include "math/noise.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::math {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

TEST(DivideRounded, HalvesGoUp) {
    EXPECT_EQ(divide_rounded(1, 2), 1);
    EXPECT_EQ(divide_rounded(-1, 2), 0);
    EXPECT_EQ(divide_rounded(-3, 2), -1);
    EXPECT_EQ(divide_rounded(7, 4), 2);
    EXPECT_EQ(divide_rounded(-7, 4), -2);
    EXPECT_EQ(divide_rounded(5, 1), 5);
    for (std::int64_t denominator = 1; denominator <= 7; ++denominator) {
        for (std::int64_t numerator = -50; numerator <= 50; ++numerator) {
            EXPECT_EQ(divide_rounded(numerator, denominator),
                      floor_divide(2 * numerator + denominator, 2 * denominator));
        }
    }
    EXPECT_THROW(static_cast<void>(divide_rounded(1, 0)), Error);
}

class ModulusSwitch : public testing::TestWithParam<std::tuple<int, int, KeyMean>> {};

TEST_P(ModulusSwitch, EqualsThePlainRationalComputation) {
    const auto [modulus_log, rotation_log, mean] = GetParam();
    auto random = tests::generator(3);
    const std::int64_t modulus = std::int64_t{1} << modulus_log;
    const std::int64_t rotation = std::int64_t{1} << rotation_log;
    const std::int64_t step = modulus / rotation;
    for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<std::uint32_t> sample(31);
        for (std::uint32_t& word : sample)
            word = static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(modulus));
        // Ties and the ends of the range.
        sample[0] = 0;
        sample[1] = static_cast<std::uint32_t>(modulus - 1);
        sample[2] = static_cast<std::uint32_t>(step / 2);
        sample[3] = static_cast<std::uint32_t>(modulus - step / 2);
        std::vector<std::uint16_t> out(sample.size());
        modulus_switch(sample, modulus_log, rotation_log, mean, out);

        std::int64_t errors = 0;
        for (std::size_t i = 0; i + 1 < sample.size(); ++i) {
            const std::int64_t rounded = floor_divide(2 * std::int64_t{sample[i]} + step, 2 * step);
            EXPECT_EQ(out[i], rounded % rotation);
            errors += sample[i] - rounded * step;
        }
        const std::int64_t correction =
            floor_divide(2 * mean.numerator * errors + mean.denominator, 2 * mean.denominator);
        const std::int64_t body = floor_divide(sample.back() - correction, step);
        EXPECT_EQ(out.back(), ((body % rotation) + rotation) % rotation);
    }
}

INSTANTIATE_TEST_SUITE_P(Moduli, ModulusSwitch,
                         testing::Combine(testing::Values(16, 32), testing::Values(5, 10, 11, 12),
                                          testing::Values(KeyMean{0, 1}, KeyMean{1, 2}, KeyMean{1, 3},
                                                          KeyMean{1, 4})));

/// rotation index in [0, N) exactly for phases in [0, 1/2): with a zero mask the body alone decides.
TEST(ModulusSwitchBody, TrivialSamplesRotateToTheRightHalf) {
    std::vector<std::uint16_t> out(1);
    for (const auto& [body, index] : std::vector<std::pair<std::uint32_t, int>>{
             {0, 0}, {0x7fffffffU, 511}, {0x80000000U, 512}, {0xffffffffU, 1023}}) {
        modulus_switch(std::vector<std::uint32_t>{body}, 32, 10, {1, 2}, out);
        EXPECT_EQ(out[0], index);
    }
}

/// Measured variance of phase * 2N against the formula, for a binary and a block-binary key.
TEST(ModulusSwitchNoise, MatchesTheFormula) {
    auto random = tests::generator(4);
    constexpr int n = 600;
    constexpr int rotation_log = 10;
    for (const int block : {1, 3}) {
        const KeyMean mean{1, block + 1};
        const double p = 1.0 / (block + 1);
        double sum = 0;
        double squares = 0;
        constexpr int count = 4000;
        std::vector<std::uint32_t> sample(n + 1);
        std::vector<std::uint16_t> out(n + 1);
        for (int repeat = 0; repeat < count; ++repeat) {
            std::uint32_t phase = static_cast<std::uint32_t>(random());
            sample[n] = phase;
            std::vector<int> key(n);
            for (int begin = 0; begin < n; begin += block) {
                const auto chosen = static_cast<int>(random() % static_cast<unsigned>(block + 1));
                if (chosen < block) key[static_cast<std::size_t>(begin + chosen)] = 1;
            }
            for (std::size_t i = 0; i < n; ++i) {
                sample[i] = static_cast<std::uint32_t>(random());
                if (key[i] != 0) sample[n] += sample[i];
            }
            modulus_switch(sample, 32, rotation_log, mean, out);
            std::int64_t index = out[n];
            for (std::size_t i = 0; i < n; ++i) index -= key[i] * out[i];
            double error = (static_cast<double>(index) + 0.5) / (1 << rotation_log) - phase / 4294967296.0;
            error -= std::round(error);
            sum += error;
            squares += error * error;
        }
        const double expected = modulus_switch_variance(n, 1 << (rotation_log - 1), p * (1 - p));
        EXPECT_NEAR(squares / count, expected, 6 * expected * std::sqrt(2.0 / count)) << "block " << block;
        EXPECT_NEAR(sum / count, 0, 6 * std::sqrt(expected / count)) << "block " << block;
    }
}

TEST(ModulusSwitchErrors, RefusesSizesAndModuli) {
    std::vector<std::uint32_t> sample(3);
    std::vector<std::uint16_t> out(2);
    EXPECT_THROW(modulus_switch(sample, 32, 10, {1, 2}, out), Error);
    out.resize(3);
    EXPECT_THROW(modulus_switch(sample, 10, 10, {1, 2}, out), Error);
    EXPECT_THROW(modulus_switch(sample, 32, 17, {1, 2}, out), Error);
    EXPECT_THROW(modulus_switch(sample, 33, 10, {1, 2}, out), Error);
}

}  // namespace
}  // namespace toroid::math
