// SPDX-License-Identifier: Apache-2.0
// Radix-4 steps of the splitting tree (transform_tables.hpp).
#pragma once

#include "backend_gpu/rotation/complex.cuh"

namespace toroid::backend_gpu {

struct Butterfly {
    Complex a, b, c, d;
};

/// o_t = sum_q (i^t w)^q a_q for the four elements, w[q - 1] = w^q.
TOROID_DEVICE Butterfly split(Butterfly in, const Complex* w) {
    const Complex b = multiply(in.b, w[0]);
    const Complex c = multiply(in.c, w[1]);
    const Complex d = multiply(in.d, w[2]);
    const Complex p = add(in.a, c);
    const Complex q = subtract(in.a, c);
    const Complex s = add(b, d);
    const Complex t = subtract(b, d);
    return {add(p, s), {q.x - t.y, q.y + t.x}, subtract(p, s), {q.x + t.y, q.y - t.x}};
}

/// a_q = w^-q sum_t i^-tq o_t: the inverse, times 4.
TOROID_DEVICE Butterfly join(Butterfly in, const Complex* w) {
    const Complex p = add(in.a, in.c);
    const Complex q = subtract(in.a, in.c);
    const Complex s = add(in.b, in.d);
    const Complex t = subtract(in.b, in.d);
    return {add(p, s), multiply_conjugate({q.x + t.y, q.y - t.x}, w[0]),
            multiply_conjugate(subtract(p, s), w[1]), multiply_conjugate({q.x - t.y, q.y + t.x}, w[2])};
}

}  // namespace toroid::backend_gpu
