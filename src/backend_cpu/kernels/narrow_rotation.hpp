// SPDX-License-Identifier: Apache-2.0
// Blind rotation of few gates: the lanes of a vector are four neighbouring coefficients, in the last stage
// four nodes, of one gate. Same tree, same key layout and same accumulators as the wide kernel, so the
// results differ by rounding errors at most. Arrays are [point / 4][re, im][point % 4].
#pragma once

#include "backend_cpu/kernels/wide_rotation.hpp"

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
/// a[node][point] <-> a[point][node]
TOROID_INLINE void transpose(NarrowComplex (&a)[4]) {
    transpose_parts(a[0].re, a[1].re, a[2].re, a[3].re);
    transpose_parts(a[0].im, a[1].im, a[2].im, a[3].im);
}

TOROID_INLINE Twiddles<narrow_lanes> block_twiddles(const double* table, int block) {
    Twiddles<narrow_lanes> out;
    const double* at = table + block * 6 * nodes_per_block;
    for (int power = 0; power < 3; ++power)
        out.w[power] = load_complex<narrow_lanes>(at + 2 * power * nodes_per_block);
    return out;
}

/// Middle stages: as in the wide transform, but with four points a vector; every part is a multiple of four.
template <bool forward>
TOROID_INLINE void narrow_middle(const TransformTables& transform, int points, double* data) {
    int nodes = forward ? 4 : points / 4;
    const int stages = transform.stages - 2;
    for (int i = 0; i < stages; ++i) {
        const int stage = forward ? 1 + i : stages - i;
        const int radix = transform.radix[stage];
        if constexpr (!forward) nodes /= radix;
        const int part = points / nodes / radix;
        const double* table = transform.twiddles[stage];
        double* block = data;
        for (int node = 0; node < nodes; ++node, block += 2 * radix * part) {
            if (radix == 2) {
                const NarrowComplex w{broadcast<Real<4>>(table[0]), broadcast<Real<4>>(table[1])};
                table += 2;
                for (int j = 0; j < part; j += narrow_lanes) {
                    double* const at = block + 2 * j;
                    const NarrowComplex a = load_complex<narrow_lanes>(at);
                    const NarrowComplex b = load_complex<narrow_lanes>(at + 2 * part);
                    if constexpr (forward) {
                        const NarrowComplex turned = times(b, w);
                        store_complex(at, a + turned);
                        store_complex(at + 2 * part, a - turned);
                    } else {
                        store_complex(at, a + b);
                        store_complex(at + 2 * part, times_conjugate(a - b, w));
                    }
                }
                continue;
            }
            const Twiddles<narrow_lanes> twiddles = broadcast_twiddles<narrow_lanes>(table, 1);
            table += 6;
            for (int j = 0; j < part; j += narrow_lanes) {
                NarrowComplex a[4];
                for (int q = 0; q < 4; ++q) a[q] = load_complex<narrow_lanes>(block + 2 * (j + q * part));
                if constexpr (forward) {
                    split4(a, twiddles);
                } else {
                    join4(a, twiddles);
                }
                for (int q = 0; q < 4; ++q) store_complex(block + 2 * (j + q * part), a[q]);
            }
        }
        if constexpr (forward) nodes *= radix;
    }
}

template <KernelShape shape, bool rotate>
TOROID_INLINE void narrow_forward(const Sizes<shape>& sizes, const RotationKey& key, int component,
                                  const std::uint32_t* accumulator, std::uint32_t exponent, double* spectra) {
    constexpr int lanes = narrow_lanes;
    const int ring = sizes.ring();
    const int part = ring / 8;
    const int levels = sizes.levels(component);
    const int base_log = sizes.base_log(component);
    const std::uint32_t offset = digit_offset(base_log, levels);
    const std::uint32_t half_base = std::uint32_t{1} << (base_log - 1);
    const std::uint32_t* own = accumulator + component * sizes.polynomial_stride();
    double* const rows = spectra + sizes.first_row(component) * std::int64_t{ring};
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
            values[position] = value + offset;
        }
        for (int level = 0; level < levels; ++level) {
            const int shift = 32 - (level + 1) * base_log;
            Real<lanes> digits[8];
            for (int position = 0; position < 8; ++position) {
                const Word<lanes> field = (values[position] >> shift) & (2 * half_base - 1);
                digits[position] =
                    __builtin_convertvector(reinterpret_cast<Signed<lanes>>(field - half_base), Real<lanes>);
            }
            NarrowComplex a[4];
            for (int q = 0; q < 4; ++q) a[q] = {digits[q], digits[q + 4]};
            split4(a, twiddles);
            double* const row = rows + level * std::int64_t{ring};
            for (int q = 0; q < 4; ++q) store_complex(row + 2 * (j + q * part), a[q]);
        }
    }
    for (int level = 0; level < levels; ++level) {
        narrow_middle<true>(key.transform, sizes.points(), rows + level * std::int64_t{ring});
    }
}

template <KernelShape shape>
TOROID_INLINE void narrow_inverse(const Sizes<shape>& sizes, const RotationKey& key, int component,
                                  double* spectra, std::uint32_t* accumulator) {
    constexpr int lanes = narrow_lanes;
    const int ring = sizes.ring();
    const int part = ring / 8;
    std::uint32_t* const own = accumulator + component * sizes.polynomial_stride();
    double* const row = spectra + component * std::int64_t{ring};
    narrow_middle<false>(key.transform, sizes.points(), row);
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(key.transform.twiddles[0], 1);
    for (int j = 0; j < part; j += lanes) {
        NarrowComplex a[4];
        for (int q = 0; q < 4; ++q) a[q] = load_complex<lanes>(row + 2 * (j + q * part));
        join4(a, twiddles);
        for (int q = 0; q < 4; ++q) {
            std::uint32_t* const re = own + q * part + j;
            std::uint32_t* const im = re + 4 * part;
            store(re, load<Word<lanes>>(re) + round_to_torus<lanes, !Sizes<shape>::fixed>(a[q].re));
            store(im, load<Word<lanes>>(im) + round_to_torus<lanes, !Sizes<shape>::fixed>(a[q].im));
        }
    }
    for (int i = 0; i < accumulator_padding; ++i) own[ring + i] = 0U - own[i];
}

template <KernelShape shape, int count>
TOROID_INLINE void narrow_multiply(const Sizes<shape>& sizes, const double* key, const NarrowComplex* digits,
                                   int child, int first, NarrowComplex (&sums)[count]) {
    for (int c = 0; c < count; ++c) sums[c] = NarrowComplex{};
    const int row_stride = sizes.components() * 2 * nodes_per_block;
    for (int row = 0; row < sizes.rows(); ++row) {
        const NarrowComplex digit = digits[row * 4 + child];
        const double* values = key + row * row_stride + first * 2 * nodes_per_block;
        for (int c = 0; c < count; ++c, values += 2 * nodes_per_block) {
            add_product(sums[c], digit, load_complex<narrow_lanes>(values));
        }
    }
}

/// The multiply phase at four nodes of one gate.
template <KernelShape shape, bool rotate, int count>
TOROID_INLINE void narrow_block(const Sizes<shape>& sizes, const RotationKey& key, const double* step_key,
                                int leaf_block, const std::uint32_t* exponents,
                                const MonomialTurn<narrow_lanes>* turns, int block, int first,
                                const NarrowComplex* digits, double* spectra) {
    const double* const values = step_key + std::int64_t{leaf_block} * 4 * sizes.child_stride();
    NarrowComplex sums[count][4];
    if constexpr (rotate) {
        for (int t = 0; t < 4; ++t) {
            NarrowComplex products[count];
            narrow_multiply<shape, count>(sizes, values + t * sizes.child_stride(), digits, t, first,
                                          products);
            for (int c = 0; c < count; ++c) sums[c][t] = products[c];
        }
    } else {
        for (int c = 0; c < count; ++c) {
            for (int t = 0; t < 4; ++t) sums[c][t] = NarrowComplex{};
        }
        for (int j = 0; j < block; ++j) {
            NarrowComplex factors[4];
            std::uint32_t leaves[narrow_lanes];
            std::uint32_t powers[narrow_lanes];
            for (int lane = 0; lane < narrow_lanes; ++lane) {
                leaves[lane] = key.transform.leaf_exponents[leaf_block * nodes_per_block + lane];
                powers[lane] = exponents[j];
            }
            monomial_factors<narrow_lanes>(key.transform, sizes.ring(), leaves, powers, turns[j], factors);
            for (int t = 0; t < 4; ++t) {
                NarrowComplex products[count];
                narrow_multiply<shape, count>(sizes,
                                              values + j * sizes.step_stride() + t * sizes.child_stride(),
                                              digits, t, first, products);
                for (int c = 0; c < count; ++c) add_product(sums[c][t], products[c], factors[t]);
            }
        }
    }
    const Twiddles<narrow_lanes> twiddles =
        block_twiddles(key.transform.twiddles[key.transform.stages - 1], leaf_block);
    for (int c = 0; c < count; ++c) {
        join4(sums[c], twiddles);
        transpose(sums[c]);
        double* const to = spectra + (first + c) * std::int64_t{sizes.ring()} + leaf_block * 32;
        for (int node = 0; node < 4; ++node) store_complex(to + node * 2 * narrow_lanes, sums[c][node]);
    }
}

TOROID_INLINE std::int64_t narrow_scratch_doubles(const RotationKey& key, int gates) {
    const Sizes<run_time_shape> sizes(key);
    const std::int64_t spectra = std::int64_t{gates} * sizes.rows() * sizes.ring();
    const std::int64_t digits = std::int64_t{sizes.rows()} * 4 * 2 * narrow_lanes;
    const std::int64_t turns = std::int64_t{gates} * key.block * 4 * narrow_lanes;
    return spectra + digits + turns + std::int64_t{gates} * key.block + 64;
}

template <KernelShape shape, bool rotate>
void narrow_rotation(const RotationJob& job) {
    const RotationKey& key = *job.key;
    const Sizes<shape> sizes(key);
    const std::int64_t gate_spectra = std::int64_t{sizes.rows()} * sizes.ring();
    const std::int64_t gate_accumulators = sizes.components() * sizes.polynomial_stride();
    double* const spectra = job.scratch;
    auto* const digits = reinterpret_cast<NarrowComplex*>(spectra + job.gates * gate_spectra);
    auto* const turns = reinterpret_cast<MonomialTurn<narrow_lanes>*>(digits + sizes.rows() * 4);
    auto* const exponents = reinterpret_cast<std::uint32_t*>(turns + job.gates * key.block);
    const double* const last_table = key.transform.twiddles[key.transform.stages - 1];

    for (int first = 0; first < key.lwe_dimension; first += key.block) {
        const int block = key.lwe_dimension - first < key.block ? key.lwe_dimension - first : key.block;
        for (int gate = 0; gate < job.gates; ++gate) {
            std::uint32_t* const own = exponents + gate * key.block;
            for (int j = 0; j < block; ++j) {
                own[j] = job.switched[gate * job.switched_stride + first + j];
                if constexpr (!rotate) {
                    const std::uint32_t powers[narrow_lanes] = {own[j], own[j], own[j], own[j]};
                    turns[gate * key.block + j] = monomial_turn<narrow_lanes>(powers);
                }
            }
            for (int component = 0; component < sizes.components(); ++component) {
                narrow_forward<shape, rotate>(sizes, key, component,
                                              job.accumulators + gate * gate_accumulators, own[0],
                                              spectra + gate * gate_spectra);
            }
        }
        const double* const step_key = key.values + first * sizes.step_stride();
        for (int leaf_block = 0; leaf_block < sizes.points() / 16; ++leaf_block) {
            const Twiddles<narrow_lanes> twiddles = block_twiddles(last_table, leaf_block);
            for (int gate = 0; gate < job.gates; ++gate) {
                double* const own = spectra + gate * gate_spectra;
                for (int row = 0; row < sizes.rows(); ++row) {
                    NarrowComplex a[4];
                    const double* from = own + row * std::int64_t{sizes.ring()} + leaf_block * 32;
                    for (int node = 0; node < 4; ++node) {
                        a[node] = load_complex<narrow_lanes>(from + node * 2 * narrow_lanes);
                    }
                    transpose(a);
                    split4(a, twiddles);
                    for (int t = 0; t < 4; ++t) digits[row * 4 + t] = a[t];
                }
                const std::uint32_t* const powers = exponents + gate * key.block;
                const MonomialTurn<narrow_lanes>* const turn = turns + gate * key.block;
                if constexpr (Sizes<shape>::fixed) {
                    narrow_block<shape, rotate, shape.glwe_dimension + 1>(
                        sizes, key, step_key, leaf_block, powers, turn, block, 0, digits, own);
                } else {
                    for (int c = 0; c < sizes.components(); ++c) {
                        narrow_block<shape, rotate, 1>(sizes, key, step_key, leaf_block, powers, turn, block,
                                                       c, digits, own);
                    }
                }
            }
        }
        for (int gate = 0; gate < job.gates; ++gate) {
            for (int component = 0; component < sizes.components(); ++component) {
                narrow_inverse<shape>(sizes, key, component, spectra + gate * gate_spectra,
                                      job.accumulators + gate * gate_accumulators);
            }
        }
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
