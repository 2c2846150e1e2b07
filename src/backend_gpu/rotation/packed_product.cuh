// SPDX-License-Identifier: Apache-2.0
// Products of a step by the key: for every frequency f and gate
//     out_o = sum_j (X_f^a_j - 1) sum_r in_r K_j,r,o      (without the factor if blocks are of one)
// in passes over the rows; between passes the partial sums wait in the first rows of the first pass.
#pragma once

#include "backend_gpu/rotation/complex.cuh"
#include "backend_gpu/rotation/packed_shape.hpp"

namespace toroid::backend_gpu {

/// Where root e < 512 lies: a step's exponents e = a (4 f + 1) share e mod 4, and no two of the eight lanes that
/// read at once share a bank for most a.
TOROID_DEVICE int root_place(int e) {
    const int i = e >> 2;
    return ((e & 3) << 7) + (i ^ ((i >> 3) & 7) ^ ((i >> 6) & 1));
}

template <class Shape>
class PackedProduct {
 public:
    TOROID_DEVICE explicit PackedProduct(const int4* key) : key_(key) {}

    /// Starts loading the first pass of frequency `thread`.
    TOROID_DEVICE void prefetch(int thread) { load<0>(thread); }

    TOROID_DEVICE void run(int thread, int gates, char* shared, const std::uint16_t* exponents) {
        shared_ = shared;
        exponents_ = exponents;
        gates_ = gates;
#pragma unroll 1
        for (int f = thread;;) {
            pass<0>(f);
            f += Shape::threads;
            if (Shape::threads >= Shape::points || f >= Shape::points) break;
            load<0>(f);
        }
    }

 private:
    static constexpr int components = Shape::components;
    static constexpr int most_words = Shape::order.pass_words(Shape::order.passes - 1) >
                                              Shape::order.pass_words(0)
                                          ? Shape::order.pass_words(Shape::order.passes - 1)
                                          : Shape::order.pass_words(0);

    template <int p>
    TOROID_DEVICE void load(int f) {
#pragma unroll
        for (int w = 0; w < Shape::order.pass_words(p); ++w) {
            raw_[w] = __ldg(key_ + (Shape::order.first_word(p) + w) * Shape::points + f);
        }
    }

    /// x + 2^31 as a double, less 2^31: by its place in the low word of 2^52.
    TOROID_DEVICE static double from_offset(int word) {
        return __hiloint2double(0x43300000, word) - 4503601774854144.0;
    }

    template <int p>
    TOROID_DEVICE void pass(int f) {
        constexpr int first_row = Shape::order.first_row(p);
        constexpr int rows = Shape::order.first_row(p + 1) - first_row;
        constexpr int numbers = rows * components * Shape::block;
        constexpr bool last = p + 1 == Shape::order.passes;
        Complex key[numbers];
#pragma unroll
        for (int i = 0; i < numbers; ++i) {
            const int4 word = raw_[i / 2];
            key[i] = i % 2 == 0 ? Complex{from_offset(word.x), static_cast<double>(word.y)}
                                : Complex{from_offset(word.z), static_cast<double>(word.w)};
        }
        if constexpr (!last) load<p + 1>(f);
#pragma unroll 1
        for (int gate = 0; gate < gates_; ++gate) {
            Complex* const spectra =
                reinterpret_cast<Complex*>(shared_ + gate * Shape::rows * Shape::row_bytes) + f;
            Complex in[rows];
#pragma unroll
            for (int r = 0; r < rows; ++r) in[r] = spectra[(first_row + r) * Shape::points];
            Complex sums[components];
            if constexpr (p > 0) {
#pragma unroll
                for (int o = 0; o < components; ++o) sums[o] = spectra[o * Shape::points];
            }
            if constexpr (Shape::block == 1) {
                accumulate<rows, p == 0>(sums, in, key);
            } else {
                Complex factors[Shape::block];
#pragma unroll
                for (int j = 0; j < Shape::block; ++j) factors[j] = factor(gate, j, f);
#pragma unroll
                for (int j = 0; j < Shape::block; ++j) {
                    Complex terms[components];
                    accumulate<rows, true>(terms, in, key + j * rows * components);
#pragma unroll
                    for (int o = 0; o < components; ++o) {
                        sums[o] = p == 0 && j == 0 ? multiply(terms[o], factors[j])
                                                   : multiply_add(sums[o], terms[o], factors[j]);
                    }
                }
            }
#pragma unroll
            for (int o = 0; o < components; ++o) {
                spectra[(last ? Shape::product_row(o) : o) * Shape::points] = sums[o];
            }
        }
        if constexpr (!last) pass<p + 1>(f);
    }

    /// sums_o (+)= sum_r in_r key_r,o; one operand repeats over all outputs, which the register cache rewards.
    template <int rows, bool begin>
    TOROID_DEVICE static void accumulate(Complex (&sums)[components], const Complex (&in)[rows],
                                         const Complex* key) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
#pragma unroll
            for (int o = 0; o < components; ++o) {
                const Complex k = key[r * components + o];
                if (begin && r == 0) {
                    sums[o] = {in[r].x * k.x, in[r].x * k.y};
                } else {
                    sums[o] = {fma(in[r].x, k.x, sums[o].x), fma(in[r].x, k.y, sums[o].y)};
                }
            }
#pragma unroll
            for (int o = 0; o < components; ++o) {
                const Complex k = key[r * components + o];
                sums[o] = {fma(-in[r].y, k.y, sums[o].x), fma(in[r].y, k.x, sums[o].y)};
            }
        }
    }

    /// X_f^a - 1.
    TOROID_DEVICE Complex factor(int gate, int j, int f) const {
        const unsigned e = exponents_[gate * Shape::block + j] * (4U * static_cast<unsigned>(f) + 1U);
        const Complex* const roots = reinterpret_cast<const Complex*>(shared_ + Shape::roots_at);
        const Complex root = roots[root_place(static_cast<int>(e & (Shape::ring - 1)))];
        const int sign = static_cast<int>((e << 22) & 0x80000000U);  // bit 9: the second half turn
        return {__hiloint2double(__double2hiint(root.x) ^ sign, __double2loint(root.x)) - 1.0,
                __hiloint2double(__double2hiint(root.y) ^ sign, __double2loint(root.y))};
    }

    const int4* key_;
    int4 raw_[most_words];
    char* shared_ = nullptr;
    const std::uint16_t* exponents_ = nullptr;
    int gates_ = 0;
};

}  // namespace toroid::backend_gpu
