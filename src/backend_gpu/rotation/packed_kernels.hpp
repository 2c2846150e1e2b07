// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend_gpu/platform.hpp"
#include "backend_gpu/rotation/packed_arguments.hpp"

namespace toroid::backend_gpu {

/// One compiled instance of a kernel for full batches: packed_kernel.cuh, tensor_kernel.cuh or
/// spread_kernel.cuh.
struct PackedKernel {
    int mask_levels;
    int body_levels;
    int block;
    int gates;  ///< most rotations of a block of threads
    int threads;
    int shared_bytes;
    void (*kernel)(PackedArguments);
};

template <class Shape>
[[nodiscard]] constexpr PackedKernel packed_kernel_of(void (*kernel)(PackedArguments)) {
    return {Shape::mask_levels, Shape::body_levels,  Shape::block, Shape::gates,
            Shape::threads,     Shape::shared_bytes, kernel};
}

/// All instances of the packed kernel; of one shape those with more gates first.
[[nodiscard]] std::span<const PackedKernel> packed_kernels();
/// All instances of the tensor kernel, for devices with RotationLimits::matrix_units.
[[nodiscard]] std::span<const PackedKernel> tensor_kernels();

/// All instances of the spread kernel; of one shape those with fewer gates first.
[[nodiscard]] std::span<const PackedKernel> spread_kernels();

/// Instances by shape, each from a file of its own.
[[nodiscard]] std::span<const PackedKernel> packed_kernels_21();
[[nodiscard]] std::span<const PackedKernel> packed_kernels_22();
[[nodiscard]] std::span<const PackedKernel> packed_kernels_32();

}  // namespace toroid::backend_gpu
