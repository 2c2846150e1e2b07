// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_cpu/blind_rotation_job.hpp"
#include "backend_cpu/kernels/vector.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// The sizes of a key: constants where the shape fixes them. `fixed`: N is one.
template <KernelShape shape>
struct Sizes {
    explicit Sizes(const RotationKey& key) : key_(key) {}

    static constexpr bool fixed = shape.ring_dimension != 0;
    TOROID_INLINE int ring() const { return fixed ? shape.ring_dimension : key_.ring_dimension; }
    TOROID_INLINE int points() const { return ring() / 2; }
    TOROID_INLINE int masks() const {
        return shape.glwe_dimension != 0 ? shape.glwe_dimension : key_.glwe_dimension;
    }
    TOROID_INLINE int components() const { return masks() + 1; }
    TOROID_INLINE int mask_levels() const {
        return shape.mask_levels != 0 ? shape.mask_levels : key_.mask_levels;
    }
    TOROID_INLINE int body_levels() const {
        return shape.body_levels != 0 ? shape.body_levels : key_.body_levels;
    }
    TOROID_INLINE int levels(int component) const {
        return component < masks() ? mask_levels() : body_levels();
    }
    TOROID_INLINE int base_log(int component) const {
        return component < masks() ? key_.mask_base_log : key_.body_base_log;
    }
    TOROID_INLINE int first_row(int component) const { return component * mask_levels(); }
    TOROID_INLINE int rows() const { return masks() * mask_levels() + body_levels(); }
    /// Doubles of one GGSW matrix, and of the share of one leaf block's child.
    TOROID_INLINE std::int64_t step_stride() const { return std::int64_t{ring()} * rows() * components(); }
    TOROID_INLINE int child_stride() const { return rows() * components() * 2 * nodes_per_block; }
    TOROID_INLINE std::int64_t polynomial_stride() const { return ring() + accumulator_padding; }
    /// Doubles between the quarters of a row of `width` polynomials, and between rows. Without the padding,
    /// quarters and rows lie a multiple of 4 KiB apart and fight for the same cache sets.
    TOROID_INLINE std::int64_t quarter_stride(int width) const {
        return std::int64_t{ring()} / 4 * width + (ring() >= 128 ? 8 : 0);
    }
    TOROID_INLINE std::int64_t row_stride(int width) const { return 4 * quarter_stride(width); }
    /// Where point `point` lies in a row.
    TOROID_INLINE std::int64_t point_offset(int point, int width) const {
        const int part = ring() / 8;
        return point / part * quarter_stride(width) + std::int64_t{point % part} * 2 * width;
    }

 private:
    const RotationKey& key_;
};

/// Digit rule of math::decompose. With `offset` added, digit l plus B/2 is the field at 32 - l base_log;
/// `flip` then turns the fields into digits in two's complement.
struct DigitRule {
    std::uint32_t offset;
    std::uint32_t flip;
};

TOROID_INLINE DigitRule digit_rule(int base_log, int levels) {
    const int bits = base_log * levels;
    std::uint32_t halves = 0;
    for (int level = 1; level <= levels; ++level)
        halves += std::uint32_t{1} << (base_log - 1 + 32 - level * base_log);
    return {halves + (bits < 32 ? std::uint32_t{1} << (31 - bits) : 0), halves};
}

/// Digit `level` (0 the highest) of prepared words.
template <typename Words>
TOROID_INLINE auto digit_of(const Words& words, int level, int base_log) {
    typedef std::int32_t SignedWords __attribute__((vector_size(sizeof(Words))));
    return reinterpret_cast<SignedWords>(words << (level * base_log)) >> (32 - base_log);
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
