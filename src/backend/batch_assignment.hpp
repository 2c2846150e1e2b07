// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "backend/slot_ownership.hpp"

namespace toroid::backend {

/// Slots that one device must be given by another before the batch.
struct Transfer {
    unsigned from = 0;
    unsigned to = 0;
    std::vector<std::uint32_t> slots;
};

/// Who evaluates each gate of a batch, and what must be copied first.
struct BatchAssignment {
    std::vector<std::uint8_t> device;       ///< of each gate
    std::vector<std::uint64_t> bootstraps;  ///< of each device
    std::vector<Transfer> transfers;        ///< one at most for each two devices
};

/// Divides a batch over devices whose full batches are full_batches[device].
///
/// Bootstraps are shared out in proportion to the full batches, to within one gate: a pair counts two. No
/// device is given less than least_share_of it, since so few take about as long as twice as many: a small
/// batch stays on one device, and then on the one that holds most of its operands. Within its share each
/// device takes the gates whose operands it holds, copies of this batch included; where that decides nothing,
/// neighbours in the batch stay together, for they tend to read the same wires. Linear gates go where most of
/// their operands are. Each slot travels at most once to a device, from its source.
///
/// The copies are entered into `ownership`, the batch's outputs are not. Deterministic. The batch must be
/// valid (check_batch).
[[nodiscard]] BatchAssignment assign_batch(const GateBatch& batch, SlotOwnership& ownership,
                                           std::span<const std::uint32_t> full_batches,
                                           std::uint32_t least_share = 0);

/// The least share of a device: `chosen`, or if that is 0 a quarter of its full batch.
[[nodiscard]] std::uint32_t least_share_of(std::uint32_t full_batch, std::uint32_t chosen);

}  // namespace toroid::backend
