// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/plan.hpp"

namespace toroid::runtime {

/// Predicted seconds for `cycles` cycles: each batch takes as long as its bootstraps rounded up to whole full
/// batches, seconds = seconds_per_bootstrap * full_batch * sum over batches of ceil(bootstraps / full_batch).
/// seconds_per_bootstrap is that of a full device.
[[nodiscard]] double estimate_seconds(const Plan& plan, double seconds_per_bootstrap,
                                      std::uint32_t full_batch, std::uint32_t cycles);

}  // namespace toroid::runtime
