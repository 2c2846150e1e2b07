// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/plan.hpp"

namespace toroid::runtime {

/// Predicted seconds for `cycles` cycles: each batch takes as long as its bootstraps rounded up to what the
/// device does side by side,
///     seconds = seconds_per_bootstrap * width * sum over batches of ceil(bootstraps / width),
/// with seconds_per_bootstrap and width = parallel_width as backend::Backend gives them.
[[nodiscard]] double estimate_seconds(const Plan& plan, double seconds_per_bootstrap,
                                      std::uint32_t parallel_width, std::uint32_t cycles);

}  // namespace toroid::runtime
