// SPDX-License-Identifier: Apache-2.0
// Exact products of polynomials of digits and of torus words, by number-theoretic transforms modulo two
// primes.
//
// With psi a primitive 2N-th root of unity modulo p, Z_p[X]/(X^N + 1) splits into N copies of Z_p by a binary
// tree: node i of the stage with m nodes holds a + b X^(N/2m) modulo X^(N/m) - w^2 and has the children a + w
// b and a - w b, w = psi^(N/2m (2 brv(i) + 1)), brv: the log2 m bits of i reversed. Leaf i is the value at
// psi^(2 brv(i) + 1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "math/decomposition.hpp"

namespace toroid::math {

/// Both below 2^30, so that words hold [0, 4 p), and 1 modulo 2^17: a 2N-th root for every N up to 2^16.
inline constexpr std::array<std::uint32_t, 2> ntt_primes{1073479681, 1071513601};
inline constexpr int smallest_ntt_ring = 64;
inline constexpr int largest_ntt_ring = 32768;  // rotations are 16-bit numbers below 2N
/// Products of residues below p that are summed in 64 bits before one Montgomery reduction: for a sum
/// s <= 12 (p-1)^2 and m < 2^32, s + m p < 2^64 and (s + m p) / 2^32 < 12 p^2 / 2^32 + p < 4 p, as p < 2^30.
inline constexpr int most_ntt_rows = 12;

/// What the transforms take from a parameter set.
struct NttSizes {
    int ring_dimension = 0;
    int glwe_dimension = 0;
    Gadget mask;
    Gadget body;
    int block = 1;
};

/// Empty if blind rotation with these sizes is exact modulo P = p_1 p_2, else the reason.
///
/// What a step adds to one coefficient of the accumulator is a sum of products of digits |d| <= B/2 and words
/// |w| <= 2^31 as signed numbers, N of them a row; a block of l key coefficients sums l such values, each
/// times X^a - 1, which at most doubles it:
///     |sum| <= F N 2^31 (k l_mask B_mask / 2 + l_body B_body / 2),    F = 1 or 2 l
/// The sum is found from its residues if it lies in (-P/2 + p_1, P/2 - p_1), P = 2^59.997. The named sets
/// reach 2^52 at most.
[[nodiscard]] std::string ntt_refusal(const NttSizes& sizes);

/// A factor w with floor(w 2^32 / p): with q = floor(y quotient / 2^32), w y - q p lies in [0, 2p) for any
/// word y (Shoup; Harvey, "Faster arithmetic for number-theoretic transforms", 2014).
struct alignas(8) ShoupFactor {
    std::uint32_t value = 0;
    std::uint32_t quotient = 0;
};
[[nodiscard]] constexpr ShoupFactor shoup_factor(std::uint32_t value, std::uint32_t modulus) {
    return {value, static_cast<std::uint32_t>((std::uint64_t{value} << 32) / modulus)};
}

/// a b mod p.
[[nodiscard]] constexpr std::uint32_t multiply_modulo(std::uint32_t a, std::uint32_t b,
                                                      std::uint32_t modulus) {
    return static_cast<std::uint32_t>(std::uint64_t{a} * b % modulus);
}
/// base^exponent mod p.
[[nodiscard]] constexpr std::uint32_t power_modulo(std::uint32_t base, std::uint32_t exponent,
                                                   std::uint32_t modulus) {
    std::uint32_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1U) != 0) result = multiply_modulo(result, base, modulus);
        base = multiply_modulo(base, base, modulus);
    }
    return result;
}
/// a^-1 mod the prime p.
[[nodiscard]] constexpr std::uint32_t inverse_modulo(std::uint32_t a, std::uint32_t modulus) {
    return power_modulo(a, modulus - 2, modulus);
}

/// What every kernel needs of one prime.
struct NttModulus {
    std::uint32_t prime = 0;
    std::uint32_t negated_inverse = 0;  ///< -p^-1 mod 2^32, for Montgomery reduction with R = 2^32
    std::uint32_t one = 0;              ///< R mod p
};
[[nodiscard]] constexpr NttModulus ntt_modulus(std::uint32_t prime) {
    std::uint32_t inverse = prime;  // right to 3 bits; each step doubles them
    for (int step = 0; step < 4; ++step) inverse *= 2 - prime * inverse;
    return {prime, 0U - inverse, static_cast<std::uint32_t>((std::uint64_t{1} << 32) % prime)};
}

/// p_1^-1 mod p_2: a sum s with |s| < P/2 - p_1 and residues x_1 in [0, p_1), x_2 is
///     s = x_1 + p_1 t,    t = (x_2 - x_1) p_1^-1 mod p_2, taken in [-p_2/2, p_2/2)
inline constexpr ShoupFactor ntt_combination =
    shoup_factor(inverse_modulo(ntt_primes[0] % ntt_primes[1], ntt_primes[1]), ntt_primes[1]);

/// The sum above modulo 2^32 from its residues.
[[nodiscard]] std::uint32_t combine_residues(std::uint32_t first, std::uint32_t second);

/// The transform of one ring dimension modulo one of the primes: tables for the kernels, and plain loops for
/// loading keys and as the kernels' reference.
class Ntt {
 public:
    /// N a power of two from smallest_ntt_ring to largest_ntt_ring, else Error(internal).
    Ntt(int ring_dimension, std::size_t prime_index);

    [[nodiscard]] int ring_dimension() const noexcept { return static_cast<int>(forward_.size()); }
    [[nodiscard]] const NttModulus& modulus() const noexcept { return modulus_; }
    /// Entry m + i: the twiddle w of node i of the stage with m nodes, and w^-1. Entry 0 is unused.
    [[nodiscard]] std::span<const ShoupFactor> twiddles() const noexcept { return forward_; }
    [[nodiscard]] std::span<const ShoupFactor> inverse_twiddles() const noexcept { return inverse_; }
    /// psi^e 2^32 mod p for e in [0, 2N), for Montgomery products with monomials.
    [[nodiscard]] std::span<const std::uint32_t> roots() const noexcept { return roots_; }
    /// e with leaf i = the value at psi^e.
    [[nodiscard]] std::span<const std::uint16_t> leaf_exponents() const noexcept { return leaf_exponents_; }

    /// Coefficients to leaves, in place; N residues in [0, p) before and after.
    void forward(std::span<std::uint32_t> values) const;
    /// Leaves to N times the coefficients, in place; as above.
    void inverse(std::span<std::uint32_t> values) const;

    /// A key polynomial of torus words, taken as signed numbers, to leaves times 2^32 / N mod p: a Montgomery
    /// product with it needs no scaling after the inverse transform.
    void load_key(std::span<const std::uint32_t> words, std::span<std::uint32_t> leaves) const;

 private:
    NttModulus modulus_;
    std::uint32_t key_scale_ = 0;
    std::vector<ShoupFactor> forward_;
    std::vector<ShoupFactor> inverse_;
    std::vector<std::uint32_t> roots_;
    std::vector<std::uint16_t> leaf_exponents_;
};

}  // namespace toroid::math
