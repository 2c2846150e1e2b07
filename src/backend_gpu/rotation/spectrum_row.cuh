// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_gpu/rotation/complex.cuh"

namespace toroid::backend_gpu {

/// A polynomial's 256 complex numbers in shared memory. 16 lanes access it with 16 numbers each, 16 bytes at
/// a time and without bank conflict.
class SpectrumRow {
 public:
    static constexpr int points = 256;
    static constexpr int bytes = points * 16;

    /// `swizzle` < 16: frequency f lies at f ^ swizzle.
    TOROID_DEVICE explicit SpectrumRow(char* base, int swizzle = 0)
        : base_(reinterpret_cast<Complex*>(base)), swizzle_(swizzle) {}

    TOROID_DEVICE Complex get(int f) const { return base_[f ^ swizzle_]; }
    TOROID_DEVICE void put(int f, Complex value) { base_[f ^ swizzle_] = value; }

    /// The row's memory as pairs of words.
    TOROID_DEVICE uint2 get_pair(int i) const { return reinterpret_cast<const uint2*>(base_)[i]; }
    TOROID_DEVICE void put_pair(int i, uint2 pair) { reinterpret_cast<uint2*>(base_)[i] = pair; }

    // In order of frequencies f = 16 q + lane:
    TOROID_DEVICE void load_lines(Complex (&z)[16], int lane) const {
#pragma unroll
        for (int q = 0; q < 16; ++q) z[q] = base_[16 * q + (lane ^ swizzle_)];
    }
    TOROID_DEVICE void store_lines(const Complex (&z)[16], int lane) {
#pragma unroll
        for (int q = 0; q < 16; ++q) base_[16 * q + (lane ^ swizzle_)] = z[q];
    }
    // For the exchange, as [16 p + (b ^ p % 8)], where lane b has a column and lane p a line.
    TOROID_DEVICE void load_column(Complex (&z)[16], int lane) const {
#pragma unroll
        for (int p = 0; p < 16; ++p) z[p] = base_[16 * p + (lane ^ (p & 7))];
    }
    TOROID_DEVICE void store_column(const Complex (&z)[16], int lane) {
#pragma unroll
        for (int p = 0; p < 16; ++p) base_[16 * p + (lane ^ (p & 7))] = z[p];
    }
    TOROID_DEVICE void load_own(Complex (&z)[16], int lane) const {
#pragma unroll
        for (int b = 0; b < 16; ++b) z[b] = base_[16 * lane + (b ^ (lane & 7))];
    }
    TOROID_DEVICE void store_own(const Complex (&z)[16], int lane) {
#pragma unroll
        for (int b = 0; b < 16; ++b) base_[16 * lane + (b ^ (lane & 7))] = z[b];
    }

 private:
    Complex* base_;
    int swizzle_;
};

}  // namespace toroid::backend_gpu
