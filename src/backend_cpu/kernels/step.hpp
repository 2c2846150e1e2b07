// SPDX-License-Identifier: Apache-2.0
// What the wide and the narrow blind rotation share: sums over the key's components, and a step's scratch.
#pragma once

#include "backend_cpu/kernels/monomial.hpp"
#include "backend_cpu/kernels/sizes.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// One complex sum a component, by recursion: registers, not an array.
template <int lanes, int count>
struct Sums {
    Complex<lanes> head{};
    Sums<lanes, count - 1> tail{};

    /// += digit times the key's complex numbers at values, 2 * nodes_per_block doubles apart, broadcast.
    TOROID_INLINE void add(const Complex<lanes>& digit, const double* values) {
        add_product(head, digit,
                    {broadcast<Real<lanes>>(values[0]), broadcast<Real<lanes>>(values[nodes_per_block])});
        tail.add(digit, values + 2 * nodes_per_block);
    }
    /// The same with one number a lane.
    TOROID_INLINE void add_vectors(const Complex<lanes>& digit, const double* values) {
        static_assert(lanes == nodes_per_block);
        add_product(head, digit, load_complex<lanes>(values));
        tail.add_vectors(digit, values + 2 * nodes_per_block);
    }
    /// += other * factor
    TOROID_INLINE void add_times(const Sums& other, const Complex<lanes>& factor) {
        add_product(head, other.head, factor);
        tail.add_times(other.tail, factor);
    }
    /// Stores one component every `stride` doubles.
    TOROID_INLINE void store_to(double* to, std::int64_t stride) const {
        store_complex(to, head);
        tail.store_to(to + stride, stride);
    }
};
template <int lanes>
struct Sums<lanes, 0> {
    TOROID_INLINE void add(const Complex<lanes>&, const double*) {}
    TOROID_INLINE void add_vectors(const Complex<lanes>&, const double*) {}
    TOROID_INLINE void add_times(const Sums&, const Complex<lanes>&) {}
    TOROID_INLINE void store_to(double*, std::int64_t) const {}
};

/// What a step keeps besides the key: pointers into the job's scratch.
struct Step {
    double* spectra;           // [unit][row][point][re, im][lane]; a narrow unit is one gate
    double* digits;            // of one node: [row][child][re, im][lane]
    double* products;          // of one node: [component][child][re, im][lane]
    double* factors;           // X^a - 1 at one node: [j][child][re, im][lane]
    double* turns;             // MonomialTurn: [unit][j]
    std::uint32_t* exponents;  // [unit][j][lane]
    int block;                 // key coefficients of this step
};

/// Doubles of scratch for units of `width` gates in vectors of `lanes`, and, if there is one, the pointers
/// into it.
template <int lanes>
TOROID_INLINE std::int64_t place_scratch(const RotationKey& key, std::int64_t units, int width,
                                         double* scratch, Step& step) {
    const Sizes<run_time_shape> sizes(key);
    std::int64_t used = 0;
    const auto take = [&](std::int64_t count) {
        double* const out = scratch == nullptr ? nullptr : scratch + used;
        used += (count + 7) / 8 * 8;  // whole cache lines
        return out;
    };
    step.spectra = take(units * sizes.rows() * sizes.row_stride(width));
    step.digits = take(std::int64_t{sizes.rows()} * 8 * lanes);
    step.products = take(std::int64_t{sizes.components()} * 8 * lanes);
    step.factors = take(std::int64_t{key.block} * 8 * lanes);
    step.turns = take(units * key.block * turn_doubles<lanes>);
    step.exponents = reinterpret_cast<std::uint32_t*>(take(units * key.block * lanes));
    return used;
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
