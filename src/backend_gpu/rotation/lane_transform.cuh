// SPDX-License-Identifier: Apache-2.0
// Transforms of 16 points held by one lane: values of sum_b z_b X^b at the 16 roots of X^16 = y, in radix-4
// butterflies of 22 multiply-adds (Linzer and Feig, IEEE Trans. Signal Processing 41, 1993): a twiddle enters
// as its tangent, its cosine is taken up by the sums that follow.
#pragma once

#include "backend_gpu/rotation/complex.cuh"
#include "backend_gpu/rotation/packed_arguments.hpp"

namespace toroid::backend_gpu {

/// (a + u^2 c) +- (u b + u^3 d) and (a - u^2 c) +- i (u b - u^3 d), u = exp(i angle): the values of a + b X +
/// c X^2 + d X^3 at X = i^l u, l = 0...3, in place of a...d. conjugate: u and i conjugated.
template <bool conjugate>
TOROID_DEVICE void radix4(Complex& a, Complex& b, Complex& c, Complex& d, double tan1, double tan2,
                          double tan3, double cos2, double cos3_by_cos1, double cos1) {
    const auto turn = [](Complex z, double tangent) {
        return conjugate ? Complex{fma(tangent, z.y, z.x), fma(-tangent, z.x, z.y)}
                         : Complex{fma(-tangent, z.y, z.x), fma(tangent, z.x, z.y)};
    };
    const Complex tb = turn(b, tan1);
    const Complex tc = turn(c, tan2);
    const Complex td = turn(d, tan3);
    const Complex p{fma(cos2, tc.x, a.x), fma(cos2, tc.y, a.y)};
    const Complex q{fma(-cos2, tc.x, a.x), fma(-cos2, tc.y, a.y)};
    const Complex s{fma(cos3_by_cos1, td.x, tb.x), fma(cos3_by_cos1, td.y, tb.y)};
    const Complex t{fma(-cos3_by_cos1, td.x, tb.x), fma(-cos3_by_cos1, td.y, tb.y)};
    a = {fma(cos1, s.x, p.x), fma(cos1, s.y, p.y)};
    c = {fma(-cos1, s.x, p.x), fma(-cos1, s.y, p.y)};
    const Complex left{fma(-cos1, t.y, q.x), fma(cos1, t.x, q.y)};
    const Complex right{fma(cos1, t.y, q.x), fma(-cos1, t.x, q.y)};
    b = conjugate ? right : left;
    d = conjugate ? left : right;
}

template <bool conjugate>
TOROID_DEVICE void radix4(Complex& a, Complex& b, Complex& c, Complex& d, const RadixTwiddle& w) {
    radix4<conjugate>(a, b, c, d, w.tan1, w.tan2, w.tan3, w.cos2, w.cos3_by_cos1, w.cos1);
}

/// radix4<true> with u = 1.
TOROID_DEVICE void plain_radix4(Complex& a, Complex& b, Complex& c, Complex& d) {
    const Complex p = add(a, c);
    const Complex q = subtract(a, c);
    const Complex s = add(b, d);
    const Complex t = subtract(b, d);
    a = add(p, s);
    c = subtract(p, s);
    b = {q.x + t.y, q.y - t.x};
    d = {q.x - t.y, q.y + t.x};
}

/// radix4<true> with u = exp(-i pi / 4), whose square has no tangent.
TOROID_DEVICE void diagonal_radix4(Complex& a, Complex& b, Complex& c, Complex& d) {
    constexpr double half_root = 0.70710678118654752440;
    const Complex tb{b.x + b.y, b.y - b.x};
    const Complex td{d.y - d.x, -d.x - d.y};
    const Complex p{a.x + c.y, a.y - c.x};
    const Complex q{a.x - c.y, a.y + c.x};
    const Complex s = add(tb, td);
    const Complex t = subtract(tb, td);
    a = {fma(half_root, s.x, p.x), fma(half_root, s.y, p.y)};
    c = {fma(-half_root, s.x, p.x), fma(-half_root, s.y, p.y)};
    b = {fma(half_root, t.y, q.x), fma(-half_root, t.x, q.y)};
    d = {fma(-half_root, t.y, q.x), fma(half_root, t.x, q.y)};
}

/// a + w b and a - w b in place of a and b; turned: i w for w. conjugate: the conjugate of that factor.
template <bool conjugate, bool turned>
TOROID_DEVICE void radix2(Complex& a, Complex& b, Complex w) {
    const double re = turned ? -w.y : w.x;
    const double im = (turned ? w.x : w.y) * (conjugate ? -1.0 : 1.0);
    const Complex sum{fma(-im, b.y, fma(re, b.x, a.x)), fma(im, b.x, fma(re, b.y, a.y))};
    b = {fma(2.0, a.x, -sum.x), fma(2.0, a.y, -sum.y)};
    a = sum;
}

/// z_s+4l <- z_4s+l: the order in which two radix-4 stages leave their results.
TOROID_DEVICE void transpose4(Complex (&z)[16]) {
#pragma unroll
    for (int s = 0; s < 4; ++s) {
#pragma unroll
        for (int l = s + 1; l < 4; ++l) {
            const Complex kept = z[4 * s + l];
            z[4 * s + l] = z[s + 4 * l];
            z[s + 4 * l] = kept;
        }
    }
}

/// Values at the roots of X^16 = i: z_p at exp(i pi (1 + 4 p) / 32). The same for all lanes.
TOROID_DEVICE void forward_columns(Complex (&z)[16], const PackedConstants& constants) {
#pragma unroll
    for (int m = 0; m < 4; ++m) radix4<false>(z[m], z[m + 4], z[m + 8], z[m + 12], constants.forward[0]);
#pragma unroll
    for (int s = 0; s < 4; ++s) {
        radix4<false>(z[4 * s], z[4 * s + 1], z[4 * s + 2], z[4 * s + 3], constants.forward[1 + s]);
    }
    transpose4(z);
}

/// z_b <- sum_q z_q exp(-2 pi i q b / 16).
TOROID_DEVICE void inverse_columns(Complex (&z)[16], const PackedConstants& constants) {
#pragma unroll
    for (int m = 0; m < 4; ++m) plain_radix4(z[m], z[m + 4], z[m + 8], z[m + 12]);
    plain_radix4(z[0], z[1], z[2], z[3]);
    radix4<true>(z[4], z[5], z[6], z[7], constants.inverse[0]);
    diagonal_radix4(z[8], z[9], z[10], z[11]);
    radix4<true>(z[12], z[13], z[14], z[15], constants.inverse[1]);
    transpose4(z);
}

/// A lane's twiddles as key_layout.cpp writes them.
struct LaneTwiddles {
    Complex pair[13];

    TOROID_DEVICE void load(const Complex* table, int lane) {
#pragma unroll
        for (int i = 0; i < 13; ++i) pair[i] = table[i * 16 + lane];
    }
};

/// Values at X_q = exp(i pi (4 lane + 1 + 64 q) / 512), or for `inverse` at their conjugates and times
/// exp(-i pi lane / 512): one radix-4 stage, two radix-2 stages, which need fewer twiddles.
template <bool inverse>
TOROID_DEVICE void lane_rows(Complex (&z)[16], const LaneTwiddles& w) {
    constexpr int first = inverse ? 10 : 7;
#pragma unroll
    for (int m = 0; m < 4; ++m) {
        if constexpr (inverse) z[m] = multiply(z[m], w.pair[6]);
        radix4<inverse>(z[m], z[m + 4], z[m + 8], z[m + 12], w.pair[first].x, w.pair[first].y,
                        w.pair[first + 1].x, w.pair[first + 1].y, w.pair[first + 2].x, w.pair[first + 2].y);
    }
#pragma unroll
    for (int m = 0; m < 2; ++m) {
        radix2<inverse, false>(z[m], z[m + 2], w.pair[0]);
        radix2<inverse, false>(z[m + 4], z[m + 6], w.pair[1]);
        radix2<inverse, true>(z[m + 8], z[m + 10], w.pair[0]);
        radix2<inverse, true>(z[m + 12], z[m + 14], w.pair[1]);
    }
    Complex out[16];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
        radix2<inverse, false>(z[4 * s], z[4 * s + 1], w.pair[2 + s]);
        radix2<inverse, true>(z[4 * s + 2], z[4 * s + 3], w.pair[2 + s]);
        out[s] = z[4 * s];
        out[s + 8] = z[4 * s + 1];
        out[s + 4] = z[4 * s + 2];
        out[s + 12] = z[4 * s + 3];
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) z[i] = out[i];
}

}  // namespace toroid::backend_gpu
