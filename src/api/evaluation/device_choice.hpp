// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "toroid/evaluator.hpp"

namespace toroid::detail {

/// The device chosen, which can run this set. "auto": the first present one of the table that can.
/// Error(device) if it is unknown or absent, Error(parameters) if it cannot run the set; never another
/// device.
[[nodiscard]] std::unique_ptr<backend::Backend> make_device(const DeviceChoice& choice,
                                                            const scheme::Parameters& parameters);

}  // namespace toroid::detail
