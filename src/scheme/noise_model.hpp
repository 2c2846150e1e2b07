// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// Variances of one parameter set (torus = 1) by the formulas of math/noise.
struct NoiseModel {
    explicit NoiseModel(const Parameters& parameters);

    double blind_rotation = 0;
    double key_switch = 0;
    double modulus_switch = 0;
    /// The unit of wire variances: one bootstrapped output (blind rotation, plus key switch for bootstrap_first).
    double unit = 0;
    /// Fresh secret-key and public-key encryptions, in units; both at most 1.
    double fresh = 0;
    double fresh_public_key = 0;

    /// Factor on every variance for key-to-key variation (1.03).
    static constexpr double safety = 1.03;

    /// log2 of the failure probability of a gate of weight norm W (margin 1/8 already normalised into W).
    [[nodiscard]] double gate_failure_log2(double weight_norm) const;
    /// As gate_failure_log2 with the true variance sum and margin in eighths (1, or 2 for a pure XOR): not
    /// conservative in the key-switch and modulus-switch terms.
    [[nodiscard]] double gate_failure_log2(double variance_units, int margin_eighths) const;
    /// log2 of the probability that an output wire of this variance (in units) decrypts wrongly.
    [[nodiscard]] double output_failure_log2(double variance_units) const;
    /// The largest weight norm whose failure probability is at most 2^target_log2; 0 if none.
    [[nodiscard]] double largest_weight_norm(double target_log2) const;
};

}  // namespace toroid::scheme
