// SPDX-License-Identifier: Apache-2.0
// Noise formulas: plain numbers in, variances out (torus = 1). Source: Toroid's parameter notes section 1;
// each function names its paper.
#pragma once

#include "math/decomposition.hpp"

namespace toroid::math {

/// E[d^2] of digits uniform in [-B/2, B/2): (B^2 + 2) / 12.
[[nodiscard]] double digit_variance(int base_log);
/// E[d^2] of digits under the balanced tie rule: 1.30 for B = 4, 5.28 for B = 8.
[[nodiscard]] double balanced_digit_variance(int base_log);

struct ExternalProductNoise {
    double key = 0;       ///< R = N (k la D(Ba) + lb D(Bb)) sigma_g^2
    double rounding = 0;  ///< Q = (wb^2 + k N E_g wa^2) / 12
};
[[nodiscard]] ExternalProductNoise external_product_noise(int ring_dimension, int glwe_dimension, Gadget mask,
                                                          Gadget body, double glwe_std, double key_second_moment);

/// CGGI, rotate then decompose: n (R + Q/2).
[[nodiscard]] double blind_rotation_variance_binary(int lwe_dimension, ExternalProductNoise product);
/// Block-binary, decompose once a block: n 2R + n/(block+1) 2Q (ePrint 2023/958).
[[nodiscard]] double blind_rotation_variance_block(int lwe_dimension, int block, ExternalProductNoise product);

/// kN (lk D sigma_l^2 + E wk^2 / 12) + 2^(-2 modulus_log) / 12 with balanced digits.
[[nodiscard]] double key_switch_variance(int input_dimension, Gadget gadget, double lwe_std,
                                         double compensated_key_moment, int modulus_log);

/// (1 + n v) / (12 (2N)^2); v = variance of one key coefficient when mean-compensated.
[[nodiscard]] double modulus_switch_variance(int lwe_dimension, int ring_dimension, double key_variance);

/// log2 erfc(margin / sqrt(2 variance)): two-sided, exact far below the range of double.
[[nodiscard]] double failure_log2(double margin, double variance);

}  // namespace toroid::math
