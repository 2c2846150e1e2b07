// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_cpu/kernels/vector.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// The twiddles w, w^2, w^3 of one node, the same in all lanes (or, in the narrow kernel, one node a lane).
template <int lanes>
struct Twiddles {
    Complex<lanes> w[3];
};

/// From the six scalars of a node, `stride` doubles apart.
template <int lanes>
TOROID_INLINE Twiddles<lanes> broadcast_twiddles(const double* table, int stride) {
    Twiddles<lanes> out;
    for (int power = 0; power < 3; ++power) {
        out.w[power] = {broadcast<Real<lanes>>(table[2 * power * stride]),
                        broadcast<Real<lanes>>(table[(2 * power + 1) * stride])};
    }
    return out;
}

/// a_t <- sum_q (i^t w)^q a_q
template <int lanes>
TOROID_INLINE void split4(Complex<lanes> (&a)[4], const Twiddles<lanes>& twiddles) {
    const Complex<lanes> b1 = times(a[1], twiddles.w[0]);
    const Complex<lanes> b2 = times(a[2], twiddles.w[1]);
    const Complex<lanes> b3 = times(a[3], twiddles.w[2]);
    const Complex<lanes> even_sum = a[0] + b2;
    const Complex<lanes> even_difference = a[0] - b2;
    const Complex<lanes> odd_sum = b1 + b3;
    const Complex<lanes> odd_difference = b1 - b3;
    a[0] = even_sum + odd_sum;
    a[2] = even_sum - odd_sum;
    a[1] = {even_difference.re - odd_difference.im, even_difference.im + odd_difference.re};
    a[3] = {even_difference.re + odd_difference.im, even_difference.im - odd_difference.re};
}

/// The inverse of split4 times 4.
template <int lanes>
TOROID_INLINE void join4(Complex<lanes> (&a)[4], const Twiddles<lanes>& twiddles) {
    const Complex<lanes> even_sum = a[0] + a[2];
    const Complex<lanes> even_difference = a[0] - a[2];
    const Complex<lanes> odd_sum = a[1] + a[3];
    const Complex<lanes> odd_difference = a[1] - a[3];
    a[0] = even_sum + odd_sum;
    a[2] = times_conjugate(even_sum - odd_sum, twiddles.w[1]);
    const Complex<lanes> c1{even_difference.re + odd_difference.im, even_difference.im - odd_difference.re};
    const Complex<lanes> c3{even_difference.re - odd_difference.im, even_difference.im + odd_difference.re};
    a[1] = times_conjugate(c1, twiddles.w[0]);
    a[3] = times_conjugate(c3, twiddles.w[2]);
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
