// SPDX-License-Identifier: Apache-2.0
// Products of a step by the key: for every frequency f and gate
//     out_o = sum_j (X_f^a_j - 1) sum_r in_r K_j,r,o      (without the factor if blocks are of one)
// in passes over rows and components; between passes the partial sums wait in rows that have been read.
#pragma once

#include "backend_gpu/rotation/complex.cuh"
#include "backend_gpu/rotation/monomial.cuh"
#include "backend_gpu/rotation/packed_shape.hpp"
#include "backend_gpu/rotation/spectrum_row.cuh"

namespace toroid::backend_gpu {

template <class Shape>
class PackedProduct {
 public:
    TOROID_DEVICE explicit PackedProduct(const int4* key) : key_(key) {}

    /// Starts copying the staged words of frequency `thread`; whoever calls has done with those of the last
    /// step.
    TOROID_DEVICE void stage(int thread, char* shared) const {
        stage_from<0>(shared + thread * 16, key_ + thread);
    }
    /// Starts loading the first pass of a round for frequency `thread`.
    template <int round>
    TOROID_DEVICE void prefetch(int thread) {
        load<Shape::order.first_pass(round)>(thread);
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
            pass<Shape::order.first_pass(round)>(f);
            f += Shape::threads;
            if (Shape::threads >= Shape::points || f >= Shape::points) break;
            load<Shape::order.first_pass(round)>(f);
        }
    }

 private:
    static constexpr int most_words = [] {
        int most = 0;
        for (int p = 0; p < Shape::passes; ++p) {
            most = Shape::order.pass_words(p) > most ? Shape::order.pass_words(p) : most;
        }
        return most;
    }();

    template <int p>
    TOROID_DEVICE void load(int f) {
        constexpr int first_word = Shape::order.first_word(p);
#pragma unroll
        for (int w = 0; w < Shape::loaded(p); ++w) {
            raw_[w] = load_streamed(key_ + (first_word + w) * Shape::points + f);
        }
    }
    /// Where staged words of a pass begin, of [word][f].
    template <int p>
    TOROID_DEVICE static constexpr int staged_at() {
        int words = 0;
        for (int q = 0; q < p; ++q) words += Shape::staged(q);
        return Shape::staged_at + words * Shape::points * 16;
    }
    template <int p, int i = 0>
    TOROID_DEVICE void stage_from(char* shared, const int4* key) const {
        constexpr int word_bytes = Shape::points * 16;
        if constexpr (i < Shape::staged(p)) {
            start_copy_16<staged_at<p>() + i * word_bytes,
                          (Shape::order.first_word(p) + Shape::loaded(p) + i) * word_bytes>(shared, key);
            stage_from<p, i + 1>(shared, key);
        } else if constexpr (p + 1 < Shape::passes) {
            stage_from<p + 1>(shared, key);
        }
    }
    template <int p>
    TOROID_DEVICE void unstage(int f) {
        constexpr int staged = Shape::staged(p);
        constexpr int loaded = Shape::loaded(p);
#pragma unroll
        for (int i = 0; i < staged; ++i) {
            raw_[loaded + i] =
                *reinterpret_cast<const int4*>(shared_ + staged_at<p>() + (i * Shape::points + f) * 16);
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
        constexpr int components = Shape::order.components_of(p);
        constexpr int masks = Shape::order.masks_of(p);
        const int c = which / 2 % components;
        if (Shape::coarse || c >= masks) {
            // 2^55 instead of 2^52 multiplies by 8, the ratio of the units.
            return __hiloint2double(0x43600000, low) - 36028814198833152.0;
        }
        const int field = (which / 2 / components * masks + c) * 2 + which % 2;
        const int fields = quarter(raw_[low_words + field / 40], field / 10 % 4);
        const unsigned upper = static_cast<unsigned>(fields) >> (field % 10 * 3) & 7U;
        return __hiloint2double(static_cast<int>(upper | 0x43300000U), low) - 4503616807239680.0;
    }

    /// What a gate brings to a pass.
    template <int p>
    struct Inputs {
        Complex digits[Shape::order.rows_of(p)];
        Complex sums[Shape::order.components_of(p)];  // of the passes before
        Complex roots[Shape::block];
        unsigned turns[Shape::block];  // exponents of the factors
    };

    TOROID_DEVICE SpectrumRow row(int gate, int r) const {
        return SpectrumRow(shared_ + (gate * Shape::rows + r) * Shape::row_bytes);
    }

    template <int p>
    TOROID_DEVICE void fetch(Inputs<p>& in, int gate, int f) const {
#pragma unroll
        for (int r = 0; r < Shape::order.rows_of(p); ++r)
            in.digits[r] = row(gate, Shape::digit_row(p, r)).get(f);
        if constexpr (Shape::order.adds(p)) {
#pragma unroll
            for (int o = 0; o < Shape::order.components_of(p); ++o) {
                in.sums[o] = row(gate, Shape::partial_row(o)).get(f);
            }
        }
        if constexpr (Shape::block > 1) {
            const Complex* const roots = reinterpret_cast<const Complex*>(shared_ + Shape::roots_at);
#pragma unroll
            for (int j = 0; j < Shape::block; ++j) {
                in.turns[j] = exponents_[gate * Shape::block + j] * (4U * static_cast<unsigned>(f) + 1U);
                in.roots[j] = roots[root_place(static_cast<int>(in.turns[j] & 255U))];
            }
        }
    }

    template <int p>
    TOROID_DEVICE void multiply_gate(const Inputs<p>& in, const Complex* key, int gate, int f) const {
        constexpr int rows = Shape::order.rows_of(p);
        constexpr int components = Shape::order.components_of(p);
        constexpr bool adds = Shape::order.adds(p);
        constexpr bool last = p + 1 == Shape::passes;
        Complex terms[Shape::block][components];
        Complex sums[components];
        if constexpr (Shape::block == 1) {
            if constexpr (adds) {
#pragma unroll
                for (int o = 0; o < components; ++o) terms[0][o] = in.sums[o];
            }
            accumulate<!adds>(terms, in.digits, key);
#pragma unroll
            for (int o = 0; o < components; ++o) sums[o] = terms[0][o];
        } else {
            accumulate<true>(terms, in.digits, key);
#pragma unroll
            for (int j = 0; j < Shape::block; ++j) {
                const Complex factor = factor_of(in.roots[j], in.turns[j]);
#pragma unroll
                for (int o = 0; o < components; ++o) {
                    sums[o] = j > 0   ? multiply_add(sums[o], terms[j][o], factor)
                              : !adds ? multiply(terms[j][o], factor)
                                      : multiply_add(in.sums[o], terms[j][o], factor);
                }
            }
        }
#pragma unroll
        for (int o = 0; o < components; ++o) {
            const int component = Shape::order.first_component(p) + o;
            row(gate, last ? Shape::product_row(component) : Shape::partial_row(component)).put(f, sums[o]);
        }
    }

    template <int p>
    TOROID_DEVICE void pass(int f) {
        // Whether the next pass follows at once.
        constexpr bool more =
            p + 1 < Shape::passes && Shape::order.round_of(p + 1) == Shape::order.round_of(p);
        unstage<p>(f);
        Complex key[Shape::order.numbers(p)];
#pragma unroll
        for (int i = 0; i < Shape::order.numbers(p); ++i) key[i] = {part<p>(2 * i), part<p>(2 * i + 1)};
        if constexpr (Shape::inputs_ahead) {
            // The next gate's inputs are fetched while a gate is at work. The last gate stands apart: among
            // its products the key of the next pass is loaded, for which no registers are left before.
            Inputs<p> in;
            fetch<p>(in, 0, f);
            int gate = 0;
#pragma unroll 1
            for (; gate + 1 < gates_; ++gate) {
                Inputs<p> next;
                fetch<p>(next, gate + 1, f);
                multiply_gate<p>(in, key, gate, f);
                in = next;
            }
            if constexpr (more) load<p + 1>(f);
            multiply_gate<p>(in, key, gate, f);
        } else {
            static_assert(!more);
#pragma unroll 4
            for (int gate = 0; gate < gates_; ++gate) {
                Inputs<p> in;
                fetch<p>(in, gate, f);
                multiply_gate<p>(in, key, gate, f);
            }
        }
        if constexpr (more) pass<p + 1>(f);
    }

    /// sums_j,o (+)= sum_r in_r key_j,r,o; one operand repeats over all outputs, which the register cache
    /// rewards.
    template <bool begin, int rows, int components>
    TOROID_DEVICE static void accumulate(Complex (&sums)[Shape::block][components], const Complex (&in)[rows],
                                         const Complex* key) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
#pragma unroll
            for (int i = 0; i < Shape::block * components; ++i) {
                const Complex k = key[(i / components * rows + r) * components + i % components];
                Complex& sum = sums[i / components][i % components];
                if (begin && r == 0) {
                    sum = {in[r].x * k.x, in[r].x * k.y};
                } else {
                    sum = {fma(in[r].x, k.x, sum.x), fma(in[r].x, k.y, sum.y)};
                }
            }
#pragma unroll
            for (int i = 0; i < Shape::block * components; ++i) {
                const Complex k = key[(i / components * rows + r) * components + i % components];
                Complex& sum = sums[i / components][i % components];
                sum = {fma(-in[r].y, k.y, sum.x), fma(in[r].y, k.x, sum.y)};
            }
        }
    }

    /// X_f^a - 1 for a (4 f + 1) = e, given root e mod 256.
    TOROID_DEVICE static Complex factor_of(Complex root, unsigned e) {
        const Complex power = quarter_turns(root, e);
        return {power.x - 1.0, power.y};
    }

    const int4* key_;
    int4 raw_[most_words];
    char* shared_ = nullptr;
    const std::uint16_t* exponents_ = nullptr;
    int gates_ = 0;
};

}  // namespace toroid::backend_gpu
