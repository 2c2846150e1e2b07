// SPDX-License-Identifier: Apache-2.0
// Products of a step by the key: for every frequency f and gate
//     out_o = sum_j (X_f^a_j - 1) sum_r in_r K_j,r,o      (without the factor if blocks are of one)
// in passes over the rows; between passes the partial sums wait in the first rows of the first pass.
#pragma once

#include "backend_gpu/rotation/complex.cuh"
#include "backend_gpu/rotation/packed_shape.hpp"
#include "backend_gpu/rotation/spectrum_row.cuh"

namespace toroid::backend_gpu {

/// Where root e < 256 lies: a step's exponents e = a (4 f + 1) share e mod 4, and few of the eight lanes that
/// read at once share a bank for most a.
TOROID_DEVICE int root_place(int e) {
    const int i = e >> 2;
    return ((e & 3) << 6) + (i ^ ((i >> 3) & 1));
}

template <class Shape>
class PackedProduct {
 public:
    TOROID_DEVICE explicit PackedProduct(const int4* key) : key_(key) {}

    /// Starts copying the staged words of frequency `thread`; whoever calls has done with those of the last
    /// step.
    TOROID_DEVICE void stage(int thread, char* shared) const {
        constexpr int staged = Shape::staged(0);
        constexpr int loaded = Shape::loaded(0);
#pragma unroll
        for (int i = 0; i < staged; ++i) {
            start_copy_16(shared + Shape::staged_at + (i * Shape::points + thread) * 16,
                          key_ + (loaded + i) * Shape::points + thread);
        }
    }
    /// Starts loading the first pass of a round for frequency `thread`.
    template <int round>
    TOROID_DEVICE void prefetch(int thread) {
        load<round, 0, Shape::loaded(round)>(thread);
    }

    /// All passes of a round.
    template <int round>
    TOROID_DEVICE void run(int thread, int gates, char* shared, const std::uint16_t* exponents) {
        shared_ = shared;
        exponents_ = exponents;
        gates_ = gates;
        if constexpr (round == 0) copies_finished();
#pragma unroll 1
        for (int f = thread;;) {
            pass<round>(f);
            f += Shape::threads;
            if (Shape::threads >= Shape::points || f >= Shape::points) break;
            load<round, 0, Shape::loaded(round)>(f);
        }
    }

 private:
    static constexpr int components = Shape::components;
    static constexpr int most_words = Shape::order.pass_words(Shape::passes - 1) > Shape::order.pass_words(0)
                                          ? Shape::order.pass_words(Shape::passes - 1)
                                          : Shape::order.pass_words(0);

    template <int p, int from, int to>
    TOROID_DEVICE void load(int f) {
        constexpr int first_word = Shape::order.first_word(p);
#pragma unroll
        for (int w = from; w < to; ++w) {
            raw_[w] = load_streamed(key_ + (first_word + w) * Shape::points + f);
        }
    }
    template <int p>
    TOROID_DEVICE void unstage(int f) {
        constexpr int staged = Shape::staged(p);
        constexpr int loaded = Shape::loaded(p);
#pragma unroll
        for (int i = 0; i < staged; ++i) {
            raw_[loaded + i] =
                *reinterpret_cast<const int4*>(shared_ + Shape::staged_at + (i * Shape::points + f) * 16);
        }
    }

    /// Part `which` (re, im, re, ...) of the pass, offset as the layout says: the integer in the low bits of
    /// 2^52, less 2^52 and the offset. In units of 2^packed_mask_shift.
    template <int p>
    TOROID_DEVICE double part(int which) const {
        const auto quarter = [](int4 word, int i) {
            return i == 0 ? word.x : i == 1 ? word.y : i == 2 ? word.z : word.w;
        };
        constexpr int low_words = Shape::order.low_words(p);
        const int low = quarter(raw_[which / 4], which % 4);
        const int c = which / 2 % components;
        if (Shape::coarse || c + 1 == components) {
            // 2^55 instead of 2^52 multiplies by 8, the ratio of the units.
            return __hiloint2double(0x43600000, low) - 36028814198833152.0;
        }
        const int field = (which / 2 / components * 2 + c) * 2 + which % 2;
        const int fields = quarter(raw_[low_words + field / 40], field / 10 % 4);
        const unsigned upper = static_cast<unsigned>(fields) >> (field % 10 * 3) & 7U;
        return __hiloint2double(static_cast<int>(upper | 0x43300000U), low) - 4503616807239680.0;
    }

    template <int p>
    TOROID_DEVICE void pass(int f) {
        constexpr int rows = Shape::order.rows_of(p);
        constexpr int numbers = rows * components * Shape::block;
        constexpr bool last = p + 1 == Shape::passes;
        // Whether the next pass follows at once.
        constexpr bool more = !last && Shape::rounds == 1;
        if constexpr (p > 0 && Shape::rounds == 1) load<p, Shape::ahead, Shape::loaded(p)>(f);
        unstage<p>(f);
        Complex key[numbers];
#pragma unroll
        for (int i = 0; i < numbers; ++i) {
            key[i] = {part<p>(2 * i), part<p>(2 * i + 1)};
        }
        if constexpr (more) load<p + 1, 0, Shape::ahead>(f);
        const auto add_products = [&](int gate) {
            const auto row = [&](int r) {
                return SpectrumRow(shared_ + (gate * Shape::rows + r) * Shape::row_bytes);
            };
            Complex in[rows];
#pragma unroll
            for (int r = 0; r < rows; ++r) in[r] = row(Shape::digit_row(p, r)).get(f);
            Complex sums[components];
            if constexpr (p > 0) {
#pragma unroll
                for (int o = 0; o < components; ++o) sums[o] = row(Shape::partial_row(o)).get(f);
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
                row(last ? Shape::product_row(o) : Shape::partial_row(o)).put(f, sums[o]);
            }
        };
        // The first gate's products may stand apart so that the conversion of the key hides among them.
        if constexpr (Shape::first_gate_apart) add_products(0);
#pragma unroll 1
        for (int gate = Shape::first_gate_apart ? 1 : 0; gate < gates_; ++gate) add_products(gate);
        if constexpr (more) pass<p + 1>(f);
    }

    /// sums_o (+)= sum_r in_r key_r,o; one operand repeats over all outputs, which the register cache
    /// rewards.
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
        const Complex root = roots[root_place(static_cast<int>(e & 255U))];
        // i^h root, h = e / 256 mod 4.
        const bool swap = (e & 256U) != 0;
        const unsigned sign_re = ((e + 256U) << 22) & 0x80000000U;
        const unsigned sign_im = (e << 22) & 0x80000000U;
        return {flip(swap ? root.y : root.x, sign_re) - 1.0, flip(swap ? root.x : root.y, sign_im)};
    }
    TOROID_DEVICE static double flip(double value, unsigned sign) {
        return __hiloint2double(__double2hiint(value) ^ static_cast<int>(sign), __double2loint(value));
    }

    const int4* key_;
    int4 raw_[most_words];
    char* shared_ = nullptr;
    const std::uint16_t* exponents_ = nullptr;
    int gates_ = 0;
};

}  // namespace toroid::backend_gpu
