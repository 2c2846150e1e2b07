// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/slot_ownership.hpp"
#include "base/byte_stream.hpp"

namespace toroid::backend {

/// One pool over several devices. Each device has room for every slot, so that no gate needs renumbering; a
/// slot's value is only where it was made, uploaded or read.
class SplitPool final : public CiphertextPool {
 public:
    /// A pool of `key`, which spreads over the devices called `names`; parts[i] is on names[i], which is full
    /// with full_batches[i] bootstraps. least_share as for assign_batch.
    SplitPool(const LoadedKey& key, std::vector<std::unique_ptr<CiphertextPool>> parts,
              std::span<const std::string> names, std::vector<std::uint32_t> full_batches,
              std::uint32_t least_share);

    [[nodiscard]] std::uint32_t slots() const noexcept override { return parts_.front()->slots(); }
    /// Of all devices together.
    [[nodiscard]] std::uint64_t bytes() const noexcept override;
    /// Many samples go to the devices in equal runs, few (less than the least share each) to fewer devices.
    void upload(std::span<const std::uint32_t> slots, const scheme::LweArray& samples) override;
    [[nodiscard]] scheme::LweArray download(std::span<const std::uint32_t> slots) const override;
    /// On every device: constants never travel.
    void set_trivial(std::uint32_t slot, int eighths) override;
    [[nodiscard]] std::vector<DeviceWork> work() const override { return work_; }

    [[nodiscard]] unsigned devices() const noexcept { return static_cast<unsigned>(parts_.size()); }
    [[nodiscard]] CiphertextPool& part(unsigned device) { return *parts_[device]; }
    [[nodiscard]] const CiphertextPool& part(unsigned device) const { return *parts_[device]; }
    [[nodiscard]] SlotOwnership& ownership() noexcept { return ownership_; }
    [[nodiscard]] const SlotOwnership& ownership() const noexcept { return ownership_; }
    [[nodiscard]] DeviceWork& work_of(unsigned device) { return work_[device]; }

    /// `pool` as one of this key and set over these devices, else Error(key_mismatch) or Error(device).
    [[nodiscard]] static SplitPool& of(CiphertextPool& pool, const LoadedKey& key,
                                       std::span<const std::string> names);
    [[nodiscard]] static const SplitPool& of(const CiphertextPool& pool, const LoadedKey& key,
                                             std::span<const std::string> names);

 private:
    void check_slots(std::span<const std::uint32_t> slots) const;

    base::Fingerprint parameters_;
    base::KeyId key_id_;
    std::vector<std::unique_ptr<CiphertextPool>> parts_;
    std::vector<std::uint32_t> full_batches_;
    std::uint32_t least_share_;
    SlotOwnership ownership_;
    std::vector<DeviceWork> work_;
};

}  // namespace toroid::backend
