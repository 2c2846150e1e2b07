// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/batch_split.hpp"

#include <algorithm>

namespace toroid::backend_cpu {
namespace {

/// Equal shares of the bootstraps that do not fill every thread once more.
std::size_t share_of_rest(std::size_t left, const GroupLimits& limits) {
    const std::size_t share = std::max<std::size_t>(1, (left + limits.threads - 1) / limits.threads);
    if (share < limits.lanes) return share;
    // A unit costs the same with one lane filled as with all.
    return std::min((share + limits.lanes - 1) / limits.lanes * limits.lanes, limits.most);
}

}  // namespace

std::vector<GateGroup> split_batch(std::span<const base::GateRecord> gates, const GroupLimits& limits) {
    std::size_t left = 0;
    for (const base::GateRecord& gate : gates) left += static_cast<std::size_t>(gate.bootstraps());
    std::size_t full_groups = left / (limits.threads * limits.most) * limits.threads;
    std::size_t size = full_groups > 0 ? limits.most : share_of_rest(left, limits);

    std::vector<GateGroup> out;
    GateGroup group;
    for (const base::GateRecord& gate : gates) {
        const auto bootstraps = static_cast<std::size_t>(gate.bootstraps());
        const bool full = group.bootstraps >= size || group.bootstraps + bootstraps > limits.most;
        if (bootstraps > 0 && group.bootstraps > 0 && full) {
            out.push_back(group);
            left -= group.bootstraps;
            if (full_groups > 0 && --full_groups == 0) size = share_of_rest(left, limits);
            group = {.first_gate = group.first_gate + group.gates,
                     .gates = 0,
                     .first_bootstrap = group.first_bootstrap + group.bootstraps,
                     .bootstraps = 0};
        }
        ++group.gates;
        group.bootstraps += bootstraps;
    }
    if (group.gates > 0) out.push_back(group);
    return out;
}

}  // namespace toroid::backend_cpu
