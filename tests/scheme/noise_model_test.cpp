// SPDX-License-Identifier: Apache-2.0
#include "scheme/noise_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "math/noise.hpp"

namespace toroid::scheme {
namespace {

/// Largest output variance at 2^-128, found from outside.
double largest_output(const NoiseModel& model) {
    double low = 0;
    double high = 1000;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (model.output_failure_log2(middle) <= -128 ? low : high) = middle;
    }
    return low;
}

/// As published: W = 3 and 14 at 2^-128, outputs up to 7.3, 48, 3.7 and 23 units.
TEST(NoiseModel, PublishedLimitsOfOwnSets) {
    struct Limit {
        const char* name;
        double weight_norm, output;
    };
    for (const Limit& limit : {Limit{"tfhe128", 3, 7.3}, Limit{"tfhe128-wide", 14, 48},
                               Limit{"tfhe128-fast", 3, 3.7}, Limit{"tfhe128-fast-wide", 14, 23}}) {
        const NoiseModel model(named_parameters(limit.name));
        EXPECT_LE(model.gate_failure_log2(limit.weight_norm), -128) << limit.name;
        EXPECT_NEAR(model.largest_weight_norm(-128), limit.weight_norm, 0.5) << limit.name;
        EXPECT_NEAR(largest_output(model), limit.output, 0.03 * limit.output) << limit.name;
    }
}

TEST(NoiseModel, LargestWeightNormIsTheEdge) {
    for (const Parameters& set : named_parameters()) {
        const NoiseModel model(set);
        for (const double target : {-20.0, -40.0, -64.0, -128.0}) {
            const double largest = model.largest_weight_norm(target);
            if (largest == 0) {
                EXPECT_GT(model.gate_failure_log2(1e-9), target) << set.name();
                continue;
            }
            EXPECT_LE(model.gate_failure_log2(largest), target) << set.name();
            EXPECT_GT(model.gate_failure_log2(largest * (1 + 1e-9)), target) << set.name();
        }
        EXPECT_EQ(model.largest_weight_norm(0), 0) << set.name();
        EXPECT_EQ(model.largest_weight_norm(std::nan("")), 0) << set.name();
        EXPECT_EQ(model.largest_weight_norm(-1e7), 0) << set.name();
    }
}

TEST(NoiseModel, KeySwitchFirstAddsItsNoiseOnce) {
    const NoiseModel model(named_parameters("tfhe128"));
    EXPECT_EQ(model.unit, model.blind_rotation);
    EXPECT_DOUBLE_EQ(model.added_once, model.key_switch + model.modulus_switch);
    EXPECT_DOUBLE_EQ(model.gate_failure_log2(3),
                     math::failure_log2(
                         0.125, 1.03 * (3 * model.blind_rotation + model.key_switch + model.modulus_switch)));
}

TEST(NoiseModel, BootstrapFirstAddsTheKeySwitchToEachInput) {
    const NoiseModel model(named_parameters("tfhers-default"));
    EXPECT_DOUBLE_EQ(model.unit, model.blind_rotation + model.key_switch);
    EXPECT_EQ(model.added_once, model.modulus_switch);
    EXPECT_DOUBLE_EQ(model.gate_failure_log2(2),
                     math::failure_log2(0.125, 1.03 * (2 * (model.blind_rotation + model.key_switch) +
                                                       model.modulus_switch)));
}

/// XOR: weights 2 and 2, so a variance of 8 at margin 1/4, which normalises to W = 2.
TEST(NoiseModel, ANormalisedXorIsConservative) {
    for (const Parameters& set : named_parameters()) {
        const NoiseModel model(set);
        EXPECT_LT(model.gate_failure_log2(8, 2), model.gate_failure_log2(2)) << set.name();
        EXPECT_EQ(model.gate_failure_log2(2, 1), model.gate_failure_log2(2)) << set.name();
        EXPECT_LT(model.gate_failure_log2(2), model.gate_failure_log2(3)) << set.name();
    }
}

TEST(NoiseModel, FreshEncryptionsAreQuieterThanAUnit) {
    for (const Parameters& set : named_parameters()) {
        const NoiseModel model(set);
        EXPECT_GT(model.fresh, 0) << set.name();
        EXPECT_LT(model.fresh, model.fresh_public_key) << set.name();
        EXPECT_LE(model.fresh_public_key, 1) << set.name();
    }
    // sigma_g^2 (1024 * 2/3 + 1 + 1024 * 2/3) in units.
    const NoiseModel model(named_parameters("tfhe128"));
    EXPECT_NEAR(model.fresh_public_key, std::exp2(-2 * 24.97) * (2 * 1024 * 2.0 / 3 + 1) / model.unit, 1e-12);
    // sigma_l^2 (n/2 + 1 + n/2).
    const NoiseModel reverse(named_parameters("tfhers-default"));
    EXPECT_NEAR(reverse.fresh_public_key, std::exp2(-2 * 17.38) * (805 + 1) / reverse.unit, 1e-9);
}

}  // namespace
}  // namespace toroid::scheme
