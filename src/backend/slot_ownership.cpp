// SPDX-License-Identifier: Apache-2.0
#include "backend/slot_ownership.hpp"

#include <fmt/format.h>

#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

std::uint64_t everyone(unsigned devices) {
    return ~std::uint64_t{0} >> (most_devices - devices);
}

}  // namespace

SlotOwnership::SlotOwnership(std::uint32_t slots, unsigned devices) : devices_(devices) {
    if (devices == 0 || devices > most_devices) {
        throw Error(ErrorKind::internal,
                    fmt::format("a pool spreads over 1 to {} devices, not {}", most_devices, devices));
    }
    holders_.assign(slots, everyone(devices));
    sources_.assign(slots, 0);
}

void SlotOwnership::written(std::uint32_t slot, unsigned device) {
    holders_[slot] = std::uint64_t{1} << device;
    sources_[slot] = static_cast<std::uint8_t>(device);
}

void SlotOwnership::written_everywhere(std::uint32_t slot) {
    holders_[slot] = everyone(devices_);
    sources_[slot] = 0;
}

}  // namespace toroid::backend
