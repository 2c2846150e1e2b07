// SPDX-License-Identifier: Apache-2.0
// Vectors of residues modulo a prime p < 2^30, lazily reduced (Harvey 2014): a word holds [0, 4p).
#pragma once

#include "backend_cpu/kernels/vector.hpp"
#include "backend_cpu/ntt_job.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

using Residues = Word<ntt_lanes>;
/// Products of the even lanes, or of the odd ones.
using Products = Long<ntt_lanes / 2>;

TOROID_INLINE Residues all(std::uint32_t value) {
    return broadcast<Residues>(value);
}

TOROID_INLINE Residues least(const Residues& a, const Residues& b) {
#if defined(__AVX2__)
    return reinterpret_cast<Residues>(
        _mm256_min_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
    return a < b ? a : b;
#endif
}

/// [0, 2 bound) to [0, bound): below `bound`, the difference wraps to a large number.
TOROID_INLINE Residues reduce_once(const Residues& x, const Residues& bound) {
    return least(x, x - bound);
}

/// Odd lanes to the even ones.
TOROID_INLINE Residues odd_lanes(const Residues& a) {
    return reinterpret_cast<Residues>(reinterpret_cast<Products>(a) >> 32);
}

/// Products of the even lanes.
TOROID_INLINE Products multiply_even(const Residues& a, const Residues& b) {
#if defined(__AVX2__)
    return reinterpret_cast<Products>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
    constexpr std::uint64_t low = 0xFFFFFFFFU;
    return (reinterpret_cast<Products>(a) & low) * (reinterpret_cast<Products>(b) & low);
#endif
}

/// The high words of the even lanes' products and of the odd ones', each in its lane.
TOROID_INLINE Residues high_words(const Products& even, const Products& odd) {
#if defined(__AVX2__)
    return reinterpret_cast<Residues>(
        _mm256_blend_epi32(reinterpret_cast<__m256i>(even >> 32), reinterpret_cast<__m256i>(odd), 0xAA));
#else
    constexpr std::uint64_t high = 0xFFFFFFFF00000000U;
    return reinterpret_cast<Residues>((even >> 32) | (odd & high));
#endif
}

/// w and floor(w 2^32 / p), a factor a lane.
struct Factor {
    Residues value;
    Residues quotient;
    Residues odd_quotient;  ///< its odd lanes moved to the even ones
};
/// One factor for all lanes: a pair of words.
TOROID_INLINE Factor broadcast_factor(const std::uint32_t* pair) {
    return {all(pair[0]), all(pair[1]), all(pair[1])};
}
/// ntt_lanes values, then their quotients.
TOROID_INLINE Factor load_factor(const std::uint32_t* from) {
    const auto quotient = load_aligned<Residues>(from + ntt_lanes);
    return {load_aligned<Residues>(from), quotient, odd_lanes(quotient)};
}

/// y w modulo p, in [0, 2p), for any words y.
TOROID_INLINE Residues multiply(const Residues& y, const Factor& w, const Residues& prime) {
    const Residues quotient =
        high_words(multiply_even(y, w.quotient), multiply_even(odd_lanes(y), w.odd_quotient));
    return y * w.value - quotient * prime;
}

/// Constants of one prime in every lane.
struct Modulus {
    explicit Modulus(const NttPrimeTables& tables)
        : prime(all(tables.prime)),
          twice(all(2 * tables.prime)),
          negated_inverse(all(tables.negated_inverse)) {}
    Residues prime;
    Residues twice;
    Residues negated_inverse;
};

/// s / 2^32 modulo p, at most (s >> 32) + p: sums of the even and of the odd lanes, s + p 2^32 <= 2^64.
TOROID_INLINE Residues reduce_montgomery(const Products& even, const Products& odd, const Modulus& modulus) {
    const auto reduced = [&](const Products& s) {
        const auto m =
            reinterpret_cast<Residues>(multiply_even(reinterpret_cast<Residues>(s), modulus.negated_inverse));
        return s + multiply_even(m, modulus.prime);
    };
    return high_words(reduced(even), reduced(odd));
}

/// (a, b) -> (a + w b, a - w b): both in [0, 4p) before and after.
TOROID_INLINE void split(Residues& a, Residues& b, const Factor& w, const Modulus& modulus) {
    const Residues sum = reduce_once(a, modulus.twice);
    const Residues turned = multiply(b, w, modulus.prime);
    a = sum + turned;
    b = (sum + modulus.twice) - turned;
}

/// (a, b) -> (a + b, (a - b) w): both in [0, 2p) before and after.
TOROID_INLINE void join(Residues& a, Residues& b, const Factor& w, const Modulus& modulus) {
    const Residues difference = (a + modulus.twice) - b;
    a = reduce_once(a + b, modulus.twice);
    b = multiply(difference, w, modulus.prime);
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
