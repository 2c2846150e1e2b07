// SPDX-License-Identifier: Apache-2.0
// The GPU engine: one source for CUDA and HIP.
#pragma once

#include "backend/backend.hpp"

namespace toroid::backend_gpu {

/// "cuda" or "hip", by the runtime this was built for. Absent where there is no driver, no device, or no code
/// for the device at hand: the reason says which.
[[nodiscard]] backend::BackendEntry entry();

}  // namespace toroid::backend_gpu
