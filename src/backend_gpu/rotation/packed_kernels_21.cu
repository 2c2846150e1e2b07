// SPDX-License-Identifier: Apache-2.0
// Instances of the packed kernel with 2 mask levels and 1 body level(s).
#include "backend_gpu/rotation/packed_kernel.cuh"
#include "backend_gpu/rotation/packed_kernels.hpp"

namespace toroid::backend_gpu {
namespace {

template <int block, int gates>
using Shape = PackedShape<2, 1, block, gates>;

}  // namespace

std::span<const PackedKernel> packed_kernels_21() {
    static const PackedKernel kernels[] = {
        packed_kernel_of<Shape<1, 8>>(packed_rotation<Shape<1, 8>>),
        packed_kernel_of<Shape<2, 8>>(packed_rotation<Shape<2, 8>>),
        // For devices with 64 KiB of shared memory.
        packed_kernel_of<Shape<1, 2>>(packed_rotation<Shape<1, 2>>),
        packed_kernel_of<Shape<2, 2>>(packed_rotation<Shape<2, 2>>),
    };
    return kernels;
}

}  // namespace toroid::backend_gpu
