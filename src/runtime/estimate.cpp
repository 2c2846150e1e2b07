// SPDX-License-Identifier: Apache-2.0
#include "runtime/estimate.hpp"

#include <algorithm>

namespace toroid::runtime {

double estimate_seconds(const Plan& plan, double seconds_per_bootstrap, std::uint32_t parallel_width,
                        std::uint32_t cycles) {
    const std::uint64_t width = std::max(parallel_width, std::uint32_t{1});
    std::uint64_t bootstraps = 0;
    for (const Plan::Batch& batch : plan.batches)
        bootstraps += (batch.bootstraps + width - 1) / width * width;
    return static_cast<double>(bootstraps) * seconds_per_bootstrap * cycles;
}

}  // namespace toroid::runtime
