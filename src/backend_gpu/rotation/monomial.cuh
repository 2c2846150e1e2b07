// SPDX-License-Identifier: Apache-2.0
// The factors X^a - 1 of a blind rotation by a block key, at the frequencies of N = 512: X_f = exp(i pi (4 f
// + 1) / 512).
#pragma once

#include "backend_gpu/rotation/complex.cuh"

namespace toroid::backend_gpu {

/// Where root e < 256 lies: a step's exponents e = a (4 f + 1) share e mod 4, and few of the eight lanes that
/// read at once share a bank for most a.
TOROID_DEVICE int root_place(int e) {
    const int i = e >> 2;
    return ((e & 3) << 6) + (i ^ ((i >> 3) & 1));
}

TOROID_DEVICE double flip(double value, unsigned sign) {
    return __hiloint2double(__double2hiint(value) ^ static_cast<int>(sign), __double2loint(value));
}

/// i^h value, h = turns / 256 mod 4.
TOROID_DEVICE Complex quarter_turns(Complex value, unsigned turns) {
    const bool swap = (turns & 256U) != 0;
    const unsigned sign_re = ((turns + 256U) << 22) & 0x80000000U;
    const unsigned sign_im = (turns << 22) & 0x80000000U;
    return {flip(swap ? value.y : value.x, sign_re), flip(swap ? value.x : value.y, sign_im)};
}

}  // namespace toroid::backend_gpu
