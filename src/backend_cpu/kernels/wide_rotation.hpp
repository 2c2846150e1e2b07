// SPDX-License-Identifier: Apache-2.0
// Blind rotation of many gates: one gate a lane, `lanes` gates a unit, all units of the job per pass over the
// key. CGGI 2020 (Journal of Cryptology 33), algorithm 3 for binary keys; ePrint 2023/958 for block-binary
// keys.
//
// One step (one key coefficient, or one block of them):
// - forward, per unit and component: (X^a - 1) acc (binary) or acc (block) -> digits -> all stages but one;
// - multiply, per node of the last stage: that stage of every row, the product, the first inverse stage;
// - inverse, per unit and component: the other stages, rounding, acc +=.
// Accumulators stay gate by gate, so that a rotation is a contiguous load; small transpositions move to lanes
// and back.
#pragma once

#include "backend_cpu/kernels/middle_stages.hpp"
#include "backend_cpu/kernels/step.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// Digits of one component of one unit, through the first forward stage, into spectra[row].
template <KernelShape shape, int lanes, bool rotate>
TOROID_PHASE void wide_forward(const Sizes<shape>& sizes, const RotationKey& key, int component,
                               const std::uint32_t* accumulators, const std::uint32_t* exponents,
                               double* spectra) {
    const int ring = sizes.ring();
    const int part = ring / 8;
    const int levels = sizes.levels(component);
    const int base_log = sizes.base_log(component);
    const DigitRule rule = digit_rule(base_log, levels);
    const std::int64_t gate_stride = sizes.components() * sizes.polynomial_stride();
    const std::uint32_t* polynomial = accumulators + component * sizes.polynomial_stride();
    const std::int64_t row_stride = sizes.row_stride(lanes);
    const std::int64_t quarter = sizes.quarter_stride(lanes);
    double* const rows = spectra + sizes.first_row(component) * row_stride;
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(key.transform.twiddles[0], 1);

    constexpr int span = piece<lanes>;
    for (int j = 0; j < part; j += span) {
        // [position][row of transpose_pieces][word]
        alignas(64) std::uint32_t values[8][lanes][span];
        for (int position = 0; position < 8; ++position) {
            const int first = position * part + j;
            Word<span> pieces[lanes];
            for (int lane = 0; lane < lanes; ++lane) {
                const std::uint32_t* own = polynomial + lane * gate_stride;
                Word<span> value = load<Word<span>>(own + first);
                if constexpr (rotate) {
                    // Coefficient i of X^a acc is acc[i - a], negated when i - a is in [N, 2N) modulo 2N.
                    const std::uint32_t from = (static_cast<std::uint32_t>(first) - exponents[lane]) &
                                               static_cast<std::uint32_t>(2 * ring - 1);
                    const std::uint32_t negate = 0U - (from / static_cast<std::uint32_t>(ring));
                    const Word<span> rotated =
                        load<Word<span>>(own + (from & static_cast<std::uint32_t>(ring - 1)));
                    value = ((rotated ^ negate) - negate) - value;
                }
                pieces[lane] = (value + rule.offset) ^ rule.flip;
            }
            transpose_pieces<lanes>(pieces);
            for (int row = 0; row < lanes; ++row) store_aligned(values[position][row], pieces[row]);
        }
        for (int level = 0; level < levels; ++level) {
            double* const row = rows + level * row_stride + j * 2 * lanes;
            alignas(64) std::int32_t fields[8][lanes][span];
            for (int position = 0; position < 8; ++position) {
                for (int i = 0; i < lanes; ++i) {
                    store_aligned(fields[position][i],
                                  digit_of(load_aligned<Word<span>>(values[position][i]), level, base_log));
                }
            }
            for (int i = 0; i < span; ++i) {
                const auto digit = [&](int position) {
                    return to_real<lanes>(
                        load_aligned<Signed<lanes>>(fields[position][i % lanes] + i / lanes * lanes));
                };
                const Quad<lanes> digits{
                    {digit(0), digit(4)}, {digit(1), digit(5)}, {digit(2), digit(6)}, {digit(3), digit(7)}};
                store_quad<lanes>(row + i * 2 * lanes, quarter, split4(digits, twiddles));
            }
        }
    }
    for (int level = 0; level < levels; ++level) {
        middle_stages<true, lanes, 1, shape.ring_dimension>(key.transform, sizes.points(), quarter,
                                                            rows + level * row_stride);
    }
}

/// The inverse stages after the first, and acc += the rounded result.
template <KernelShape shape, int lanes>
TOROID_PHASE void wide_inverse(const Sizes<shape>& sizes, const RotationKey& key, int component,
                               double* spectra, std::uint32_t* accumulators) {
    const int ring = sizes.ring();
    const int part = ring / 8;
    const std::int64_t gate_stride = sizes.components() * sizes.polynomial_stride();
    std::uint32_t* polynomial = accumulators + component * sizes.polynomial_stride();
    const std::int64_t quarter = sizes.quarter_stride(lanes);
    double* const row = spectra + component * sizes.row_stride(lanes);
    middle_stages<false, lanes, 1, shape.ring_dimension>(key.transform, sizes.points(), quarter, row);
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(key.transform.twiddles[0], 1);

    for (int j = 0; j < part; j += lanes) {
        Word<lanes> values[8][lanes];
        for (int i = 0; i < lanes; ++i) {
            const Quad<lanes> out = join4(load_quad<lanes>(row + (j + i) * 2 * lanes, quarter), twiddles);
            const auto put = [&](int q, const Complex<lanes>& value) {
                values[q][i] = round_to_torus<lanes, !Sizes<shape>::fixed>(value.re);
                values[q + 4][i] = round_to_torus<lanes, !Sizes<shape>::fixed>(value.im);
            };
            put(0, out.a0);
            put(1, out.a1);
            put(2, out.a2);
            put(3, out.a3);
        }
        for (int position = 0; position < 8; ++position) {
            transpose<lanes>(values[position]);
            for (int lane = 0; lane < lanes; ++lane) {
                std::uint32_t* to = polynomial + lane * gate_stride + position * part + j;
                store(to, load<Word<lanes>>(to) + values[position][lane]);
            }
        }
    }
    for (int lane = 0; lane < lanes; ++lane) {
        std::uint32_t* own = polynomial + lane * gate_stride;
        for (int i = 0; i < accumulator_padding; ++i) own[ring + i] = 0U - own[i];
    }
}

/// sum over rows of digit * key[row][component] for `count` components of one leaf. digits: [row][child].
template <KernelShape shape, int lanes, int count>
TOROID_INLINE Sums<lanes, count> wide_leaf(const Sizes<shape>& sizes, const double* key,
                                           const double* digits) {
    Sums<lanes, count> sums;
    const int row_stride = sizes.components() * 2 * nodes_per_block;
    for (int row = 0; row < sizes.rows(); ++row) {
        sums.add(load_complex<lanes>(digits + row * 8 * lanes), key + row * row_stride);
    }
    return sums;
}

/// The product with the key at one node of one unit, components [first, first + count), into step.products.
template <KernelShape shape, int lanes, bool rotate, int count>
TOROID_INLINE void wide_node(const Sizes<shape>& sizes, const double* values, const Step& step, int first) {
    values += first * 2 * nodes_per_block;
    double* const products = step.products + first * 8 * lanes;
    for (int t = 0; t < 4; ++t) {
        const double* const own = values + t * sizes.child_stride();
        const double* const digits = step.digits + t * 2 * lanes;
        if constexpr (rotate) {
            wide_leaf<shape, lanes, count>(sizes, own, digits).store_to(products + t * 2 * lanes, 8 * lanes);
        } else {
            Sums<lanes, count> total;
            for (int j = 0; j < step.block; ++j) {
                total.add_times(wide_leaf<shape, lanes, count>(sizes, own + j * sizes.step_stride(), digits),
                                load_complex<lanes>(step.factors + (j * 4 + t) * 2 * lanes));
            }
            total.store_to(products + t * 2 * lanes, 8 * lanes);
        }
    }
}

/// The multiply phase: last forward stage, product and first inverse stage at every node of every unit.
template <KernelShape shape, int lanes, bool rotate>
TOROID_PHASE void wide_products(const Sizes<shape>& sizes, const RotationKey& key, const double* step_key,
                                int units, const Step& step) {
    const double* const table = key.transform.twiddles[key.transform.stages - 1];
    const std::int64_t row_stride = sizes.row_stride(lanes);
    for (int node = 0; node < sizes.points() / 4; ++node) {
        const Twiddles<lanes> twiddles = last_stage_twiddles<lanes>(table, node);
        const double* const values = step_key +
                                     std::int64_t{node / nodes_per_block} * 4 * sizes.child_stride() +
                                     node % nodes_per_block;
        for (int j = 0; j < step.block; ++j) {
            // This node's share of the next block of leaves; after the last block that is the next step's.
            prefetch(step_key + j * sizes.step_stride() +
                         std::int64_t{node + nodes_per_block} * sizes.child_stride(),
                     sizes.child_stride());
        }
        for (int unit = 0; unit < units; ++unit) {
            double* const own =
                step.spectra + unit * sizes.rows() * row_stride + sizes.point_offset(4 * node, lanes);
            for (int row = 0; row < sizes.rows(); ++row) {
                prefetch(own + row * row_stride + 2 * 8 * lanes, 8 * lanes);  // two nodes ahead
                store_quad<lanes>(step.digits + row * 8 * lanes, 2 * lanes,
                                  split4(load_quad<lanes>(own + row * row_stride, 2 * lanes), twiddles));
            }
            if constexpr (!rotate) {
                std::uint32_t leaves[lanes];
                for (int lane = 0; lane < lanes; ++lane) leaves[lane] = key.transform.leaf_exponents[node];
                for (int j = 0; j < step.block; ++j) {
                    const int at = unit * key.block + j;
                    monomial_factors<lanes>(key.transform, sizes.ring(), leaves, step.exponents + at * lanes,
                                            step.turns + at * turn_doubles<lanes>,
                                            step.factors + j * 8 * lanes);
                }
            }
            if constexpr (Sizes<shape>::fixed) {
                wide_node<shape, lanes, rotate, shape.glwe_dimension + 1>(sizes, values, step, 0);
            } else {
                for (int c = 0; c < sizes.components(); ++c) {
                    wide_node<shape, lanes, rotate, 1>(sizes, values, step, c);
                }
            }
            for (int c = 0; c < sizes.components(); ++c) {
                store_quad<lanes>(
                    own + c * row_stride, 2 * lanes,
                    join4(load_quad<lanes>(step.products + c * 8 * lanes, 2 * lanes), twiddles));
            }
        }
    }
}

template <KernelShape shape, int lanes, bool rotate>
void wide_rotation(const RotationJob& job) {
    const RotationKey& key = *job.key;
    const Sizes<shape> sizes(key);
    constexpr KernelShape transform = transform_shape<shape>;
    const Sizes<transform> transform_sizes(key);
    const int units = (job.gates + lanes - 1) / lanes;
    const std::int64_t unit_spectra = sizes.rows() * sizes.row_stride(lanes);
    const std::int64_t unit_accumulators = lanes * sizes.components() * sizes.polynomial_stride();
    Step step;
    place_scratch<lanes>(key, units, lanes, job.scratch, step);

    for (int first = 0; first < key.lwe_dimension; first += key.block) {
        step.block = key.lwe_dimension - first < key.block ? key.lwe_dimension - first : key.block;
        for (int unit = 0; unit < units; ++unit) {
            for (int j = 0; j < step.block; ++j) {
                const int at = unit * key.block + j;
                std::uint32_t* const own = step.exponents + at * lanes;
                for (int lane = 0; lane < lanes; ++lane) {
                    const int gate = unit * lanes + lane;
                    own[lane] = gate < job.gates ? job.switched[gate * job.switched_stride + first + j] : 0;
                }
                if constexpr (!rotate) store_monomial_turn<lanes>(own, step.turns + at * turn_doubles<lanes>);
            }
            for (int component = 0; component < sizes.components(); ++component) {
                wide_forward<transform, lanes, rotate>(
                    transform_sizes, key, component, job.accumulators + unit * unit_accumulators,
                    step.exponents + unit * key.block * lanes, step.spectra + unit * unit_spectra);
            }
        }
        wide_products<shape, lanes, rotate>(sizes, key, key.values + first * sizes.step_stride(), units,
                                            step);
        for (int unit = 0; unit < units; ++unit) {
            for (int component = 0; component < sizes.components(); ++component) {
                wide_inverse<transform, lanes>(transform_sizes, key, component,
                                               step.spectra + unit * unit_spectra,
                                               job.accumulators + unit * unit_accumulators);
            }
        }
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
