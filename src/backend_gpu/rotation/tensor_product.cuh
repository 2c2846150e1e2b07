// SPDX-License-Identifier: Apache-2.0
// Products of a step by the key with FP64 matrix instructions: for every frequency f and gate
//     out_o = sum_j (X_f^a_j - 1) sum_r in_r K_j,r,o
// A warp has all eight gates of its frequencies: lane 4 g + k brings rows k and 4 + k of gate g, and of what
// comes out it has component k of that gate.
#pragma once

#include "backend_gpu/rotation/monomial.cuh"
#include "backend_gpu/rotation/tensor_shape.hpp"

namespace toroid::backend_gpu {

template <class Shape>
class TensorProduct {
 public:
    /// `key`: of the step. All lanes of all warps have to run().
    TOROID_DEVICE TensorProduct(const int4* key, char* shared, int thread)
        : shared_(shared), warp_(warp_uniform(thread / 32)), gate_(thread % 32 >> 2), component_(thread & 3) {
        // The lanes of the component that is not there read what others read.
        const int lane = thread % 32 < lanes ? thread % 32 : thread % 32 - 8;
        key_ = key + warp_ * turn_words * lanes + lane;
#pragma unroll
        for (int m = 0; m < 2; ++m) {
            const int pair = 2 * m + (component_ >> 1);
            upper_[m] = shared + Shape::upper_at(gate_, pair) + (component_ & 1) * 8;
            lower_[m] = shared + Shape::lower_at(gate_, pair) + (component_ & 1) * 4;
            swizzle_[m] = Shape::swizzle(gate_, pair);
        }
    }

    /// Starts loading the key of the first turn.
    TOROID_DEVICE void prefetch() {
        load(0);
    }

    TOROID_DEVICE void run(const std::uint16_t* exponents) {
        unsigned power[Shape::block];
#pragma unroll
        for (int j = 0; j < Shape::block; ++j) power[j] = exponents[gate_ * Shape::block + j];
        fetch(0);
#pragma unroll 1
        for (int turn = 0; turn < turns; ++turn) {
            const int first = TensorKeyOrder::frequency(turn, warp_);
            Complex powers[Shape::block];  // X^a at the first frequency
#pragma unroll
            for (int j = 0; j < Shape::block; ++j) powers[j] = power_at(first, power[j]);
            warp_fence();  // products take the place of digits that other lanes have read
            double sums[frequencies][Shape::block][4];
            multiply(sums);
            if (turn + 1 < turns) {
                fetch(turn + 1);
                load(turn + 1);
            }
            if (component_ < Shape::components) finish(sums, powers, power, first);
        }
    }

 private:
    static constexpr int turns = TensorKeyOrder::turns;
    static constexpr int frequencies = TensorKeyOrder::frequencies;
    static constexpr int lanes = TensorKeyOrder::lanes;
    static constexpr int numbers = Shape::order.numbers();
    static constexpr int turn_words = Shape::order.turn_words();

    TOROID_DEVICE void load(int turn) {
        const int4* const from = key_ + turn * TensorKeyOrder::warps * turn_words * lanes;
#pragma unroll
        for (int w = 0; w < turn_words; ++w) words_[w] = load_streamed(from + w * lanes);
    }
    TOROID_DEVICE void fetch(int turn) {
        const int first = TensorKeyOrder::frequency(turn, warp_);
#pragma unroll
        for (int q = 0; q < frequencies; ++q) {
#pragma unroll
            for (int m = 0; m < 2; ++m) {
                const int at = 64 * q + (first ^ swizzle_[m]);
                high_[q][m] = *reinterpret_cast<const uint2*>(upper_[m] + at * 16);
                low_[q][m] = *reinterpret_cast<const unsigned*>(lower_[m] + at * 8);
            }
        }
    }

    TOROID_DEVICE Complex power_at(int f, unsigned power) const {
        const Complex* const roots = reinterpret_cast<const Complex*>(shared_ + Shape::roots_at);
        const unsigned e = power * (4U * static_cast<unsigned>(f) + 1U);
        return quarter_turns(roots[root_place(static_cast<int>(e & 255U))], e);
    }

    /// sums_q,j: of the products of (re, im) of the digits with (re, im) of the key: re re, re im, im re, im
    /// im.
    TOROID_DEVICE void multiply(double (&sums)[frequencies][Shape::block][4]) const {
#pragma unroll
        for (int q = 0; q < frequencies; ++q) {
#pragma unroll
            for (int j = 0; j < Shape::block; ++j) {
#pragma unroll
                for (int i = 0; i < 4; ++i) sums[q][j][i] = 0;
#pragma unroll
                for (int m = 0; m < 2; ++m) {
                    matrix_multiply_add(sums[q][j], number_of(high_[q][m].x, low_[q][m] << 16),
                                        number_of(high_[q][m].y, low_[q][m] & 0xffff0000U),
                                        number((q * Shape::block + j) * 2 + m));
                }
            }
        }
    }

    TOROID_DEVICE void finish(const double (&sums)[frequencies][Shape::block][4],
                              const Complex (&powers)[Shape::block], const unsigned (&power)[Shape::block],
                              int first) const {
        Complex total[frequencies];
#pragma unroll
        for (int j = 0; j < Shape::block; ++j) {
            // X^a at f + 64 q is i^(a q) times that at f.
            const unsigned odd = power[j] << 31;
            const Complex even = powers[j];
            const Complex turned = quarter_turns(even, power[j] << 8);
            const Complex at[frequencies] = {even,
                                             turned,
                                             {flip(even.x, odd), flip(even.y, odd)},
                                             {flip(turned.x, odd), flip(turned.y, odd)}};
#pragma unroll
            for (int q = 0; q < frequencies; ++q) {
                const double* const s = sums[q][j];
                const Complex term{s[0] - s[3], s[1] + s[2]};
                if (j == 0) {
                    total[q] = {fma(-term.y, at[q].y, fma(term.x, at[q].x, -term.x)),
                                fma(term.y, at[q].x, fma(term.x, at[q].y, -term.y))};
                } else {
                    total[q] = multiply_add(total[q], term, {at[q].x - 1.0, at[q].y});
                }
            }
        }
        char* const out = shared_ + Shape::upper_at(gate_, component_);
        const int swizzle = Shape::swizzle(gate_, component_);
#pragma unroll
        for (int q = 0; q < frequencies; ++q) {
            *reinterpret_cast<Complex*>(out + (64 * q + (first ^ swizzle)) * 16) = total[q];
        }
    }

    TOROID_DEVICE static double number_of(unsigned high, unsigned low) {
        return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
    }
    TOROID_DEVICE unsigned quarter(int i) const {
        const int4 word = words_[i / 4];
        return static_cast<unsigned>(i % 4 == 0   ? word.x
                                     : i % 4 == 1 ? word.y
                                     : i % 4 == 2 ? word.z
                                                  : word.w);
    }
    TOROID_DEVICE double number(int i) const {
        const unsigned both = quarter(numbers + i / 2);
        return number_of(quarter(i), i % 2 == 0 ? both << 16 : both & 0xffff0000U);
    }

    char* shared_;
    int warp_;
    int gate_;
    int component_;
    const int4* key_;
    // Where the lane's rows are, one to a matrix.
    const char* upper_[2];
    const char* lower_[2];
    int swizzle_[2];
    // Key and digits of the next turn.
    int4 words_[turn_words];
    uint2 high_[frequencies][2];
    unsigned low_[frequencies][2];
};

}  // namespace toroid::backend_gpu
