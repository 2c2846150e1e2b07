// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/built_code.hpp"

namespace toroid::backend_gpu {
namespace {

__global__ void nothing_kernel() {}

}  // namespace

gpuError_t probe_built_code() {
    nothing_kernel<<<1, 1>>>();
    if (const gpuError_t result = gpuGetLastError(); result != gpuSuccess) return result;
    return gpuDeviceSynchronize();
}

}  // namespace toroid::backend_gpu
