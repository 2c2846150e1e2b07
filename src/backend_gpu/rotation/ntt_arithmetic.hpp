// SPDX-License-Identifier: Apache-2.0
// Residues modulo a prime p < 2^30 in words, lazily reduced (Harvey 2014), for the device; a test on the host
// runs the same functions.
#pragma once

#include <cstdint>

#include "math/ntt.hpp"

// platform.hpp, included first, says what a device function is; without it this is host code.
#ifdef TOROID_DEVICE
#define TOROID_NTT_FUNCTION TOROID_DEVICE
#else
#define TOROID_NTT_FUNCTION inline
#endif

namespace toroid::backend_gpu {

/// x in [0, 2 bound) to [0, bound): below `bound`, the difference wraps to a large number.
TOROID_NTT_FUNCTION std::uint32_t reduce_once(std::uint32_t x, std::uint32_t bound) {
    const std::uint32_t reduced = x - bound;
    return x < reduced ? x : reduced;
}

/// y w modulo p, in [0, 2p), for any word y.
TOROID_NTT_FUNCTION std::uint32_t multiply_shoup(std::uint32_t y, math::ShoupFactor w, std::uint32_t prime) {
    const auto quotient = static_cast<std::uint32_t>(std::uint64_t{y} * w.quotient >> 32);
    return y * w.value - quotient * prime;
}

/// s / 2^32 modulo p, below (s >> 32) + p + 1. s + p 2^32 must not overflow.
TOROID_NTT_FUNCTION std::uint32_t reduce_montgomery(std::uint64_t s, const math::NttModulus& modulus) {
    const std::uint32_t m = static_cast<std::uint32_t>(s) * modulus.negated_inverse;
    return static_cast<std::uint32_t>((s + std::uint64_t{m} * modulus.prime) >> 32);
}

/// (a, b) -> (a + w b, a - w b): both in [0, 4p) before and after.
TOROID_NTT_FUNCTION void split(std::uint32_t& a, std::uint32_t& b, math::ShoupFactor w, std::uint32_t prime) {
    const std::uint32_t sum = reduce_once(a, 2 * prime);
    const std::uint32_t turned = multiply_shoup(b, w, prime);
    a = sum + turned;
    b = sum + 2 * prime - turned;
}

/// (a, b) -> (a + b, (a - b) w): both in [0, 2p) before and after.
TOROID_NTT_FUNCTION void join(std::uint32_t& a, std::uint32_t& b, math::ShoupFactor w, std::uint32_t prime) {
    const std::uint32_t difference = a + 2 * prime - b;
    a = reduce_once(a + b, 2 * prime);
    b = multiply_shoup(difference, w, prime);
}

/// math::combine_residues of residues in [0, 2p).
TOROID_NTT_FUNCTION std::uint32_t combine(std::uint32_t first, std::uint32_t second, std::uint32_t prime_1,
                                          std::uint32_t prime_2, math::ShoupFactor combination) {
    first = reduce_once(first, prime_1);
    const std::uint32_t t =
        reduce_once(multiply_shoup(second + 2 * prime_2 - first, combination, prime_2), prime_2);
    return first + prime_1 * (t > prime_2 / 2 ? t - prime_2 : t);
}

}  // namespace toroid::backend_gpu
