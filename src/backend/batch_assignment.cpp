// SPDX-License-Identifier: Apache-2.0
#include "backend/batch_assignment.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace toroid::backend {
namespace {

std::span<const base::Operand> operands_of(const GateBatch& batch, const base::GateRecord& gate) {
    return batch.operands.subspan(gate.first_operand, std::size_t{gate.operands_a} + gate.operands_b);
}

class Assigner {
 public:
    Assigner(const GateBatch& batch, SlotOwnership& ownership, std::span<const std::uint32_t> full_batches,
             std::uint32_t least_share)
        : batch_(batch),
          ownership_(ownership),
          full_batches_(full_batches),
          least_share_(least_share),
          devices_(ownership.devices()) {
        out_.device.resize(batch.gates.size());
        out_.bootstraps.assign(devices_, 0);
        transfer_of_.assign(std::size_t{devices_} * devices_, 0);
    }

    BatchAssignment assign() {
        share_out();
        for (std::size_t i = 0; i < batch_.gates.size(); ++i) {
            if (batch_.gates[i].bootstraps() > 0) give(i, choose_for_bootstraps(batch_.gates[i]));
        }
        // Last, so that they profit from what bootstraps have copied.
        for (std::size_t i = 0; i < batch_.gates.size(); ++i) {
            if (batch_.gates[i].bootstraps() == 0) give(i, choose_for_linear(batch_.gates[i]));
        }
        return std::move(out_);
    }

 private:
    /// Chooses the devices of this batch's bootstraps and the share of each.
    void share_out() {
        std::uint64_t total = 0;
        std::vector<std::uint64_t> held(devices_);
        for (const base::GateRecord& gate : batch_.gates) {
            if (gate.bootstraps() == 0) continue;
            total += static_cast<std::uint64_t>(gate.bootstraps());
            for (const base::Operand& operand : operands_of(batch_, gate)) {
                for (unsigned device = 0; device < devices_; ++device)
                    held[device] += ownership_.holds(device, operand.index) ? 1U : 0U;
            }
        }
        std::vector<unsigned> order(devices_);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, [&](unsigned a, unsigned b) { return held[a] > held[b]; });
        std::uint64_t smallest = 0;
        std::uint64_t full = 0;
        for (const unsigned device : order) {
            smallest += least_share_of(full_batches_[device], least_share_);
            if (!chosen_.empty() && smallest > total) break;
            chosen_.push_back(device);
            full += full_batches_[device];
        }
        std::ranges::sort(chosen_);
        share_.assign(devices_, 0);
        for (const unsigned device : chosen_) {
            share_[device] = (total * full_batches_[device] + full - 1) / full;
        }
        latest_ = chosen_.front();
    }

    [[nodiscard]] std::uint32_t held_operands(const base::GateRecord& gate, unsigned device) const {
        std::uint32_t count = 0;
        for (const base::Operand& operand : operands_of(batch_, gate))
            count += ownership_.holds(device, operand.index) ? 1U : 0U;
        return count;
    }

    unsigned choose_for_bootstraps(const base::GateRecord& gate) {
        const auto cost = static_cast<std::uint64_t>(gate.bootstraps());
        // The shares add up to the batch or more, so some device has room; perhaps only for half of a pair.
        unsigned best = devices_;
        for (std::uint64_t room = cost; best == devices_; --room) best = best_with_room(gate, room);
        latest_ = best;
        out_.bootstraps[best] += cost;
        return best;
    }

    /// Of the devices with room for so many bootstraps the one that holds most operands, the latest one if it
    /// is among these; devices_ if none has room.
    [[nodiscard]] unsigned best_with_room(const base::GateRecord& gate, std::uint64_t room) const {
        unsigned best = devices_;
        std::uint32_t most = 0;
        const auto consider = [&](unsigned device) {
            if (out_.bootstraps[device] + room > share_[device]) return;
            const std::uint32_t held = held_operands(gate, device);
            if (best != devices_ && held <= most) return;
            most = held;
            best = device;
        };
        consider(latest_);
        for (const unsigned device : chosen_) consider(device);
        return best;
    }

    [[nodiscard]] unsigned choose_for_linear(const base::GateRecord& gate) const {
        unsigned best = chosen_.front();
        std::uint32_t most = held_operands(gate, best);
        for (unsigned device = 0; device < devices_; ++device) {
            const std::uint32_t held = held_operands(gate, device);
            if (held <= most) continue;
            most = held;
            best = device;
        }
        return best;
    }

    void give(std::size_t number, unsigned device) {
        out_.device[number] = static_cast<std::uint8_t>(device);
        for (const base::Operand& operand : operands_of(batch_, batch_.gates[number])) {
            if (ownership_.holds(device, operand.index)) continue;
            transfer(ownership_.source(operand.index), device).slots.push_back(operand.index);
            ownership_.copied(operand.index, device);
        }
    }

    Transfer& transfer(unsigned from, unsigned to) {
        std::size_t& number = transfer_of_[std::size_t{from} * devices_ + to];
        if (number == 0) {
            out_.transfers.push_back({from, to, {}});
            number = out_.transfers.size();
        }
        return out_.transfers[number - 1];
    }

    const GateBatch& batch_;
    SlotOwnership& ownership_;
    std::span<const std::uint32_t> full_batches_;
    std::uint32_t least_share_;
    unsigned devices_;
    std::vector<unsigned> chosen_;
    std::vector<std::uint64_t> share_;      ///< bootstraps of each device
    unsigned latest_ = 0;                   ///< that was given a bootstrap
    std::vector<std::size_t> transfer_of_;  ///< number of each pair's transfer, from 1; 0: none
    BatchAssignment out_;
};

}  // namespace

std::uint32_t least_share_of(std::uint32_t full_batch, std::uint32_t chosen) {
    return std::max(chosen != 0 ? chosen : full_batch / 4, std::uint32_t{1});
}

BatchAssignment assign_batch(const GateBatch& batch, SlotOwnership& ownership,
                             std::span<const std::uint32_t> full_batches, std::uint32_t least_share) {
    return Assigner(batch, ownership, full_batches, least_share).assign();
}

}  // namespace toroid::backend
