// SPDX-License-Identifier: Apache-2.0
// Complex arithmetic of the kernels, every product and sum spelled as the multiply-adds it is to become.
#pragma once

#include "backend_gpu/platform.hpp"

namespace toroid::backend_gpu {

using Complex = double2;

TOROID_DEVICE Complex add(Complex a, Complex b) {
    return {a.x + b.x, a.y + b.y};
}
TOROID_DEVICE Complex subtract(Complex a, Complex b) {
    return {a.x - b.x, a.y - b.y};
}
/// a b.
TOROID_DEVICE Complex multiply(Complex a, Complex b) {
    return {fma(-a.y, b.y, a.x * b.x), fma(a.y, b.x, a.x * b.y)};
}
/// a conj(b).
TOROID_DEVICE Complex multiply_conjugate(Complex a, Complex b) {
    return {fma(a.y, b.y, a.x * b.x), fma(-a.x, b.y, a.y * b.x)};
}
/// sum + a b.
TOROID_DEVICE Complex multiply_add(Complex sum, Complex a, Complex b) {
    return {fma(-a.y, b.y, fma(a.x, b.x, sum.x)), fma(a.y, b.x, fma(a.x, b.y, sum.y))};
}

/// exp(i pi e / N) for e mod 2N, from the N first.
TOROID_DEVICE Complex root_of(const Complex* roots, unsigned e, unsigned ring_dimension) {
    const Complex root = roots[e & (ring_dimension - 1)];
    const bool negative = (e & ring_dimension) != 0;
    return {negative ? -root.x : root.x, negative ? -root.y : root.y};
}

/// The nearest integer to `value`, modulo 2^32, for |value| < 2^51: the low word of the sum with 1.5 * 2^52.
inline constexpr double rounding_magic = 6755399441055744.0;
TOROID_DEVICE unsigned low_word(double value) {
    return static_cast<unsigned>(__double2loint(value));
}

}  // namespace toroid::backend_gpu
