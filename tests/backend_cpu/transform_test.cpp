// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "backend_cpu/transform_plan.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

using backend_cpu::TransformPlan;

class Transform : public testing::TestWithParam<int> {};

/// Leaves are the values at exp(2 pi i e / 2N) with the exponents that the kernels use for monomials.
TEST_P(Transform, LeavesAreValuesAtTheTablesRoots) {
    const int ring = GetParam();
    const TransformPlan plan(ring);
    auto random = generator(21);
    std::vector<std::int32_t> polynomial(static_cast<std::size_t>(ring));
    for (std::int32_t& coefficient : polynomial) coefficient = static_cast<std::int32_t>(random());
    std::vector<double> leaves(static_cast<std::size_t>(ring));
    plan.forward(polynomial, 0.5, leaves);

    const std::size_t points = leaves.size() / 2;
    std::vector<bool> seen(2 * leaves.size());
    double worst = 0;
    for (std::size_t leaf = 0; leaf < points; leaf += leaf < 4 ? 1 : 1 + points / 12) {
        const std::size_t exponent =
            (plan.tables().leaf_exponents[leaf / 4] + leaf % 4 * (leaves.size() / 2)) % (2 * leaves.size());
        EXPECT_EQ(exponent % 2, 1U);
        EXPECT_FALSE(seen[exponent]) << "two leaves at one root";
        seen[exponent] = true;
        std::complex<long double> sum = 0;
        for (std::size_t j = 0; j < polynomial.size(); ++j) {
            const long double angle = std::numbers::pi_v<long double> *
                                      static_cast<long double>(exponent * j % (2 * leaves.size())) /
                                      static_cast<long double>(ring);
            sum += std::complex<long double>(std::cos(angle), std::sin(angle)) *
                   static_cast<long double>(polynomial[j]);
        }
        const std::complex<long double> got(leaves[2 * leaf], leaves[2 * leaf + 1]);
        worst = std::max(worst, static_cast<double>(std::abs(got - 0.5L * sum)));
    }
    // Values are near 2^30 sqrt(N); each of log2(N) roundings adds about 2^-53 of that.
    EXPECT_LT(worst, std::exp2(-51) * std::exp2(30) * std::sqrt(ring) * std::log2(ring));
    EXPECT_GT(worst, 0);
}

INSTANTIATE_TEST_SUITE_P(Rings, Transform,
                         testing::Values(64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace toroid::tests
