// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "math/decomposition.hpp"

namespace toroid::backend {

/// The body that enters a key switch to the modulus 2^m, one exact rule so that backends agree bit for bit.
///
/// A key switch of a sample (c, b) of k N + 1 words is, modulo 2^m and with math::decompose_balanced digits,
///     out = (0, body) - sum_j sum_l digit_jl * sample_jl
///     e_j = c_j - recompose(digits_j) as a signed 32-bit number, error_sum = sum_j e_j (exact)
///     b' = b - divide_rounded(mean.numerator * error_sum, mean.denominator) mod 2^32
///     body = (b' + 2^(31 - m)) >> (32 - m) mod 2^m for m < 32, b' for m = 32
/// mean is Parameters::glwe_key_mean(): 1/2 for a binary GLWE key, whose rounding error it halves in variance
/// (mean compensation, ePrint 2025/809), and 0 for a ternary one, where b' = b and error_sum is not needed.
[[nodiscard]] inline std::uint32_t key_switch_body(std::uint32_t body, std::int64_t error_sum,
                                                   math::KeyMean mean, int modulus_log) {
    if (mean.numerator != 0) {
        body -=
            static_cast<std::uint32_t>(math::divide_rounded(mean.numerator * error_sum, mean.denominator));
    }
    if (modulus_log == 32) return body;
    return (body + (std::uint32_t{1} << (31 - modulus_log))) >> (32 - modulus_log);
}

}  // namespace toroid::backend
