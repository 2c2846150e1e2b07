// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend_gpu/platform.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_gpu {

/// Error(device) naming the call and the place unless the runtime reports success.
inline void check_device_call(gpuError_t result, const char* call, const char* file, int line) {
    if (result == gpuSuccess) return;
    throw Error(ErrorKind::device, std::string(call) + " failed: " + gpuGetErrorString(result) + " (" +
                                       gpuGetErrorName(result) + ") at " + file + ":" + std::to_string(line));
}

}  // namespace toroid::backend_gpu

#define TOROID_GPU_CHECK(call) ::toroid::backend_gpu::check_device_call((call), #call, __FILE__, __LINE__)
