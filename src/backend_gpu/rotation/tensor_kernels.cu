// SPDX-License-Identifier: Apache-2.0
// Instances of the tensor kernel.
#include "backend_gpu/rotation/packed_kernels.hpp"
#include "backend_gpu/rotation/tensor_kernel.cuh"

namespace toroid::backend_gpu {

std::span<const PackedKernel> tensor_kernels() {
    static const PackedKernel kernels[] = {packed_kernel_of<TensorShape<3>>(tensor_rotation<TensorShape<3>>)};
    return kernels;
}

}  // namespace toroid::backend_gpu
