// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace toroid::backend {

/// Devices that one pool can spread over: a bit each in a word.
inline constexpr unsigned most_devices = 64;

/// Which devices hold the present value of each slot of a pool that has room for every slot on every device.
/// One of them is the source: it wrote the value or was given it from outside. All are numbers below
/// `devices`.
class SlotOwnership {
 public:
    /// Every device holds every slot: new slots are all alike.
    SlotOwnership(std::uint32_t slots, unsigned devices);

    [[nodiscard]] unsigned devices() const noexcept { return devices_; }
    [[nodiscard]] bool holds(unsigned device, std::uint32_t slot) const {
        return (holders_[slot] >> device & 1U) != 0;
    }
    /// The device to copy a slot from.
    [[nodiscard]] unsigned source(std::uint32_t slot) const { return sources_[slot]; }

    /// The device made a new value: all others hold an old one.
    void written(std::uint32_t slot, unsigned device);
    void written_everywhere(std::uint32_t slot);
    /// The device was given a copy of the present value.
    void copied(std::uint32_t slot, unsigned device) { holders_[slot] |= std::uint64_t{1} << device; }
    /// The copy did not come: only the source is sure to hold the value.
    void copies_lost(std::uint32_t slot) { holders_[slot] = std::uint64_t{1} << sources_[slot]; }

 private:
    unsigned devices_;
    std::vector<std::uint64_t> holders_;
    std::vector<std::uint8_t> sources_;
};

}  // namespace toroid::backend
