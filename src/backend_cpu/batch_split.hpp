// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/gate_record.hpp"

namespace toroid::backend_cpu {

/// Consecutive gates of a batch that one worker takes through blind rotation together.
struct GateGroup {
    std::size_t first_gate = 0;
    std::size_t gates = 0;
    std::size_t first_bootstrap = 0;
    std::size_t bootstraps = 0;
    friend bool operator==(const GateGroup&, const GateGroup&) = default;
};

/// What a worker can do at once.
struct GroupLimits {
    std::size_t threads = 1;
    std::size_t lanes = 1;  ///< bootstraps a unit of the wide kernel
    std::size_t most = 1;   ///< bootstraps a group at most, a multiple of lanes; at least 2, for a pair
};

/// Cuts a batch into groups: full ones while every thread has one to do, the rest in equal shares, so that
/// all threads end at about the same time. Linear gates belong to the group of their neighbours; a pair is
/// never cut.
[[nodiscard]] std::vector<GateGroup> split_batch(std::span<const base::GateRecord> gates,
                                                 const GroupLimits& limits);

}  // namespace toroid::backend_cpu
