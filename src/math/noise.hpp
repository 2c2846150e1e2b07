// SPDX-License-Identifier: Apache-2.0
// Noise formulas: plain numbers in, variances out (torus = 1). docs/parameters.md derives nothing but says
// how each was checked; each function names its paper.
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
                                                          Gadget body, double glwe_std,
                                                          double key_second_moment);

/// CGGI, rotate then decompose: n (R + Q/2).
[[nodiscard]] double blind_rotation_variance_binary(int lwe_dimension, ExternalProductNoise product);
/// Block-binary, decompose once a block: n 2R + n/(block+1) 2Q (ePrint 2023/958).
[[nodiscard]] double blind_rotation_variance_block(int lwe_dimension, int block,
                                                   ExternalProductNoise product);

/// kN (lk D sigma_l^2 + E wk^2 / 12) + 2^(-2 modulus_log) / 12 with balanced digits.
[[nodiscard]] double key_switch_variance(int input_dimension, Gadget gadget, double lwe_std,
                                         double compensated_key_moment, int modulus_log);

/// (1 + n v) / (12 (2N)^2); v = variance of one key coefficient when mean-compensated.
[[nodiscard]] double modulus_switch_variance(int lwe_dimension, int ring_dimension, double key_variance);

/// A public-key encryption under a module-LWE key (kN = extracted_dimension): mask A r + e1, body b r + e2
/// with error e r + e2 - e1 S, all errors of std sigma_g: sigma_g^2 (kN E[r^2] + 1 + kN E[S^2]).
[[nodiscard]] double public_key_variance_module(int extracted_dimension, double glwe_std,
                                                double random_second_moment, double key_second_moment);
/// The same with a plain n x n LWE matrix (Lindner-Peikert) and binary r: sigma_l^2 (n / 2 + 1 + n E[s^2]).
[[nodiscard]] double public_key_variance_lwe(int lwe_dimension, double lwe_std, double key_second_moment);

/// Rounding errors of an FP64 transform over a whole blind rotation: (4 * 2^-53)^2 n N sum_rows E[d^2] / 12.
[[nodiscard]] double fourier_error_variance(int lwe_dimension, int ring_dimension, int glwe_dimension,
                                            Gadget mask, Gadget body);

/// log2 erfc(margin / sqrt(2 variance)): two-sided, exact far below the range of double. 0 (certain failure)
/// for margin <= 0; -infinity for variance <= 0.
[[nodiscard]] double failure_log2(double margin, double variance);

}  // namespace toroid::math
