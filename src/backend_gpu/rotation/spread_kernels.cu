// SPDX-License-Identifier: Apache-2.0
// Instances of the spread kernel: a key that is staged whole, or twice as many rotations.
#include "backend_gpu/rotation/packed_kernels.hpp"
#include "backend_gpu/rotation/spread_kernel.cuh"

namespace toroid::backend_gpu {
namespace {

template <int mask_levels, int body_levels, int block, int gates>
constexpr PackedKernel instance() {
    using Shape = SpreadShape<mask_levels, body_levels, block, gates>;
    return packed_kernel_of<Shape>(spread_rotation<Shape>);
}

}  // namespace

std::span<const PackedKernel> spread_kernels() {
    static const PackedKernel kernels[] = {
        instance<2, 1, 1, 2>(), instance<2, 1, 1, 4>(), instance<2, 1, 2, 2>(), instance<2, 1, 2, 4>(),
        instance<2, 2, 1, 2>(), instance<2, 2, 1, 4>(), instance<2, 2, 3, 2>(), instance<2, 2, 3, 4>(),
        instance<3, 2, 1, 2>(), instance<3, 2, 1, 4>(), instance<3, 2, 3, 2>(), instance<3, 2, 3, 4>(),
    };
    return kernels;
}

}  // namespace toroid::backend_gpu
