// SPDX-License-Identifier: Apache-2.0
#include "math/ntt.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "toroid/error.hpp"

namespace toroid::math {
namespace {

/// Divides p - 1 for both primes.
constexpr std::uint32_t root_order = std::uint32_t{1} << 17;
/// No squares modulo the prime, so that their powers (p - 1) / 2^17 have the order 2^17.
constexpr std::array<std::uint32_t, 2> generators{11, 23};

static_assert((ntt_primes[0] - 1) % root_order == 0 && (ntt_primes[1] - 1) % root_order == 0);
static_assert(power_modulo(generators[0], (ntt_primes[0] - 1) / 2, ntt_primes[0]) == ntt_primes[0] - 1);
static_assert(power_modulo(generators[1], (ntt_primes[1] - 1) / 2, ntt_primes[1]) == ntt_primes[1] - 1);

/// The `count` lowest bits of `value` in reverse.
std::uint32_t reversed(std::uint32_t value, int count) {
    std::uint32_t out = 0;
    for (int bit = 0; bit < count; ++bit) out |= (value >> bit & 1U) << (count - 1 - bit);
    return out;
}

std::uint32_t add_modulo(std::uint32_t a, std::uint32_t b, std::uint32_t modulus) {
    const std::uint32_t sum = a + b;
    return std::min(sum, sum - modulus);
}

std::uint32_t subtract_modulo(std::uint32_t a, std::uint32_t b, std::uint32_t modulus) {
    const std::uint32_t difference = a - b;
    return std::min(difference, difference + modulus);
}

std::uint32_t multiply_modulo(std::uint32_t y, ShoupFactor w, std::uint32_t modulus) {
    const auto quotient = static_cast<std::uint32_t>(std::uint64_t{y} * w.quotient >> 32);
    const std::uint32_t product = y * w.value - quotient * modulus;
    return std::min(product, product - modulus);
}

}  // namespace

std::string ntt_refusal(const NttSizes& sizes) {
    const int ring = sizes.ring_dimension;
    if (ring < smallest_ntt_ring || ring > largest_ntt_ring || !std::has_single_bit(std::uint32_t(ring))) {
        return "the exact transform has ring dimensions of powers of two from " +
               std::to_string(smallest_ntt_ring) + " to " + std::to_string(largest_ntt_ring) + ", not " +
               std::to_string(ring);
    }
    const int rows = sizes.glwe_dimension * sizes.mask.levels + sizes.body.levels;
    if (rows > most_ntt_rows) {
        return "the exact transform sums " + std::to_string(most_ntt_rows) +
               " rows of digits at most, the set has " + std::to_string(rows);
    }
    const auto digits = [](Gadget gadget) { return gadget.levels * std::exp2(gadget.base_log - 1); };
    // Powers of two times a small integer: exact.
    const double bound = (sizes.block > 1 ? 2.0 * sizes.block : 1.0) * ring * std::exp2(31) *
                         (sizes.glwe_dimension * digits(sizes.mask) + digits(sizes.body));
    const double limit = (ntt_primes[1] / 2.0 - 1) * ntt_primes[0];
    if (bound >= limit) {
        const auto log_text = [](double value) {
            return "2^" + std::to_string(std::log2(value)).substr(0, 5);
        };
        return "sums of products reach " + log_text(bound) + ", the two primes of the exact transform hold " +
               log_text(limit);
    }
    return {};
}

std::uint32_t combine_residues(std::uint32_t first, std::uint32_t second) {
    const std::uint32_t difference = second + 2 * ntt_primes[1] - first;  // in (0, 2^32)
    std::uint32_t t = multiply_modulo(difference, ntt_combination, ntt_primes[1]);
    if (t > ntt_primes[1] / 2) t -= ntt_primes[1];
    return first + ntt_primes[0] * t;
}

Ntt::Ntt(int ring_dimension, std::size_t prime_index) : modulus_(ntt_modulus(ntt_primes[prime_index])) {
    if (ring_dimension < smallest_ntt_ring || ring_dimension > largest_ntt_ring ||
        !std::has_single_bit(static_cast<unsigned>(ring_dimension))) {
        throw Error(ErrorKind::internal,
                    "no exact transform of ring dimension " + std::to_string(ring_dimension));
    }
    const auto ring = static_cast<std::uint32_t>(ring_dimension);
    const std::uint32_t prime = modulus_.prime;
    const std::uint32_t psi = power_modulo(generators[prime_index], (prime - 1) / (2 * ring), prime);
    std::vector<std::uint32_t> powers(2 * std::size_t{ring});
    roots_.resize(powers.size());
    std::uint32_t power = 1;
    for (std::size_t e = 0; e < powers.size(); ++e) {
        powers[e] = power;
        roots_[e] = multiply_modulo(power, modulus_.one, prime);
        power = multiply_modulo(power, psi, prime);
    }
    forward_.resize(ring);
    inverse_.resize(ring);
    for (int stage = 0; std::uint32_t{1} << stage < ring; ++stage) {
        const std::uint32_t nodes = std::uint32_t{1} << stage;
        for (std::uint32_t i = 0; i < nodes; ++i) {
            const std::uint32_t exponent = ring / (2 * nodes) * (2 * reversed(i, stage) + 1);
            forward_[nodes + i] = shoup_factor(powers[exponent], prime);
            inverse_[nodes + i] = shoup_factor(powers[2 * ring - exponent], prime);
        }
    }
    leaf_exponents_.resize(ring);
    const int bits = std::countr_zero(ring);
    for (std::uint32_t i = 0; i < ring; ++i) {
        leaf_exponents_[i] = static_cast<std::uint16_t>(2 * reversed(i, bits) + 1);
    }
    key_scale_ = multiply_modulo(modulus_.one, inverse_modulo(ring, prime), prime);
}

void Ntt::forward(std::span<std::uint32_t> values) const {
    const std::uint32_t prime = modulus_.prime;
    for (std::size_t nodes = 1, half = values.size() / 2; half > 0; nodes *= 2, half /= 2) {
        for (std::size_t i = 0; i < nodes; ++i) {
            const auto node = values.subspan(2 * half * i, 2 * half);
            for (std::size_t j = 0; j < half; ++j) {
                const std::uint32_t a = node[j];
                const std::uint32_t b = multiply_modulo(node[j + half], forward_[nodes + i], prime);
                node[j] = add_modulo(a, b, prime);
                node[j + half] = subtract_modulo(a, b, prime);
            }
        }
    }
}

void Ntt::inverse(std::span<std::uint32_t> values) const {
    const std::uint32_t prime = modulus_.prime;
    for (std::size_t nodes = values.size() / 2, half = 1; nodes > 0; nodes /= 2, half *= 2) {
        for (std::size_t i = 0; i < nodes; ++i) {
            const auto node = values.subspan(2 * half * i, 2 * half);
            for (std::size_t j = 0; j < half; ++j) {
                const std::uint32_t a = node[j];
                const std::uint32_t b = node[j + half];
                node[j] = add_modulo(a, b, prime);
                node[j + half] = multiply_modulo(subtract_modulo(a, b, prime), inverse_[nodes + i], prime);
            }
        }
    }
}

void Ntt::load_key(std::span<const std::uint32_t> words, std::span<std::uint32_t> leaves) const {
    const auto prime = static_cast<std::int64_t>(modulus_.prime);
    for (std::size_t j = 0; j < words.size(); ++j) {
        const std::int64_t residue = static_cast<std::int32_t>(words[j]) % prime;
        leaves[j] = static_cast<std::uint32_t>(residue < 0 ? residue + prime : residue);
    }
    forward(leaves);
    const ShoupFactor scale = shoup_factor(key_scale_, modulus_.prime);
    for (std::uint32_t& leaf : leaves) leaf = multiply_modulo(leaf, scale, modulus_.prime);
}

}  // namespace toroid::math
