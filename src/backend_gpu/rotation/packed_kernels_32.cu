// SPDX-License-Identifier: Apache-2.0
// Instances of the packed kernel with 3 mask levels and 2 body level(s).
#include "backend_gpu/rotation/packed_kernel.cuh"
#include "backend_gpu/rotation/packed_kernels.hpp"

namespace toroid::backend_gpu {
namespace {

template <int block, int gates>
using Shape = PackedShape<3, 2, block, gates>;

}  // namespace

std::span<const PackedKernel> packed_kernels_32() {
    static const PackedKernel kernels[] = {
        packed_kernel_of<Shape<1, 8>>(packed_rotation<Shape<1, 8>>),
        // For devices with 64 KiB of shared memory; larger ones have the tensor kernel for blocks of 3.
        packed_kernel_of<Shape<1, 2>>(packed_rotation<Shape<1, 2>>),
        packed_kernel_of<Shape<3, 2>>(packed_rotation<Shape<3, 2>>),
    };
    return kernels;
}

}  // namespace toroid::backend_gpu
