// SPDX-License-Identifier: Apache-2.0
// Exact blind rotation, gate by gate within a step of the key: digits and the head of each row's transforms,
// then for each block of leaves the tails, the products by the key and the tails of the way back, then the
// heads back and the sums from their residues modulo both primes.
#pragma once

#include "backend_cpu/blind_rotation_job.hpp"
#include "backend_cpu/kernels/ntt_stages.hpp"
#include "backend_cpu/kernels/sizes.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// The sizes and places of one job.
struct NttStep {
    explicit NttStep(const NttRotationJob& job)
        : key(*job.key),
          ring(key.ring_dimension),
          rows(key.rows()),
          components(key.glwe_dimension + 1),
          polynomial_stride(ring + accumulator_padding),
          scratch(job.scratch) {}

    /// Residues of row r modulo prime number `prime`.
    TOROID_INLINE std::uint32_t* row(int prime, int r) const {
        return scratch + (std::int64_t{prime} * rows + r) * key.row_stride();
    }

    const NttRotationKey& key;
    int ring;
    int rows;
    int components;
    int polynomial_stride;
    std::uint32_t* scratch;
};

/// Digits of one component, or of (X^exponent - 1) times it, as residues into its rows.
template <bool rotate>
TOROID_PHASE void ntt_digits(const NttStep& step, int component, const std::uint32_t* polynomial,
                             std::uint32_t exponent) {
    const bool mask = component < step.components - 1;
    const int levels = mask ? step.key.mask_levels : step.key.body_levels;
    const int base_log = mask ? step.key.mask_base_log : step.key.body_base_log;
    const int first_row = component * step.key.mask_levels;
    const DigitRule rule = digit_rule(base_log, levels);
    const Residues primes[2] = {all(step.key.primes[0].prime), all(step.key.primes[1].prime)};
    for (int j = 0; j < step.ring; j += ntt_lanes) {
        Residues value = load<Residues>(polynomial + j);
        if constexpr (rotate) {
            const auto ring = static_cast<std::uint32_t>(step.ring);
            const std::uint32_t from = (static_cast<std::uint32_t>(j) - exponent) & (2 * ring - 1);
            const std::uint32_t negate = 0U - (from / ring);
            const auto rotated = load<Residues>(polynomial + (from & (ring - 1)));
            value = ((rotated ^ negate) - negate) - value;
        }
        value = (value + rule.offset) ^ rule.flip;
        for (int level = 0; level < levels; ++level) {
            const auto digit = reinterpret_cast<Residues>(digit_of(value, level, base_log));
            for (int prime = 0; prime < 2; ++prime) {
                store_aligned(step.row(prime, first_row + level) + j, digit + primes[prime]);
            }
        }
    }
}

TOROID_PHASE inline void ntt_forward(const NttStep& step, int prime, int row) {
    const NttPrimeTables& tables = step.key.primes[prime];
    forward_head(tables.forward, Modulus(tables), step.ring, step.row(prime, row));
}

TOROID_PHASE inline void ntt_inverse(const NttStep& step, int prime, int row) {
    const NttPrimeTables& tables = step.key.primes[prime];
    inverse_head(tables.inverse, Modulus(tables), step.ring, step.row(prime, row));
}

/// sum over rows of digit * key for `count` components of one vector of leaves, in [0, 4p): at most
/// most_job_rows products below p^2.
template <int count>
TOROID_INLINE void multiply_rows(const NttStep& step, const Modulus& modulus, const std::uint32_t* key,
                                 const std::uint32_t* digits, Residues (&out)[count]) {
    Products even[count] = {};
    Products odd[count] = {};
    const int row_stride = step.components * ntt_lanes;
    for (int row = 0; row < step.rows; ++row) {
        const auto digit = load_aligned<Residues>(digits + row * ntt_block_leaves);
        const Residues odd_digit = odd_lanes(digit);
        for (int c = 0; c < count; ++c) {
            const auto factor = load_aligned<Residues>(key + row * row_stride + c * ntt_lanes);
            even[c] = even[c] + multiply_even(digit, factor);
            odd[c] = odd[c] + multiply_even(odd_digit, odd_lanes(factor));
        }
    }
    for (int c = 0; c < count; ++c) out[c] = reduce_montgomery(even[c], odd[c], modulus);
}

/// X^exponent - 1 at a vector of leaves, times 2^32, in [0, p).
TOROID_INLINE Residues ntt_monomial(const NttStep& step, const NttPrimeTables& tables, const Modulus& modulus,
                                    const std::uint32_t* leaf_exponents, std::uint32_t exponent) {
    const auto wrap = static_cast<std::uint32_t>(2 * step.ring - 1);
    alignas(32) std::uint32_t roots[ntt_lanes];
    for (int lane = 0; lane < ntt_lanes; ++lane)
        roots[lane] = tables.roots[leaf_exponents[lane] * exponent & wrap];
    return reduce_once(load_aligned<Residues>(roots) + modulus.prime - all(tables.one), modulus.prime);
}

/// Components [first, first + count) of the products at one vector of leaves, in [0, 2p).
template <bool rotate, int count>
TOROID_INLINE void multiply_leaves(const NttStep& step, const NttPrimeTables& tables, const Modulus& modulus,
                                   const std::uint32_t* key, const std::uint16_t* exponents, int block,
                                   const std::uint32_t* leaf_exponents, const std::uint32_t* digits,
                                   std::uint32_t* products) {
    Residues sums[count];
    if constexpr (rotate) {
        multiply_rows<count>(step, modulus, key, digits, sums);
        for (int c = 0; c < count; ++c) sums[c] = reduce_once(sums[c], modulus.twice);
    } else {
        for (int c = 0; c < count; ++c) sums[c] = all(0);
        for (int j = 0; j < block; ++j) {
            Residues terms[count];
            multiply_rows<count>(step, modulus, key + j * step.key.step_stride(), digits, terms);
            const Residues factor = ntt_monomial(step, tables, modulus, leaf_exponents, exponents[j]);
            const Residues odd_factor = odd_lanes(factor);
            for (int c = 0; c < count; ++c) {
                // Below 4p p / 2^32 + p < 2p.
                const Residues term = reduce_montgomery(
                    multiply_even(terms[c], factor), multiply_even(odd_lanes(terms[c]), odd_factor), modulus);
                sums[c] = reduce_once(sums[c] + term, modulus.twice);
            }
        }
    }
    for (int c = 0; c < count; ++c) store_aligned(products + c * ntt_block_leaves, sums[c]);
}

/// Rows 0...k become the products; key: of the step's first coefficient.
template <bool rotate>
TOROID_PHASE void ntt_products(const NttStep& step, int prime, const std::uint32_t* key,
                               const std::uint16_t* exponents, int block) {
    const NttPrimeTables& tables = step.key.primes[prime];
    const Modulus modulus(tables);
    const int vector_stride = step.rows * step.components * ntt_lanes;
    alignas(64) std::uint32_t digits[most_job_rows * ntt_block_leaves];
    alignas(64) std::uint32_t products[most_job_rows * ntt_block_leaves];
    constexpr int tail_words = ntt_tail_nodes * 2 * ntt_lanes;
    for (int first = 0; first < step.ring; first += ntt_block_leaves) {
        const int number = first / ntt_block_leaves;
        for (int row = 0; row < step.rows; ++row) {
            forward_tail(tables.forward.tail + number * tail_words, modulus, step.row(prime, row) + first,
                         digits + row * ntt_block_leaves);
        }
        for (int v = 0; v < ntt_lanes; ++v) {
            const int vector = first / ntt_lanes + v;
            const std::uint32_t* const own = key + std::int64_t{vector} * vector_stride;
            const auto multiply_some = [&]<int count>(int component) {
                multiply_leaves<rotate, count>(step, tables, modulus, own + component * ntt_lanes, exponents,
                                               block, step.key.leaf_exponents + vector * ntt_lanes,
                                               digits + v * ntt_lanes,
                                               products + component * ntt_block_leaves + v * ntt_lanes);
            };
            if (step.components == 3) {
                multiply_some.template operator()<3>(0);
            } else {
                int c = 0;
                for (; c + 1 < step.components; c += 2) multiply_some.template operator()<2>(c);
                if (c < step.components) multiply_some.template operator()<1>(c);
            }
        }
        for (int c = 0; c < step.components; ++c) {
            inverse_tail(tables.inverse.tail + number * tail_words, modulus, products + c * ntt_block_leaves,
                         step.row(prime, c) + first);
        }
    }
}

/// acc += the sums whose residues rows `component` hold (math::combine_residues).
TOROID_PHASE inline void ntt_combine(const NttStep& step, int component, std::uint32_t* polynomial) {
    const Modulus first(step.key.primes[0]);
    const Modulus second(step.key.primes[1]);
    const Factor combination = broadcast_factor(step.key.combination);
    const Residues half = all(step.key.primes[1].prime / 2);
    const std::uint32_t* const residues_1 = step.row(0, component);
    const std::uint32_t* const residues_2 = step.row(1, component);
    for (int j = 0; j < step.ring; j += ntt_lanes) {
        const Residues x1 = reduce_once(load_aligned<Residues>(residues_1 + j), first.prime);
        const Residues difference = load_aligned<Residues>(residues_2 + j) + second.twice - x1;
        const Residues t = reduce_once(multiply(difference, combination, second.prime), second.prime);
        const Residues centred = t - (reinterpret_cast<Residues>(t > half) & second.prime);
        store(polynomial + j, load<Residues>(polynomial + j) + x1 + first.prime * centred);
    }
    for (int i = 0; i < accumulator_padding; ++i) polynomial[step.ring + i] = 0U - polynomial[i];
}

template <bool rotate>
void ntt_rotation(const NttRotationJob& job) {
    const NttStep step(job);
    const NttRotationKey& key = step.key;
    const std::int64_t gate_stride = std::int64_t{step.components} * step.polynomial_stride;
    for (int first = 0; first < key.lwe_dimension; first += key.block) {
        const int block = key.lwe_dimension - first < key.block ? key.lwe_dimension - first : key.block;
        const std::uint32_t* const values = key.values + first * key.step_stride();
        for (int gate = 0; gate < job.gates; ++gate) {
            std::uint32_t* const accumulator = job.accumulators + gate * gate_stride;
            const std::uint16_t* const exponents = job.switched + gate * job.switched_stride + first;
            for (int c = 0; c < step.components; ++c) {
                ntt_digits<rotate>(step, c, accumulator + c * step.polynomial_stride, exponents[0]);
            }
            for (int prime = 0; prime < 2; ++prime) {
                for (int row = 0; row < step.rows; ++row) ntt_forward(step, prime, row);
                ntt_products<rotate>(step, prime, values + prime * (key.step_stride() / 2), exponents, block);
                for (int c = 0; c < step.components; ++c) ntt_inverse(step, prime, c);
            }
            for (int c = 0; c < step.components; ++c) {
                ntt_combine(step, c, accumulator + c * step.polynomial_stride);
            }
        }
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
