// SPDX-License-Identifier: Apache-2.0
#include "math/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace toroid::math {
namespace {

TEST(Noise, DigitVariances) {
    EXPECT_DOUBLE_EQ(digit_variance(2), 1.5);
    EXPECT_DOUBLE_EQ(digit_variance(3), 5.5);
    EXPECT_NEAR(balanced_digit_variance(2), 1.30, 1e-12);
    EXPECT_NEAR(balanced_digit_variance(3), 5.28, 0.005);
    // B = 2 is the non-adjacent form: a third of its digits are not zero.
    EXPECT_NEAR(balanced_digit_variance(1), 1.0 / 3, 1e-12);
    // Enumerated over all values of one digit, equally likely.
    for (int base_log = 1; base_log <= 10; ++base_log) {
        const int half = 1 << (base_log - 1);
        double sum = 0;
        for (int digit = -half; digit < half; ++digit) sum += static_cast<double>(digit) * digit;
        EXPECT_NEAR(digit_variance(base_log), sum / (2 * half), 1e-9);
    }
}

/// log2 erfc(z / sqrt(2)) computed with 60 digits.
TEST(Noise, FailureLog2AgainstKnownValues) {
    const std::vector<std::pair<double, double>> known{
        {0.5, -0.69648206697411858902}, {3, -8.5329338513249494115},  {6.9, -37.484555066077591282},
        {7.08, -39.335521648224193797}, {8, -49.513712155086072359},  {13.2, -129.74397041343113453},
        {20, -293.1902688060662713},    {37, -993.06100883259857514}, {100, -7220.4449529327824143},
        {1000, -721357.81197827379336}};
    for (const auto& [z, expected] : known) {
        EXPECT_NEAR(failure_log2(z, 1), expected, std::abs(expected) * 1e-13 + 1e-13) << "z = " << z;
        EXPECT_NEAR(failure_log2(z / 8, 1.0 / 64), expected, std::abs(expected) * 1e-13 + 1e-13);
    }
}

TEST(Noise, FailureLog2FallsWithTheMarginAcrossBothFormulas) {
    double previous = 0;
    for (double z = 0.01; z < 60; z += 0.01) {
        const double now = failure_log2(z, 1);
        EXPECT_LT(now, previous) << "z = " << z;
        previous = now;
    }
    // The two formulas meet at x = 5.
    EXPECT_NEAR(failure_log2(std::nextafter(5, 0) * std::sqrt(2), 1),
                failure_log2(std::nextafter(5, 6) * std::sqrt(2), 1), 1e-12);
}

TEST(Noise, FailureLog2AtTheEnds) {
    EXPECT_EQ(failure_log2(0, 1), 0);
    EXPECT_EQ(failure_log2(-1, 1), 0);
    EXPECT_EQ(failure_log2(0.125, 0), -std::numeric_limits<double>::infinity());
    EXPECT_NEAR(failure_log2(1e-9, 1), 0, 1e-8);
}

/// Standard deviations (log2) of blind rotation, key switch and modulus switch of set "S3 2^-128": n = 642,
/// 2^-13.87, N = 512, k = 2 ternary, 2^-24.97, mask 8x2, body 7x2, key switch 2x6.
TEST(Noise, ReproducesThePublishedSplitOfABinarySet) {
    const ExternalProductNoise product =
        external_product_noise(512, 2, {8, 2}, {7, 2}, std::exp2(-24.97), 2.0 / 3);
    EXPECT_NEAR(0.5 * std::log2(blind_rotation_variance_binary(642, product)), -8.18, 0.006);
    EXPECT_NEAR(0.5 * std::log2(key_switch_variance(1024, {2, 6}, std::exp2(-13.87), 2.0 / 3, 16)), -7.32,
                0.006);
    EXPECT_NEAR(0.5 * std::log2(modulus_switch_variance(642, 512, 0.25)), -8.12, 0.006);
}

/// The same for "B3 2^-128": block-binary 3, n = 696, 2^-14.72.
TEST(Noise, ReproducesThePublishedSplitOfABlockSet) {
    const ExternalProductNoise product =
        external_product_noise(512, 2, {8, 2}, {7, 2}, std::exp2(-24.97), 2.0 / 3);
    EXPECT_NEAR(0.5 * std::log2(blind_rotation_variance_block(696, 3, product)), -7.77, 0.006);
    EXPECT_NEAR(0.5 * std::log2(key_switch_variance(1024, {2, 6}, std::exp2(-14.72), 2.0 / 3, 16)), -8.04,
                0.006);
    EXPECT_NEAR(0.5 * std::log2(modulus_switch_variance(696, 512, 3.0 / 16)), -8.27, 0.006);
}

TEST(Noise, PublicKeyVariances) {
    EXPECT_DOUBLE_EQ(public_key_variance_module(1024, 0.5, 2.0 / 3, 2.0 / 3), 0.25 * (1024 * 4.0 / 3 + 1));
    EXPECT_DOUBLE_EQ(public_key_variance_lwe(800, 0.5, 0.5), 0.25 * 801);
}

TEST(Noise, FourierErrorsOfThePublishedSet) {
    // 2^-36 for mask 8x2, body 7x2.
    EXPECT_NEAR(0.5 * std::log2(fourier_error_variance(652, 512, 2, {8, 2}, {7, 2})), -36, 0.5);
}

}  // namespace
}  // namespace toroid::math
