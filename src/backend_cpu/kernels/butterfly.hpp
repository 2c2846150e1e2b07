// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_cpu/kernels/vector.hpp"
#include "backend_cpu/transform_plan.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// The twiddles w, w^2, w^3 of one node, the same in all lanes (or, in the narrow kernel, one node a lane).
template <int lanes>
struct Twiddles {
    Complex<lanes> w1, w2, w3;
};

/// From the six scalars of a node, `stride` doubles apart.
template <int lanes>
TOROID_INLINE Twiddles<lanes> broadcast_twiddles(const double* table, int stride) {
    const auto value = [&](int i) { return broadcast<Real<lanes>>(table[i * stride]); };
    return {{value(0), value(1)}, {value(2), value(3)}, {value(4), value(5)}};
}

/// Of one node of the last stage, whose table is blocked.
template <int lanes>
TOROID_INLINE Twiddles<lanes> last_stage_twiddles(const double* table, int node) {
    return broadcast_twiddles<lanes>(
        table + node / nodes_per_block * 6 * nodes_per_block + node % nodes_per_block, nodes_per_block);
}

/// a_t <- sum_q (i^t w)^q a_q
template <int lanes>
TOROID_INLINE Quad<lanes> split4(const Quad<lanes>& in, const Twiddles<lanes>& twiddles) {
    const Complex<lanes> b1 = times(in.a1, twiddles.w1);
    const Complex<lanes> b2 = times(in.a2, twiddles.w2);
    const Complex<lanes> b3 = times(in.a3, twiddles.w3);
    const Complex<lanes> even_sum = in.a0 + b2;
    const Complex<lanes> even_difference = in.a0 - b2;
    const Complex<lanes> odd_sum = b1 + b3;
    const Complex<lanes> odd_difference = b1 - b3;
    return {even_sum + odd_sum,
            {even_difference.re - odd_difference.im, even_difference.im + odd_difference.re},
            even_sum - odd_sum,
            {even_difference.re + odd_difference.im, even_difference.im - odd_difference.re}};
}

/// The inverse of split4 times 4.
template <int lanes>
TOROID_INLINE Quad<lanes> join4(const Quad<lanes>& in, const Twiddles<lanes>& twiddles) {
    const Complex<lanes> even_sum = in.a0 + in.a2;
    const Complex<lanes> even_difference = in.a0 - in.a2;
    const Complex<lanes> odd_sum = in.a1 + in.a3;
    const Complex<lanes> odd_difference = in.a1 - in.a3;
    const Complex<lanes> c1{even_difference.re + odd_difference.im, even_difference.im - odd_difference.re};
    const Complex<lanes> c3{even_difference.re - odd_difference.im, even_difference.im + odd_difference.re};
    return {even_sum + odd_sum, times_conjugate(c1, twiddles.w1),
            times_conjugate(even_sum - odd_sum, twiddles.w2), times_conjugate(c3, twiddles.w3)};
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
