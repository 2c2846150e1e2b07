// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_gpu/platform.hpp"

namespace toroid::backend_gpu {

/// Success if the current device can run the machine code or intermediate code in this program.
[[nodiscard]] gpuError_t probe_built_code();

}  // namespace toroid::backend_gpu
