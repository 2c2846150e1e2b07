// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// Variances of one parameter set, all with torus = 1.
struct Variances {
    double blind_rotation = 0;
    double key_switch = 0;
    double modulus_switch = 0;
    /// One bootstrapped output: blind rotation, plus key switch for bootstrap_first.
    double unit = 0;
    double fresh = 0;
    double fresh_public_key = 0;
};
/// By the formulas of math/noise; the literal's dimensions and gadgets must be sound.
[[nodiscard]] Variances compute_variances(const ParametersLiteral& literal);

/// The noise of gates and outputs under one parameter set, in the terms of a circuit: weight norms W and wire
/// variances in units of one bootstrapped output.
struct NoiseModel {
    explicit NoiseModel(const Parameters& parameters);

    /// Torus = 1.
    double blind_rotation = 0;
    double key_switch = 0;
    double modulus_switch = 0;
    /// The unit of wire variances: one bootstrapped output (blind rotation, plus key switch for
    /// bootstrap_first).
    double unit = 0;
    /// Fresh secret-key and public-key encryptions, in units; both at most 1.
    double fresh = 0;
    double fresh_public_key = 0;
    /// What a gate adds once, however many inputs: V_KS + V_MS for key_switch_first, V_MS for
    /// bootstrap_first.
    double added_once = 0;

    /// Factor on every variance for key-to-key variation (1.03).
    static constexpr double safety = 1.03;

    /// log2 of the failure probability of a gate of weight norm W (margin 1/8 already normalised into W):
    /// erfc((1/8) / sqrt(2 V)), V = 1.03 (W unit + added_once). For a pure XOR this counts added_once four
    /// times too high, since only W was normalised: conservative.
    [[nodiscard]] double gate_failure_log2(double weight_norm) const;
    /// The same from the sum of weight^2 variance (units) and the margin in eighths (1, or 2 for a pure XOR):
    /// exact for an XOR too.
    [[nodiscard]] double gate_failure_log2(double variance_units, int margin_eighths) const;
    /// log2 of the probability that an output wire of this variance (in units) decrypts wrongly: margin 1/8.
    [[nodiscard]] double output_failure_log2(double variance_units) const;
    /// The largest weight norm whose failure probability is at most 2^target_log2; 0 if none.
    [[nodiscard]] double largest_weight_norm(double target_log2) const;
};

}  // namespace toroid::scheme
