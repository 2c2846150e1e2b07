// SPDX-License-Identifier: Apache-2.0
// What the host code hands to a kernel: plain pointers and sizes, no library types.
#pragma once

#include <cstdint>

#include "backend_cpu/kernel_shape.hpp"
#include "backend_cpu/transform_plan.hpp"

namespace toroid::backend_cpu {

/// A bootstrapping key in Fourier form and the sizes that go with it.
///
/// values: n GGSW matrices, each M * rows * (k+1) complex numbers, scaled by 1/M. Leaves come in blocks of
/// 4 nodes x 4 children: [block][child t][row][component][re, im][node in block], so that the wide kernel
/// broadcasts single doubles and the narrow one loads four nodes at once. One block past the end is
/// prefetched.
struct RotationKey {
    const double* values = nullptr;
    TransformTables transform;
    int lwe_dimension = 0;  ///< n
    int block = 1;
    int ring_dimension = 0;  ///< N
    int glwe_dimension = 0;  ///< k
    int mask_levels = 0;
    int body_levels = 0;
    int mask_base_log = 0;
    int body_base_log = 0;

    [[nodiscard]] int rows() const { return glwe_dimension * mask_levels + body_levels; }
    /// Doubles of one GGSW matrix.
    [[nodiscard]] std::int64_t step_stride() const {
        return std::int64_t{ring_dimension} * rows() * (glwe_dimension + 1);
    }
};

/// Words after each accumulator polynomial that repeat its first ones negated, so that a rotated vector load
/// never wraps.
inline constexpr int accumulator_padding = 16;

/// Blind rotation of `gates` samples in lockstep over one pass of the key.
struct RotationJob {
    const RotationKey* key = nullptr;
    int gates = 0;
    /// Gate g: n + 1 exponents at switched + g * switched_stride.
    const std::uint16_t* switched = nullptr;
    std::int64_t switched_stride = 0;
    /// Gate g, component c: N words (+ padding) at accumulators + (g (k+1) + c) (N + accumulator_padding).
    /// Holds (0, X^-b * 1/8 (1 + X + ...)) rotated by the masks afterwards. Room for `gates` rounded up to a
    /// whole number of the kernel's lanes.
    std::uint32_t* accumulators = nullptr;
    /// scratch_doubles() of it, on a cache-line boundary.
    double* scratch = nullptr;
};

}  // namespace toroid::backend_cpu
