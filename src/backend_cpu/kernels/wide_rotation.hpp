// SPDX-License-Identifier: Apache-2.0
// Blind rotation of many gates: one gate a lane, `lanes` gates a unit, all units of the job per pass over the
// key. CGGI 2020 (Journal of Cryptology 33), algorithm 3 for binary keys; ePrint 2023/958 for block-binary
// keys.
//
// One step (one key coefficient, or one block of them):
//   forward   per unit and component: (X^a - 1) acc (binary) or acc (block) -> digits -> all stages but the
//   last multiply  per node of the last stage: last forward stage of every row, product with the key, first
//   inverse stage inverse   per unit and component: the other stages, rounding, acc +=
// Accumulators stay gate by gate, so that a rotation is a contiguous load; small transpositions move to lanes
// and back.
#pragma once

#include "backend_cpu/kernels/wide_transform.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// Digits of one component of one unit, through the first forward stage, into spectra[row].
template <KernelShape shape, int lanes, bool rotate>
TOROID_INLINE void wide_forward(const Sizes<shape>& sizes, const RotationKey& key, int component,
                                const std::uint32_t* accumulators, const std::uint32_t* exponents,
                                double* spectra) {
    const int ring = sizes.ring();
    const int part = ring / 8;
    const int levels = sizes.levels(component);
    const int base_log = sizes.base_log(component);
    const std::uint32_t offset = digit_offset(base_log, levels);
    const std::uint32_t half_base = std::uint32_t{1} << (base_log - 1);
    const std::int64_t gate_stride = sizes.components() * sizes.polynomial_stride();
    const std::uint32_t* polynomial = accumulators + component * sizes.polynomial_stride();
    const std::int64_t row_stride = std::int64_t{ring} * lanes;
    double* const rows = spectra + sizes.first_row(component) * row_stride;
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(key.transform.twiddles[0], 1);

    for (int j = 0; j < part; j += lanes) {
        Word<lanes> values[8][lanes];
        for (int position = 0; position < 8; ++position) {
            const int first = position * part + j;
            for (int lane = 0; lane < lanes; ++lane) {
                const std::uint32_t* own = polynomial + lane * gate_stride;
                Word<lanes> value = load<Word<lanes>>(own + first);
                if constexpr (rotate) {
                    // Coefficient i of X^a acc is acc[i - a], negated when i - a is in [N, 2N) modulo 2N.
                    const std::uint32_t from = (static_cast<std::uint32_t>(first) - exponents[lane]) &
                                               static_cast<std::uint32_t>(2 * ring - 1);
                    const std::uint32_t negate = 0U - (from / static_cast<std::uint32_t>(ring));
                    const Word<lanes> rotated =
                        load<Word<lanes>>(own + (from & static_cast<std::uint32_t>(ring - 1)));
                    value = ((rotated ^ negate) - negate) - value;
                }
                values[position][lane] = value + offset;
            }
            transpose<lanes>(values[position]);
        }
        for (int level = 0; level < levels; ++level) {
            const int shift = 32 - (level + 1) * base_log;
            double* const row = rows + level * row_stride;
            for (int i = 0; i < lanes; ++i) {
                Real<lanes> digits[8];
                for (int position = 0; position < 8; ++position) {
                    const Word<lanes> field = (values[position][i] >> shift) & (2 * half_base - 1);
                    digits[position] = __builtin_convertvector(
                        reinterpret_cast<Signed<lanes>>(field - half_base), Real<lanes>);
                }
                Complex<lanes> a[4];
                for (int q = 0; q < 4; ++q) a[q] = {digits[q], digits[q + 4]};
                split4(a, twiddles);
                for (int q = 0; q < 4; ++q) store_complex(row + (j + i + q * part) * 2 * lanes, a[q]);
            }
        }
    }
    for (int level = 0; level < levels; ++level) {
        wide_forward_middle<lanes>(key.transform, sizes.points(), rows + level * row_stride);
    }
}

/// The inverse stages after the first, and acc += the rounded result.
template <KernelShape shape, int lanes>
TOROID_INLINE void wide_inverse(const Sizes<shape>& sizes, const RotationKey& key, int component,
                                double* spectra, std::uint32_t* accumulators) {
    const int ring = sizes.ring();
    const int part = ring / 8;
    const std::int64_t gate_stride = sizes.components() * sizes.polynomial_stride();
    std::uint32_t* polynomial = accumulators + component * sizes.polynomial_stride();
    double* const row = spectra + component * std::int64_t{ring} * lanes;
    wide_inverse_middle<lanes>(key.transform, sizes.points(), row);
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(key.transform.twiddles[0], 1);

    for (int j = 0; j < part; j += lanes) {
        Word<lanes> values[8][lanes];
        for (int i = 0; i < lanes; ++i) {
            Complex<lanes> a[4];
            for (int q = 0; q < 4; ++q) a[q] = load_complex<lanes>(row + (j + i + q * part) * 2 * lanes);
            join4(a, twiddles);
            for (int q = 0; q < 4; ++q) {
                values[q][i] = round_to_torus<lanes, !Sizes<shape>::fixed>(a[q].re);
                values[q + 4][i] = round_to_torus<lanes, !Sizes<shape>::fixed>(a[q].im);
            }
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

/// The last forward stage of all rows at one node: digits[row][t].
template <KernelShape shape, int lanes>
TOROID_INLINE void wide_last_stage(const Sizes<shape>& sizes, const double* table, int node,
                                   const double* spectra, Complex<lanes>* digits) {
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(
        table + node / nodes_per_block * 6 * nodes_per_block + node % nodes_per_block, nodes_per_block);
    const std::int64_t row_stride = std::int64_t{sizes.ring()} * lanes;
    for (int row = 0; row < sizes.rows(); ++row) {
        Complex<lanes> a[4];
        const double* from = spectra + row * row_stride + node * 8 * lanes;
        for (int q = 0; q < 4; ++q) a[q] = load_complex<lanes>(from + q * 2 * lanes);
        split4(a, twiddles);
        for (int q = 0; q < 4; ++q) digits[row * 4 + q] = a[q];
    }
}

/// sum over rows of digits[row][t] * key[row][component], components [first, first + count).
template <KernelShape shape, int lanes, int count>
TOROID_INLINE void wide_multiply(const Sizes<shape>& sizes, const double* key, const Complex<lanes>* digits,
                                 int child, int first, Complex<lanes> (&sums)[count]) {
    for (int c = 0; c < count; ++c) sums[c] = Complex<lanes>{};
    const int rows = sizes.rows();
    const int row_stride = sizes.components() * 2 * nodes_per_block;
    for (int row = 0; row < rows; ++row) {
        const Complex<lanes> digit = digits[row * 4 + child];
        const double* values = key + row * row_stride + first * 2 * nodes_per_block;
        for (int c = 0; c < count; ++c, values += 2 * nodes_per_block) {
            add_product(sums[c], digit,
                        {broadcast<Real<lanes>>(values[0]), broadcast<Real<lanes>>(values[nodes_per_block])});
        }
    }
}

/// First inverse stage at one node of one component.
template <int lanes>
TOROID_INLINE void wide_first_inverse(const double* table, int node, Complex<lanes> (&a)[4], double* row) {
    const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(
        table + node / nodes_per_block * 6 * nodes_per_block + node % nodes_per_block, nodes_per_block);
    join4(a, twiddles);
    for (int q = 0; q < 4; ++q) store_complex(row + node * 8 * lanes + q * 2 * lanes, a[q]);
}

/// X^a - 1 at the four leaves of a node: leaf 0 looked up, the others i^(t a) times it.
template <int lanes>
struct MonomialTurn {
    Long<lanes> swap;       // a odd
    Long<lanes> sign_re;    // a mod 4 in {1, 2}
    Long<lanes> sign_im;    // a mod 4 in {2, 3}
    Long<lanes> sign_half;  // a odd
};

template <int lanes>
TOROID_INLINE MonomialTurn<lanes> monomial_turn(const std::uint32_t* exponents) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    MonomialTurn<lanes> out{};
    for (int lane = 0; lane < lanes; ++lane) {
        const std::uint32_t quarter = exponents[lane] & 3U;
        out.swap[lane] = (quarter & 1U) != 0 ? ~std::uint64_t{0} : 0;
        out.sign_re[lane] = quarter == 1 || quarter == 2 ? sign : 0;
        out.sign_im[lane] = quarter >= 2 ? sign : 0;
        out.sign_half[lane] = (quarter & 1U) != 0 ? sign : 0;
    }
    return out;
}

template <int lanes>
TOROID_INLINE Real<lanes> flip(Real<lanes> value, Long<lanes> signs) {
    return reinterpret_cast<Real<lanes>>(reinterpret_cast<Long<lanes>>(value) ^ signs);
}
template <int lanes>
TOROID_INLINE Real<lanes> choose(Long<lanes> mask, Real<lanes> yes, Real<lanes> no) {
    return reinterpret_cast<Real<lanes>>((reinterpret_cast<Long<lanes>>(yes) & mask) |
                                         (reinterpret_cast<Long<lanes>>(no) & ~mask));
}

/// leaves: exponent of leaf 0 of each lane's node; exponents: a of each lane.
template <int lanes>
TOROID_INLINE void monomial_factors(const TransformTables& transform, int ring, const std::uint32_t* leaves,
                                    const std::uint32_t* exponents, const MonomialTurn<lanes>& turn,
                                    Complex<lanes> (&factors)[4]) {
    Complex<lanes> value{};
    for (int lane = 0; lane < lanes; ++lane) {
        const double* root = transform.roots + 2 * ((leaves[lane] * exponents[lane]) &
                                                    static_cast<std::uint32_t>(2 * ring - 1));
        value.re[lane] = root[0];
        value.im[lane] = root[1];
    }
    factors[0] = value;
    factors[1] = {flip<lanes>(choose<lanes>(turn.swap, value.im, value.re), turn.sign_re),
                  flip<lanes>(choose<lanes>(turn.swap, value.re, value.im), turn.sign_im)};
    factors[2] = {flip<lanes>(value.re, turn.sign_half), flip<lanes>(value.im, turn.sign_half)};
    factors[3] = {flip<lanes>(factors[1].re, turn.sign_half), flip<lanes>(factors[1].im, turn.sign_half)};
    for (int t = 0; t < 4; ++t) factors[t].re = factors[t].re - 1.0;
}

/// The multiply phase at one node of one unit. block: key coefficients this step multiplies at once.
template <KernelShape shape, int lanes, bool rotate, int count>
TOROID_INLINE void wide_node(const Sizes<shape>& sizes, const RotationKey& key, const double* step_key,
                             int node, const std::uint32_t* exponents, const MonomialTurn<lanes>* turns,
                             int block, int first, const Complex<lanes>* digits, double* spectra) {
    const double* const table = key.transform.twiddles[key.transform.stages - 1];
    const double* const values =
        step_key + std::int64_t{node / nodes_per_block} * 4 * sizes.child_stride() + node % nodes_per_block;
    Complex<lanes> sums[count][4];
    if constexpr (rotate) {
        for (int t = 0; t < 4; ++t) {
            Complex<lanes> products[count];
            wide_multiply<shape, lanes, count>(sizes, values + t * sizes.child_stride(), digits, t, first,
                                               products);
            for (int c = 0; c < count; ++c) sums[c][t] = products[c];
        }
    } else {
        for (int c = 0; c < count; ++c) {
            for (int t = 0; t < 4; ++t) sums[c][t] = Complex<lanes>{};
        }
        for (int j = 0; j < block; ++j) {
            Complex<lanes> factors[4];
            std::uint32_t leaves[lanes];
            for (int lane = 0; lane < lanes; ++lane) leaves[lane] = key.transform.leaf_exponents[node];
            monomial_factors<lanes>(key.transform, sizes.ring(), leaves, exponents + j * lanes, turns[j],
                                    factors);
            for (int t = 0; t < 4; ++t) {
                Complex<lanes> products[count];
                wide_multiply<shape, lanes, count>(
                    sizes, values + j * sizes.step_stride() + t * sizes.child_stride(), digits, t, first,
                    products);
                for (int c = 0; c < count; ++c) add_product(sums[c][t], products[c], factors[t]);
            }
        }
    }
    for (int c = 0; c < count; ++c) {
        wide_first_inverse<lanes>(table, node, sums[c],
                                  spectra + (first + c) * std::int64_t{sizes.ring()} * lanes);
    }
}

/// Doubles of scratch: spectra of all units, digits of one node, exponents and turns of one step.
template <int lanes>
TOROID_INLINE std::int64_t wide_scratch_doubles(const RotationKey& key, int gates) {
    const Sizes<run_time_shape> sizes(key);
    const std::int64_t units = (gates + lanes - 1) / lanes;
    const std::int64_t spectra = units * sizes.rows() * std::int64_t{sizes.ring()} * lanes;
    const std::int64_t digits = std::int64_t{sizes.rows()} * 4 * 2 * lanes;
    const std::int64_t turns = units * key.block * 4 * lanes;
    const std::int64_t exponents =
        units * key.block * lanes;  // 32-bit words: half of these doubles are spare
    return spectra + digits + turns + exponents + 64;
}

template <KernelShape shape, int lanes, bool rotate>
void wide_rotation(const RotationJob& job) {
    const RotationKey& key = *job.key;
    const Sizes<shape> sizes(key);
    const int units = (job.gates + lanes - 1) / lanes;
    const std::int64_t unit_spectra = sizes.rows() * std::int64_t{sizes.ring()} * lanes;
    const std::int64_t unit_accumulators = lanes * sizes.components() * sizes.polynomial_stride();
    const int nodes = sizes.points() / 4;
    double* const spectra = job.scratch;
    auto* const digits = reinterpret_cast<Complex<lanes>*>(spectra + units * unit_spectra);
    auto* const turns = reinterpret_cast<MonomialTurn<lanes>*>(digits + sizes.rows() * 4);
    auto* const exponents = reinterpret_cast<std::uint32_t*>(turns + units * key.block);

    for (int first = 0; first < key.lwe_dimension; first += key.block) {
        const int block = key.lwe_dimension - first < key.block ? key.lwe_dimension - first : key.block;
        for (int unit = 0; unit < units; ++unit) {
            for (int j = 0; j < block; ++j) {
                std::uint32_t* own = exponents + (unit * key.block + j) * lanes;
                for (int lane = 0; lane < lanes; ++lane) {
                    const int gate = unit * lanes + lane;
                    own[lane] = gate < job.gates ? job.switched[gate * job.switched_stride + first + j] : 0;
                }
                if constexpr (!rotate) turns[unit * key.block + j] = monomial_turn<lanes>(own);
            }
            for (int component = 0; component < sizes.components(); ++component) {
                wide_forward<shape, lanes, rotate>(
                    sizes, key, component, job.accumulators + unit * unit_accumulators,
                    exponents + unit * key.block * lanes, spectra + unit * unit_spectra);
            }
        }
        const double* const step_key = key.values + first * sizes.step_stride();
        for (int node = 0; node < nodes; ++node) {
            for (int unit = 0; unit < units; ++unit) {
                double* const own = spectra + unit * unit_spectra;
                const std::uint32_t* const powers = exponents + unit * key.block * lanes;
                const MonomialTurn<lanes>* const turn = turns + unit * key.block;
                wide_last_stage<shape, lanes>(sizes, key.transform.twiddles[key.transform.stages - 1], node,
                                              own, digits);
                if constexpr (Sizes<shape>::fixed) {
                    wide_node<shape, lanes, rotate, shape.glwe_dimension + 1>(
                        sizes, key, step_key, node, powers, turn, block, 0, digits, own);
                } else {
                    for (int c = 0; c < sizes.components(); ++c) {
                        wide_node<shape, lanes, rotate, 1>(sizes, key, step_key, node, powers, turn, block, c,
                                                           digits, own);
                    }
                }
            }
        }
        for (int unit = 0; unit < units; ++unit) {
            for (int component = 0; component < sizes.components(); ++component) {
                wide_inverse<shape, lanes>(sizes, key, component, spectra + unit * unit_spectra,
                                           job.accumulators + unit * unit_accumulators);
            }
        }
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
