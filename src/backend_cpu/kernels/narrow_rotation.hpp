// SPDX-License-Identifier: Apache-2.0
// Blind rotation of few gates: the lanes of a vector are four neighbouring coefficients, in the last stage
// four nodes, of one gate. Same tree, same key layout and same accumulators as the wide kernel, so the
// results differ by rounding errors at most. Arrays are [point / 4][re, im][point % 4].
#pragma once

#include "backend_cpu/kernels/middle_stages.hpp"
#include "backend_cpu/kernels/step.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

inline constexpr int narrow_lanes = nodes_per_block;
using NarrowComplex = Complex<narrow_lanes>;

TOROID_INLINE void transpose_parts(Real<4>& r0, Real<4>& r1, Real<4>& r2, Real<4>& r3) {
    const Real<4> a = __builtin_shufflevector(r0, r1, 0, 4, 2, 6);
    const Real<4> b = __builtin_shufflevector(r0, r1, 1, 5, 3, 7);
    const Real<4> c = __builtin_shufflevector(r2, r3, 0, 4, 2, 6);
    const Real<4> d = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
    r0 = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r1 = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r2 = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r3 = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
/// Four nodes of four points each <-> point t of all nodes.
TOROID_INLINE Quad<4> transpose(Quad<4> a) {
    transpose_parts(a.a0.re, a.a1.re, a.a2.re, a.a3.re);
    transpose_parts(a.a0.im, a.a1.im, a.a2.im, a.a3.im);
    return a;
}

/// Twiddles of the four nodes of a block, one node a lane.
TOROID_INLINE Twiddles<narrow_lanes> block_twiddles(const double* table, int block) {
    const double* const at = table + block * 6 * nodes_per_block;
    return {load_complex<narrow_lanes>(at), load_complex<narrow_lanes>(at + 2 * nodes_per_block),
            load_complex<narrow_lanes>(at + 4 * nodes_per_block)};
}

template <KernelShape shape, bool rotate>
TOROID_PHASE void narrow_forward(const Sizes<shape>& sizes, const RotationKey& key, int component,
                                 const std::uint32_t* accumulator, std::uint32_t exponent, double* spectra) {
    constexpr int lanes = narrow_lanes;
    const int ring = sizes.ring();
    const int part = ring / 8;
    const int levels = sizes.levels(component);
    const int base_log = sizes.base_log(component);
    const DigitRule rule = digit_rule(base_log, levels);
    const std::uint32_t* own = accumulator + component * sizes.polynomial_stride();
    const std::int64_t row_stride = sizes.row_stride(1);
    const std::int64_t quarter = sizes.quarter_stride(1);
    double* const rows = spectra + sizes.first_row(component) * row_stride;
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(key.transform.twiddles[0], 1);

    for (int j = 0; j < part; j += lanes) {
        Word<lanes> values[8];
        for (int position = 0; position < 8; ++position) {
            const int first = position * part + j;
            Word<lanes> value = load<Word<lanes>>(own + first);
            if constexpr (rotate) {
                const std::uint32_t from =
                    (static_cast<std::uint32_t>(first) - exponent) & static_cast<std::uint32_t>(2 * ring - 1);
                const std::uint32_t negate = 0U - (from / static_cast<std::uint32_t>(ring));
                const Word<lanes> rotated =
                    load<Word<lanes>>(own + (from & static_cast<std::uint32_t>(ring - 1)));
                value = ((rotated ^ negate) - negate) - value;
            }
            values[position] = (value + rule.offset) ^ rule.flip;
        }
        for (int level = 0; level < levels; ++level) {
            const auto digit = [&](int position) {
                return to_real<lanes>(digit_of(values[position], level, base_log));
            };
            const Quad<lanes> digits{
                {digit(0), digit(4)}, {digit(1), digit(5)}, {digit(2), digit(6)}, {digit(3), digit(7)}};
            store_quad<lanes>(rows + level * row_stride + 2 * j, quarter, split4(digits, twiddles));
        }
    }
    for (int level = 0; level < levels; ++level) {
        middle_stages<true, lanes, lanes, shape.ring_dimension>(key.transform, sizes.points(), quarter,
                                                                rows + level * row_stride);
    }
}

template <KernelShape shape>
TOROID_PHASE void narrow_inverse(const Sizes<shape>& sizes, const RotationKey& key, int component,
                                 double* spectra, std::uint32_t* accumulator) {
    constexpr int lanes = narrow_lanes;
    const int ring = sizes.ring();
    const int part = ring / 8;
    std::uint32_t* const own = accumulator + component * sizes.polynomial_stride();
    const std::int64_t quarter = sizes.quarter_stride(1);
    double* const row = spectra + component * sizes.row_stride(1);
    middle_stages<false, lanes, lanes, shape.ring_dimension>(key.transform, sizes.points(), quarter, row);
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(key.transform.twiddles[0], 1);
    for (int j = 0; j < part; j += lanes) {
        const Quad<lanes> out = join4(load_quad<lanes>(row + 2 * j, quarter), twiddles);
        const auto put = [&](int position, const Real<lanes>& value) {
            std::uint32_t* const to = own + position * part + j;
            store(to, load<Word<lanes>>(to) + round_to_torus<lanes, !Sizes<shape>::fixed>(value));
        };
        put(0, out.a0.re);
        put(1, out.a1.re);
        put(2, out.a2.re);
        put(3, out.a3.re);
        put(4, out.a0.im);
        put(5, out.a1.im);
        put(6, out.a2.im);
        put(7, out.a3.im);
    }
    for (int i = 0; i < accumulator_padding; ++i) own[ring + i] = 0U - own[i];
}

/// sum over rows of digit * key[row][component] for one child of four nodes. digits: [row][child].
template <KernelShape shape, int count>
TOROID_INLINE Sums<narrow_lanes, count> narrow_leaves(const Sizes<shape>& sizes, const double* key,
                                                      const double* digits) {
    Sums<narrow_lanes, count> sums;
    const int row_stride = sizes.components() * 2 * nodes_per_block;
    for (int row = 0; row < sizes.rows(); ++row) {
        sums.add_vectors(load_complex<narrow_lanes>(digits + row * 8 * narrow_lanes), key + row * row_stride);
    }
    return sums;
}

/// As wide_node, at four nodes of one gate.
template <KernelShape shape, bool rotate, int count>
TOROID_INLINE void narrow_nodes(const Sizes<shape>& sizes, const double* values, const Step& step,
                                int first) {
    values += first * 2 * nodes_per_block;
    double* const products = step.products + first * 8 * narrow_lanes;
    for (int t = 0; t < 4; ++t) {
        const double* const own = values + t * sizes.child_stride();
        const double* const digits = step.digits + t * 2 * narrow_lanes;
        if constexpr (rotate) {
            narrow_leaves<shape, count>(sizes, own, digits)
                .store_to(products + t * 2 * narrow_lanes, 8 * narrow_lanes);
        } else {
            Sums<narrow_lanes, count> total;
            for (int j = 0; j < step.block; ++j) {
                total.add_times(narrow_leaves<shape, count>(sizes, own + j * sizes.step_stride(), digits),
                                load_complex<narrow_lanes>(step.factors + (j * 4 + t) * 2 * narrow_lanes));
            }
            total.store_to(products + t * 2 * narrow_lanes, 8 * narrow_lanes);
        }
    }
}

template <KernelShape shape, bool rotate>
TOROID_PHASE void narrow_products(const Sizes<shape>& sizes, const RotationKey& key, const double* step_key,
                                  int gates, const Step& step) {
    constexpr int lanes = narrow_lanes;
    const double* const table = key.transform.twiddles[key.transform.stages - 1];
    for (int block = 0; block < sizes.points() / 16; ++block) {
        const Twiddles<lanes> twiddles = block_twiddles(table, block);
        const double* const values = step_key + std::int64_t{block} * 4 * sizes.child_stride();
        for (int j = 0; j < step.block; ++j) {
            // Four blocks of leaves ahead: a gate alone takes the key from memory, not from a cache.
            prefetch(step_key + j * sizes.step_stride() + std::int64_t{block + 4} * 4 * sizes.child_stride(),
                     4 * sizes.child_stride());
        }
        for (int gate = 0; gate < gates; ++gate) {
            double* const own =
                step.spectra + gate * sizes.rows() * sizes.row_stride(1) + sizes.point_offset(16 * block, 1);
            for (int row = 0; row < sizes.rows(); ++row) {
                const Quad<lanes> points = load_quad<lanes>(own + row * sizes.row_stride(1), 2 * lanes);
                store_quad<lanes>(step.digits + row * 8 * lanes, 2 * lanes,
                                  split4(transpose(points), twiddles));
            }
            if constexpr (!rotate) {
                std::uint32_t leaves[lanes];
                for (int lane = 0; lane < lanes; ++lane) {
                    leaves[lane] = key.transform.leaf_exponents[block * nodes_per_block + lane];
                }
                for (int j = 0; j < step.block; ++j) {
                    const int at = gate * key.block + j;
                    monomial_factors<lanes>(key.transform, sizes.ring(), leaves, step.exponents + at * lanes,
                                            step.turns + at * turn_doubles<lanes>,
                                            step.factors + j * 8 * lanes);
                }
            }
            if constexpr (Sizes<shape>::fixed) {
                narrow_nodes<shape, rotate, shape.glwe_dimension + 1>(sizes, values, step, 0);
            } else {
                for (int c = 0; c < sizes.components(); ++c)
                    narrow_nodes<shape, rotate, 1>(sizes, values, step, c);
            }
            for (int c = 0; c < sizes.components(); ++c) {
                const Quad<lanes> products = load_quad<lanes>(step.products + c * 8 * lanes, 2 * lanes);
                store_quad<lanes>(own + c * sizes.row_stride(1), 2 * lanes,
                                  transpose(join4(products, twiddles)));
            }
        }
    }
}

template <KernelShape shape, bool rotate>
void narrow_rotation(const RotationJob& job) {
    const RotationKey& key = *job.key;
    const Sizes<shape> sizes(key);
    constexpr KernelShape transform = transform_shape<shape>;
    const Sizes<transform> transform_sizes(key);
    const std::int64_t gate_spectra = sizes.rows() * sizes.row_stride(1);
    const std::int64_t gate_accumulators = sizes.components() * sizes.polynomial_stride();
    Step step;
    place_scratch<narrow_lanes>(key, job.gates, 1, job.scratch, step);

    for (int first = 0; first < key.lwe_dimension; first += key.block) {
        step.block = key.lwe_dimension - first < key.block ? key.lwe_dimension - first : key.block;
        for (int gate = 0; gate < job.gates; ++gate) {
            std::uint32_t* const exponents = step.exponents + gate * key.block * narrow_lanes;
            for (int j = 0; j < step.block; ++j) {
                std::uint32_t* const own = exponents + j * narrow_lanes;
                for (int lane = 0; lane < narrow_lanes; ++lane) {
                    own[lane] = job.switched[gate * job.switched_stride + first + j];
                }
                if constexpr (!rotate) {
                    store_monomial_turn<narrow_lanes>(
                        own, step.turns + (gate * key.block + j) * turn_doubles<narrow_lanes>);
                }
            }
            for (int component = 0; component < sizes.components(); ++component) {
                narrow_forward<transform, rotate>(transform_sizes, key, component,
                                                  job.accumulators + gate * gate_accumulators, exponents[0],
                                                  step.spectra + gate * gate_spectra);
            }
        }
        narrow_products<shape, rotate>(sizes, key, key.values + first * sizes.step_stride(), job.gates, step);
        for (int gate = 0; gate < job.gates; ++gate) {
            for (int component = 0; component < sizes.components(); ++component) {
                narrow_inverse<transform>(transform_sizes, key, component, step.spectra + gate * gate_spectra,
                                          job.accumulators + gate * gate_accumulators);
            }
        }
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
