// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "scheme/parameters.hpp"
#include "scheme/security_estimate.hpp"

namespace toroid::scheme {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// tfhe128 with another LWE key, under another name.
ParametersLiteral with_lwe(LweLiteral lwe) {
    ParametersLiteral literal = named_parameters("tfhe128").literal();
    literal.name = "own";
    literal.security.clear();
    literal.key_switch.modulus_log = 32;
    literal.lwe = lwe;
    return literal;
}

const SecurityMargin& margin_of(const SecurityReport& report, const std::string& model) {
    for (const SecurityMargin& margin : report.margins) {
        if (margin.model == model) return margin;
    }
    throw std::runtime_error("no margin for " + model);
}

TEST(SecurityEstimate, OwnBinarySetIsJudgedByBothFits) {
    const SecurityReport report = estimate_security(with_lwe({700, KeyDistribution::binary, 1, -15}));
    EXPECT_NEAR(margin_of(report, "lwe").std_margin_log2, -15 + 0.025664 * 700 - 2.582, 1e-9);
    EXPECT_NEAR(margin_of(report, "lwe_attacker_optimises_samples").std_margin_log2,
                -15 + 0.025922 * 700 - 3.001, 1e-9);
    EXPECT_NEAR(margin_of(report, "glwe").std_margin_log2, 0.01, 1e-9);
    EXPECT_TRUE(report.meets_128) << report.reason;
    EXPECT_THAT(report.reason, IsEmpty());
    // A fit gives a side of 128 bits, never a number of bits.
    EXPECT_THAT(report.figures, IsEmpty());
}

TEST(SecurityEstimate, TooLittleNoiseIsNotEnough) {
    // Between the two fits: the stock estimate holds, the stronger attacker's does not.
    const Parameters set{with_lwe({700, KeyDistribution::binary, 1, -15.25})};
    const SecurityReport report = estimate_security(set);
    EXPECT_TRUE(margin_of(report, "lwe").meets_128());
    EXPECT_FALSE(report.meets_128);
    EXPECT_THAT(report.reason, HasSubstr("lwe_attacker_optimises_samples is not shown to have 128 bits"));
    EXPECT_TRUE(set.comparison_only());
    EXPECT_EQ(set.comparison_reason(), report.reason);
    // On the line itself the accuracy of the fit is missing.
    EXPECT_FALSE(
        estimate_security(with_lwe({700, KeyDistribution::binary, 1, 3.001 - 0.025922 * 700})).meets_128);
}

TEST(SecurityEstimate, OwnBlockSetNeedsAllModels) {
    const SecurityReport good = estimate_security(with_lwe({780, KeyDistribution::block_binary, 3, -15.3}));
    EXPECT_TRUE(good.meets_128) << good.reason;
    ASSERT_EQ(good.figures.size(), 1U);
    EXPECT_EQ(good.figures[0].model, "lwe_meet");
    EXPECT_NEAR(good.figures[0].bits, 0.28 * 780 / 3 * 2, 1e-9);
    // n = 660 with much noise: lattice models content, but 4^220 keys are too few for Meet-LWE.
    const SecurityReport few = estimate_security(with_lwe({660, KeyDistribution::block_binary, 3, -12}));
    EXPECT_FALSE(few.meets_128);
    EXPECT_THAT(few.reason, HasSubstr("lwe_meet has 123.2 bits"));
    EXPECT_FALSE(estimate_security(with_lwe({700, KeyDistribution::block_binary, 5, -13})).meets_128);
}

TEST(SecurityEstimate, NothingIsSaidOutsideTheFits) {
    for (const int n : {549, 1001}) {
        const SecurityReport report = estimate_security(with_lwe({n, KeyDistribution::binary, 1, -12}));
        EXPECT_FALSE(report.meets_128);
        EXPECT_THAT(report.reason, HasSubstr("was not estimated: the fits cover 550 <= n <= 1000"));
        EXPECT_EQ(report.margins.size(), 1U) << "only the GLWE key was judged";
    }
    EXPECT_TRUE(estimate_security(with_lwe({550, KeyDistribution::binary, 1, -11})).meets_128);
    EXPECT_TRUE(estimate_security(with_lwe({1000, KeyDistribution::binary, 1, -22.8})).meets_128);

    ParametersLiteral other_ring = with_lwe({700, KeyDistribution::binary, 1, -15});
    other_ring.glwe = {256, 5, KeyDistribution::binary, -29};
    EXPECT_THAT(estimate_security(other_ring).reason, HasSubstr("k N = 1280 was not estimated"));
}

TEST(SecurityEstimate, GlweTable) {
    ParametersLiteral literal = with_lwe({700, KeyDistribution::binary, 1, -15});
    const auto meets = [&](GlweLiteral glwe) {
        literal.glwe = glwe;
        return estimate_security(literal).meets_128;
    };
    EXPECT_TRUE(meets({512, 2, KeyDistribution::ternary, -24.98}));
    EXPECT_FALSE(meets({512, 2, KeyDistribution::ternary, -24.99}));
    EXPECT_TRUE(meets({1024, 1, KeyDistribution::binary, -23.73}));
    EXPECT_FALSE(meets({1024, 1, KeyDistribution::binary, -23.74}));
    EXPECT_TRUE(meets({512, 3, KeyDistribution::binary, -30}));
    EXPECT_FALSE(meets({512, 3, KeyDistribution::binary, -30.1}));
    EXPECT_TRUE(meets({2048, 1, KeyDistribution::ternary, -30}));
}

/// The named sets were chosen by the same fits: under another name they must be judged the same.
TEST(SecurityEstimate, FitsAgreeWithTheNamedSets) {
    for (const Parameters& set : named_parameters()) {
        if (set.comparison_only()) continue;
        ParametersLiteral nearby = set.literal();
        nearby.name = "own";
        nearby.glwe.std_log2 += 1e-9;  // no longer the named numbers
        const SecurityReport report = estimate_security(nearby);
        EXPECT_TRUE(report.meets_128) << set.name() << ": " << report.reason;
        EXPECT_FALSE(report.margins.empty());
    }
}

}  // namespace
}  // namespace toroid::scheme
