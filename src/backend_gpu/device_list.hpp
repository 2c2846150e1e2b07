// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "backend_gpu/rotation/transform_choice.hpp"

namespace toroid::backend_gpu {

/// "cuda" or "hip".
[[nodiscard]] std::string_view backend_name() noexcept;
[[nodiscard]] Vendor vendor() noexcept;

/// The cards that the runtime shows this process (CUDA_VISIBLE_DEVICES counts), in its order. Runs nothing on
/// them.
[[nodiscard]] std::vector<backend::DeviceInfo> device_list();

/// Why this program's code does not run on a card, empty if it does: runs an empty kernel there.
[[nodiscard]] std::string unusable_reason(int device);

/// The first card that runs this program's code; -1 if there is none.
[[nodiscard]] int first_usable_device();

/// Empty if first_usable_device() finds one, else the reason.
[[nodiscard]] std::string absence_reason();

}  // namespace toroid::backend_gpu
