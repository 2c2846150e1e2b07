// SPDX-License-Identifier: Apache-2.0
// Accumulators of the packed kernel. Coefficients c and c + N/2 stay a pair under every X^a (up to order and
// signs), so that they share a word: the upper 16 bits of both; masks of more bits have their lower bytes in a
// plane of their own. In registers a coefficient is a whole torus word.
//
// Lane b holds pairs c = 16 a + b, a in [0, 16). Accumulators that are rotated lie in order of c; the others in
// the order [a / 4][b][a % 4], for 16-byte accesses.
#pragma once

#include "backend_gpu/rotation/complex.cuh"
#include "backend_gpu/rotation/packed_arguments.hpp"
#include "backend_gpu/rotation/packed_shape.hpp"

namespace toroid::backend_gpu {

/// Coefficients c and c + N/2.
struct TorusPair {
    std::uint32_t re;
    std::uint32_t im;
};

template <class Shape>
class PackedAccumulator {
 public:
    TOROID_DEVICE PackedAccumulator(char* shared, int gate, int component)
        : high_(reinterpret_cast<std::uint32_t*>(shared + Shape::high_at +
                                                 (gate * Shape::components + component) * Shape::high_stride)),
          low_(reinterpret_cast<std::uint16_t*>(
              shared + Shape::low_at + (gate * 2 + (component < 2 ? component : 0)) * Shape::low_stride)),
          body_(component == 2) {}

    TOROID_DEVICE TorusPair get(int c) const { return unpack(place(c)); }
    TOROID_DEVICE void put(int c, TorusPair value) {
        high_[place(c)] = high_word(value);
        if (wide()) low_[place(c)] = low_half(value);
    }

    /// Pairs a = 4 t ... 4 t + 3 of lane b.
    TOROID_DEVICE void load_quad(int t, int b, TorusPair (&out)[4]) const {
        if constexpr (rotates) {
#pragma unroll
            for (int i = 0; i < 4; ++i) out[i] = unpack(16 * (4 * t + i) + b);
        } else {
            const uint4 high = *reinterpret_cast<const uint4*>(high_ + t * 64 + b * 4);
            const std::uint32_t words[4] = {high.x, high.y, high.z, high.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) out[i] = {words[i] << 16, words[i] & 0xffff0000U};
            if (wide()) {
                const uint2 low = *reinterpret_cast<const uint2*>(low_ + t * 64 + b * 4);
                const std::uint32_t halves[4] = {low.x, low.x >> 16, low.y, low.y >> 16};
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    out[i].re |= (halves[i] & 0xffU) << 8;
                    out[i].im |= halves[i] & 0xff00U;
                }
            }
        }
    }
    TOROID_DEVICE void store_quad(int t, int b, const TorusPair (&in)[4]) {
        if constexpr (rotates) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                high_[16 * (4 * t + i) + b] = high_word(in[i]);
                if (wide()) low_[16 * (4 * t + i) + b] = low_half(in[i]);
            }
        } else {
            *reinterpret_cast<uint4*>(high_ + t * 64 + b * 4) =
                make_uint4(high_word(in[0]), high_word(in[1]), high_word(in[2]), high_word(in[3]));
            if (wide()) {
                *reinterpret_cast<uint2*>(low_ + t * 64 + b * 4) =
                    make_uint2(low_half(in[0]) | static_cast<std::uint32_t>(low_half(in[1])) << 16,
                               low_half(in[2]) | static_cast<std::uint32_t>(low_half(in[3])) << 16);
            }
        }
    }

    /// Pair c of X^power times the accumulator: z_c' (-i)^h, where c' + 256 h = c - power mod 2N.
    TOROID_DEVICE TorusPair rotated(int c, int power) const {
        const int from = c - power;
        const TorusPair value = unpack(from & (Shape::points - 1));
        const bool swap = (from & Shape::points) != 0;
        const bool minus = (from & Shape::ring) != 0;
        TorusPair out{swap ? value.im : value.re, swap ? 0U - value.re : value.im};
        if (minus) out = {0U - out.re, 0U - out.im};
        return out;
    }

    /// Adds exp(-i pi a / 32) z_a times the scale, rounded to the accumulator's bits.
    TOROID_DEVICE void add(const Complex (&z)[16], const PackedConstants& constants, int b) {
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            TorusPair pairs[4];
            load_quad(t, b, pairs);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int a = 4 * t + i;
                double re = fma(z[a].x, constants.untwist_re[a], rounding_magic);
                double im = fma(z[a].y, constants.untwist_re[a], rounding_magic);
                if (a != 0) {
                    re = fma(z[a].y, constants.untwist_im[a], re);
                    im = fma(-z[a].x, constants.untwist_im[a], im);
                }
                pairs[i].re += low_word(re) << (32 - Shape::mask_bits);
                pairs[i].im += low_word(im) << (32 - Shape::mask_bits);
                if constexpr (Shape::mask_bits > 16) {
                    const std::uint32_t half = body_ ? 0x8000U : 0U;
                    pairs[i].re += half;
                    pairs[i].im += half;
                }
            }
            store_quad(t, b, pairs);
        }
    }

 private:
    static constexpr bool rotates = Shape::block == 1;

    TOROID_DEVICE bool wide() const { return Shape::mask_bits > 16 && !body_; }
    TOROID_DEVICE static int place(int c) {
        if constexpr (rotates) return c;
        const int a = c >> 4;
        return (a >> 2) * 64 + (c & 15) * 4 + (a & 3);
    }
    TOROID_DEVICE static std::uint32_t high_word(TorusPair value) {
        return value.re >> 16 | (value.im & 0xffff0000U);
    }
    TOROID_DEVICE static std::uint16_t low_half(TorusPair value) {
        return static_cast<std::uint16_t>((value.re >> 8 & 0xffU) | (value.im & 0xff00U));
    }
    TOROID_DEVICE TorusPair unpack(int at) const {
        const std::uint32_t high = high_[at];
        TorusPair out{high << 16, high & 0xffff0000U};
        if (wide()) {
            const std::uint32_t low = low_[at];
            out.re |= (low & 0xffU) << 8;
            out.im |= low & 0xff00U;
        }
        return out;
    }

    std::uint32_t* high_;
    std::uint16_t* low_;
    bool body_;
};

/// Digits of an accumulator, or of (X^power - 1) times it if the key's blocks are of one.
template <class Shape>
class PackedDigits {
 public:
    TOROID_DEVICE PackedDigits(const PackedArguments& arguments, const PackedAccumulator<Shape>& accumulator,
                               bool body, int power, int lane)
        : accumulator_(accumulator),
          offset_(body ? arguments.body_offset : arguments.mask_offset),
          flip_(body ? arguments.body_flip : arguments.mask_flip),
          base_log_(body ? arguments.body_base_log : arguments.mask_base_log),
          power_(power),
          lane_(lane) {}

    TOROID_DEVICE void load(Complex (&z)[16], int level) const {
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            TorusPair pairs[4];
            prepare(t, pairs);
#pragma unroll
            for (int i = 0; i < 4; ++i) z[4 * t + i] = digit(pairs[i], level);
        }
    }
    /// Levels 0 and 1.
    TOROID_DEVICE void load_two(Complex (&a)[16], Complex (&b)[16]) const {
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            TorusPair pairs[4];
            prepare(t, pairs);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                a[4 * t + i] = digit(pairs[i], 0);
                b[4 * t + i] = digit(pairs[i], 1);
            }
        }
    }

 private:
    TOROID_DEVICE void prepare(int t, TorusPair (&pairs)[4]) const {
        accumulator_.load_quad(t, lane_, pairs);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if constexpr (Shape::block == 1) {
                const TorusPair turned = accumulator_.rotated(16 * (4 * t + i) + lane_, power_);
                pairs[i] = {turned.re - pairs[i].re, turned.im - pairs[i].im};
            }
            pairs[i] = {(pairs[i].re + offset_) ^ flip_, (pairs[i].im + offset_) ^ flip_};
        }
    }
    TOROID_DEVICE Complex digit(TorusPair pair, int level) const {
        const auto field = [&](std::uint32_t word) {
            return static_cast<double>(static_cast<std::int32_t>(word << (level * base_log_)) >>
                                       (32 - base_log_));
        };
        return {field(pair.re), field(pair.im)};
    }

    PackedAccumulator<Shape> accumulator_;
    std::uint32_t offset_;
    std::uint32_t flip_;
    int base_log_;
    int power_;
    int lane_;
};

}  // namespace toroid::backend_gpu
