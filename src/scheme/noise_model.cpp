// SPDX-License-Identifier: Apache-2.0
#include "scheme/noise_model.hpp"

#include <cmath>

#include "math/noise.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

constexpr double bit_margin = 1.0 / 8;

/// E[x] and E[x^2] of one key coefficient.
struct KeyMoments {
    double mean = 0;
    double second = 0;
    [[nodiscard]] double variance() const { return second - mean * mean; }
};

KeyMoments moments(KeyDistribution key, int block) {
    switch (key) {
        case KeyDistribution::binary:
            return {0.5, 0.5};
        case KeyDistribution::ternary:
            return {0, 2.0 / 3};
        case KeyDistribution::block_binary:
            return {1.0 / (block + 1), 1.0 / (block + 1)};
    }
    throw Error(ErrorKind::internal, "noise model: unknown key distribution");
}

}  // namespace

Variances compute_variances(const ParametersLiteral& literal) {
    const LweLiteral& lwe = literal.lwe;
    const GlweLiteral& glwe = literal.glwe;
    const KeyMoments lwe_key = moments(lwe.key, lwe.block);
    const KeyMoments glwe_key = moments(glwe.key, 1);
    const double lwe_std = std::exp2(lwe.std_log2);
    const double glwe_std = std::exp2(glwe.std_log2);
    const int extracted_dimension = glwe.glwe_dimension * glwe.ring_dimension;

    Variances variances;
    const math::ExternalProductNoise product = math::external_product_noise(
        glwe.ring_dimension, glwe.glwe_dimension, literal.mask, literal.body, glwe_std, glwe_key.second);
    variances.blind_rotation = lwe.key == KeyDistribution::block_binary
                                   ? math::blind_rotation_variance_block(lwe.dimension, lwe.block, product)
                                   : math::blind_rotation_variance_binary(lwe.dimension, product);
    variances.key_switch = math::key_switch_variance(extracted_dimension, literal.key_switch.gadget, lwe_std,
                                                     glwe_key.variance(), literal.key_switch.modulus_log);
    variances.modulus_switch =
        math::modulus_switch_variance(lwe.dimension, glwe.ring_dimension, lwe_key.variance());
    if (literal.order == GateOrder::key_switch_first) {
        constexpr double ternary_second_moment = 2.0 / 3;
        variances.unit = variances.blind_rotation;
        variances.fresh = glwe_std * glwe_std;
        variances.fresh_public_key = math::public_key_variance_module(extracted_dimension, glwe_std,
                                                                      ternary_second_moment, glwe_key.second);
    } else {
        variances.unit = variances.blind_rotation + variances.key_switch;
        variances.fresh = lwe_std * lwe_std;
        variances.fresh_public_key = math::public_key_variance_lwe(lwe.dimension, lwe_std, lwe_key.second);
    }
    return variances;
}

NoiseModel::NoiseModel(const Parameters& parameters) {
    const Variances variances = compute_variances(parameters.literal());
    blind_rotation = variances.blind_rotation;
    key_switch = variances.key_switch;
    modulus_switch = variances.modulus_switch;
    unit = variances.unit;
    fresh = variances.fresh / unit;
    fresh_public_key = variances.fresh_public_key / unit;
    added_once =
        parameters.order() == GateOrder::key_switch_first ? key_switch + modulus_switch : modulus_switch;
}

double NoiseModel::gate_failure_log2(double weight_norm) const {
    return gate_failure_log2(weight_norm, 1);
}

double NoiseModel::gate_failure_log2(double variance_units, int margin_eighths) const {
    return math::failure_log2(margin_eighths / 8.0, safety * (variance_units * unit + added_once));
}

double NoiseModel::output_failure_log2(double variance_units) const {
    return math::failure_log2(bit_margin, safety * variance_units * unit);
}

double NoiseModel::largest_weight_norm(double target_log2) const {
    if (!(target_log2 < 0) || gate_failure_log2(0) > target_log2) return 0;
    // failure_log2 grows with the variance: halve the interval until the doubles run out, keeping the safe
    // end.
    double low = 0;
    double high = 1;
    while (gate_failure_log2(high) <= target_log2) {
        low = high;
        high *= 2;
    }
    for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
        (gate_failure_log2(middle) <= target_log2 ? low : high) = middle;
    }
    return low;
}

}  // namespace toroid::scheme
