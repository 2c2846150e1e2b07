// SPDX-License-Identifier: Apache-2.0
// Accumulators of the packed kernel. Coefficients c and c + N/2 stay a pair under every X^a (up to order and
// signs). In registers a coefficient is a whole torus word; lane b of 16 holds pairs c = 16 a + b, a in [0,
// 16).
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

/// X^power times a polynomial at pair c: z_c' (-i)^h, where c' + 256 h = c - power mod 2N and pair(c') reads
/// it.
template <class Pairs>
TOROID_DEVICE TorusPair rotated(const Pairs& pair, int c, int power) {
    const int from = c - power;
    const TorusPair value = pair(from & 255);
    const bool swap = (from & 256) != 0;
    const std::uint32_t minus_re = (from & 512) != 0 ? ~0U : 0U;
    const std::uint32_t minus_im = swap ? ~minus_re : minus_re;
    const std::uint32_t re = swap ? value.im : value.re;
    const std::uint32_t im = swap ? value.re : value.im;
    return {(re ^ minus_re) - minus_re, (im ^ minus_im) - minus_im};
}

/// What the inverse transform adds to pair a of a lane: exp(-i pi a / 32) z times the scale, rounded (twice)
/// to packed_increment_bits.
TOROID_DEVICE TorusPair increment(Complex z, int a, const PackedConstants& constants) {
    double re = fma(z.x, constants.untwist_re[a], rounding_magic);
    double im = fma(z.y, constants.untwist_re[a], rounding_magic);
    if (a != 0) {
        re = fma(z.y, constants.untwist_im[a], re);
        im = fma(-z.x, constants.untwist_im[a], im);
    }
    return {low_word(re) << (32 - packed_increment_bits), low_word(im) << (32 - packed_increment_bits)};
}

/// An accumulator in shared memory: a word holds the upper 16 bits of a pair, a byte the next four bits of a
/// mask's that is not coarse. They lie in order of c if bodies are rotated, else as [a / 4][b][a % 4], for
/// 16-byte accesses.
template <class Shape>
class PackedAccumulator {
 public:
    TOROID_DEVICE PackedAccumulator(char* shared, int gate, int component)
        : high_(reinterpret_cast<std::uint32_t*>(
              shared + Shape::high_at +
              (gate * Shape::high_components + (Shape::masks_in_registers ? 0 : component)) *
                  Shape::high_stride)),
          low_(reinterpret_cast<std::uint8_t*>(
              shared + Shape::low_at + (gate * 2 + (component < 2 ? component : 0)) * Shape::low_stride)),
          body_(Shape::masks_in_registers || component == 2),
          fine_(!Shape::coarse && !body_) {}

    TOROID_DEVICE TorusPair get(int c) const { return unpack(place(c)); }
    TOROID_DEVICE void put(int c, TorusPair value) {
        high_[place(c)] = high_word(value);
        if (fine_) low_[place(c)] = low_byte(value);
    }

    /// Pairs a = 4 t ... 4 t + 3 of lane b.
    TOROID_DEVICE void load_quad(int t, int b, TorusPair (&out)[4]) const {
        if constexpr (in_order) {
#pragma unroll
            for (int i = 0; i < 4; ++i) out[i] = unpack(16 * (4 * t + i) + b);
        } else {
            const uint4 high = *reinterpret_cast<const uint4*>(high_ + t * 64 + b * 4);
            const std::uint32_t words[4] = {high.x, high.y, high.z, high.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) out[i] = {words[i] << 16, words[i] & 0xffff0000U};
            if (fine_) {
                const std::uint32_t low = *reinterpret_cast<const std::uint32_t*>(low_ + t * 64 + b * 4);
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    out[i].re |= low << (28 - 8 * i) >> 16 & 0xf000U;
                    out[i].im |= low << (24 - 8 * i) >> 16 & 0xf000U;
                }
            }
        }
    }
    TOROID_DEVICE void store_quad(int t, int b, const TorusPair (&in)[4]) {
        if constexpr (in_order) {
#pragma unroll
            for (int i = 0; i < 4; ++i) high_[16 * (4 * t + i) + b] = high_word(in[i]);
        } else {
            *reinterpret_cast<uint4*>(high_ + t * 64 + b * 4) =
                make_uint4(high_word(in[0]), high_word(in[1]), high_word(in[2]), high_word(in[3]));
            if (fine_) {
                *reinterpret_cast<std::uint32_t*>(low_ + t * 64 + b * 4) =
                    low_byte(in[0]) | static_cast<std::uint32_t>(low_byte(in[1])) << 8 |
                    static_cast<std::uint32_t>(low_byte(in[2])) << 16 |
                    static_cast<std::uint32_t>(low_byte(in[3])) << 24;
            }
        }
    }

    /// Adds what the inverse transform gives and rounds to the bits that are kept. sums: the result.
    TOROID_DEVICE void add(const Complex (&z)[16], const PackedConstants& constants, int b,
                           TorusPair (&sums)[16]) {
        const std::uint32_t half = 1U << (31 - (body_ ? packed_body_bits : Shape::mask_bits));
        const std::uint32_t kept = ~(2 * half - 1);
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            TorusPair pairs[4];
            load_quad(t, b, pairs);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const TorusPair more = increment(z[4 * t + i], 4 * t + i, constants);
                pairs[i] = {pairs[i].re + more.re + half, pairs[i].im + more.im + half};
                sums[4 * t + i] = {pairs[i].re & kept, pairs[i].im & kept};
            }
            store_quad(t, b, pairs);
        }
    }

 private:
    static constexpr bool in_order = Shape::block == 1;

    TOROID_DEVICE static int place(int c) {
        if constexpr (in_order) return c;
        const int a = c >> 4;
        return (a >> 2) * 64 + (c & 15) * 4 + (a & 3);
    }
    TOROID_DEVICE static std::uint32_t high_word(TorusPair value) {
        return value.re >> 16 | (value.im & 0xffff0000U);
    }
    TOROID_DEVICE static std::uint8_t low_byte(TorusPair value) {
        return static_cast<std::uint8_t>((value.re >> 12 & 0xfU) | (value.im >> 8 & 0xf0U));
    }
    TOROID_DEVICE TorusPair unpack(int at) const {
        const std::uint32_t high = high_[at];
        TorusPair out{high << 16, high & 0xffff0000U};
        if (fine_) {
            const std::uint32_t low = low_[at];
            out.re |= (low & 0xfU) << 12;
            out.im |= (low & 0xf0U) << 8;
        }
        return out;
    }

    std::uint32_t* high_;
    std::uint8_t* low_;
    bool body_;
    bool fine_;  ///< has low bits
};

/// A gadget's digits of torus words.
class PackedGadgetDigits {
 public:
    TOROID_DEVICE PackedGadgetDigits(const PackedArguments& arguments, bool body)
        : offset_(body ? arguments.body_offset : arguments.mask_offset),
          flip_(body ? arguments.body_flip : arguments.mask_flip),
          base_log_(body ? arguments.body_base_log : arguments.mask_base_log) {}

    /// To be done once with a word before digit().
    TOROID_DEVICE TorusPair prepared(TorusPair pair) const {
        return {(pair.re + offset_) ^ flip_, (pair.im + offset_) ^ flip_};
    }
    TOROID_DEVICE Complex digit(TorusPair pair, int level) const {
        return {field(pair.re, level), field(pair.im, level)};
    }

 private:
    TOROID_DEVICE double field(std::uint32_t word, int level) const {
        return static_cast<double>(static_cast<std::int32_t>(word << (level * base_log_)) >>
                                   (32 - base_log_));
    }

    std::uint32_t offset_;
    std::uint32_t flip_;
    int base_log_;
};

}  // namespace toroid::backend_gpu
