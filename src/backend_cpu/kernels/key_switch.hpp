// SPDX-License-Identifier: Apache-2.0
// Key switching (CGGI 2020, section 4.3) of several gates per pass over the key, in integers modulo 2^16 or
// 2^32.
#pragma once

#include "backend_cpu/kernels/vector.hpp"
#include "backend_cpu/key_switch_job.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// math::decompose_balanced of a whole sample; digits[level * dimension + j]. Returns the sum of rounding
/// errors.
template <typename Element>
std::int64_t balanced_digits(const std::uint32_t* sample, int dimension, int base_log, int levels,
                             Element* digits) {
    constexpr int lanes = 8;
    typedef std::int64_t Sum __attribute__((vector_size(lanes * 8)));
    typedef Element Digits __attribute__((vector_size(lanes * sizeof(Element))));
    const int bits = base_log * levels;
    const std::uint32_t rounding = bits < 32 ? std::uint32_t{1} << (31 - bits) : 0;
    const std::uint32_t half_base = std::uint32_t{1} << (base_log - 1);
    Sum error_sum{};
    for (int j = 0; j < dimension; j += lanes) {
        const Word<lanes> value = load<Word<lanes>>(sample + j);
        Word<lanes> rest = (value + rounding) >> (32 - bits);
        Word<lanes> error = value;
        for (int level = levels; level >= 1; --level) {
            const Word<lanes> residue = rest & (2 * half_base - 1);
            rest = rest >> base_log;
            const Word<lanes> decided_by = (level > 1 ? rest >> (base_log - 1) : value) & 1U;
            // Carry if residue > B/2, or if it is B/2 and decided_by is set.
            const Word<lanes> carry = (half_base - residue - decided_by) >> 31;
            const Word<lanes> digit = residue - (carry << base_log);
            rest = rest + carry;
            error = error - (digit << (32 - level * base_log));
            store(digits + (level - 1) * std::int64_t{dimension} + j, __builtin_convertvector(digit, Digits));
        }
        error_sum = error_sum + __builtin_convertvector(reinterpret_cast<Signed<lanes>>(error), Sum);
    }
    std::int64_t total = 0;
    for (int lane = 0; lane < lanes; ++lane) total += error_sum[lane];
    return total;
}

/// out[i] -= sum of digits[row] * rows[row][i] over `count` rows of one tile of `vectors` vectors.
template <typename Element, int vectors>
TOROID_INLINE void add_rows(const Element* rows, const Element* digits, int count, Element* out) {
    constexpr int elements = key_switch_vector_bytes / static_cast<int>(sizeof(Element));
    typedef Element Vector __attribute__((vector_size(key_switch_vector_bytes)));
    Vector sums[vectors];
    for (int v = 0; v < vectors; ++v) sums[v] = load<Vector>(out + v * elements);
    for (int row = 0; row < count; ++row, rows += vectors * elements) {
        const Vector digit = broadcast<Vector>(digits[row]);
        for (int v = 0; v < vectors; ++v) sums[v] = sums[v] - digit * load<Vector>(rows + v * elements);
    }
    for (int v = 0; v < vectors; ++v) store(out + v * elements, sums[v]);
}

/// One tile for all gates: rows in pieces that stay in the first-level cache while the gates pass over them.
template <typename Element, int vectors>
void switch_tile(const Element* tile, const Element* digits, int rows, int gates, Element* outputs,
                 int width) {
    constexpr int piece = 48;
    constexpr int elements = key_switch_vector_bytes / static_cast<int>(sizeof(Element));
    for (int first = 0; first < rows; first += piece) {
        const int count = rows - first < piece ? rows - first : piece;
        for (int gate = 0; gate < gates; ++gate) {
            add_rows<Element, vectors>(tile + std::int64_t{first} * vectors * elements,
                                       digits + std::int64_t{gate} * rows + first, count,
                                       outputs + std::int64_t{gate} * width);
        }
    }
}

template <typename Element>
void switch_words(const KeySwitchJob& job) {
    const KeySwitchKey& key = *job.key;
    constexpr int elements = key_switch_vector_bytes / static_cast<int>(sizeof(Element));
    constexpr int tile_width = key_switch_tile_vectors * elements;
    const int rows = key.levels * key.input_dimension;
    auto* const digits = static_cast<Element*>(job.digits);
    auto* const outputs = static_cast<Element*>(job.outputs);
    for (int gate = 0; gate < job.gates; ++gate) {
        job.error_sums[gate] =
            balanced_digits<Element>(job.samples + gate * job.sample_stride, key.input_dimension,
                                     key.base_log, key.levels, digits + std::int64_t{gate} * rows);
        __builtin_memset(outputs + std::int64_t{gate} * key.width, 0,
                         static_cast<unsigned long>(key.width) * sizeof(Element));
    }
    const auto* tile = static_cast<const Element*>(key.values);
    for (int first = 0; first < key.width; first += tile_width) {
        const int width = key.width - first < tile_width ? key.width - first : tile_width;
        Element* const out = outputs + first;
        switch (width / elements) {
            case 1:
                switch_tile<Element, 1>(tile, digits, rows, job.gates, out, key.width);
                break;
            case 2:
                switch_tile<Element, 2>(tile, digits, rows, job.gates, out, key.width);
                break;
            case 3:
                switch_tile<Element, 3>(tile, digits, rows, job.gates, out, key.width);
                break;
            case 4:
                switch_tile<Element, 4>(tile, digits, rows, job.gates, out, key.width);
                break;
            case 5:
                switch_tile<Element, 5>(tile, digits, rows, job.gates, out, key.width);
                break;
            case 6:
                switch_tile<Element, 6>(tile, digits, rows, job.gates, out, key.width);
                break;
            case 7:
                switch_tile<Element, 7>(tile, digits, rows, job.gates, out, key.width);
                break;
            default:
                switch_tile<Element, 8>(tile, digits, rows, job.gates, out, key.width);
                break;
        }
        tile += std::int64_t{rows} * width;
    }
}

inline void key_switch(const KeySwitchJob& job) {
    if (job.key->modulus_log == 16) {
        switch_words<std::uint16_t>(job);
    } else {
        switch_words<std::uint32_t>(job);
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
