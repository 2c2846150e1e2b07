// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace toroid::backend_cpu {

/// What a blind-rotation kernel knows at compile time; a zero is read at run time, slower. n, bases, block
/// length, key-switch levels and batch size are run-time values everywhere.
struct KernelShape {
    int ring_dimension = 0;  ///< N
    int glwe_dimension = 0;  ///< k
    int mask_levels = 0;
    int body_levels = 0;
    friend constexpr bool operator==(const KernelShape&, const KernelShape&) = default;
};

inline constexpr KernelShape run_time_shape{};

/// What the transforms gain from: compiled once a ring, not once a shape.
template <KernelShape shape>
inline constexpr KernelShape transform_shape{.ring_dimension = shape.ring_dimension};

/// Shapes with a kernel of their own: those of the named parameter sets.
inline constexpr std::array kernel_shapes{
    KernelShape{512, 2, 2, 2}, KernelShape{512, 2, 3, 2},  KernelShape{512, 2, 2, 1},
    KernelShape{512, 3, 2, 2}, KernelShape{1024, 1, 3, 3},
};

}  // namespace toroid::backend_cpu
