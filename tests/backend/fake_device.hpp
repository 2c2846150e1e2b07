// SPDX-License-Identifier: Apache-2.0
// Devices without cryptography: gates add up the bodies of samples, so that a value can be followed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "backend/host_pool.hpp"
#include "backend/host_stream.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {

/// What tests look at and set, of one fake device.
struct FakeState {
    std::atomic<std::uint64_t> bootstraps = 0;
    std::atomic<std::uint64_t> batches = 0;
    std::atomic<bool> out_of_memory = false;       ///< evaluate() throws
    std::atomic<bool> link_out_of_memory = false;  ///< copies from here throw
    std::atomic<bool> pool_out_of_memory = false;  ///< make_pool() throws
};

/// Every gate: sum of weight * body + 7 * offset, plus the same of term b, plus 11 for each bootstrap. Slots
/// that were never filled on this device hold garbage, which any result made of them shows.
class FakeKey final : public LoadedKey {
 public:
    explicit FakeKey(std::shared_ptr<FakeState> state, std::uint32_t full_batch = 1, int key = 1)
        : parameters_(scheme::named_parameters("tfhe128")),
          state_(std::move(state)),
          full_batch_(full_batch) {
        key_id_[0] = static_cast<std::byte>(key);
    }
    [[nodiscard]] const scheme::Parameters& parameters() const noexcept override { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept override { return key_id_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override { return 100; }
    [[nodiscard]] std::unique_ptr<CiphertextPool> make_pool(std::uint32_t slots) const override {
        if (state_->pool_out_of_memory) throw OutOfMemory("no room for a pool", 2, 1);
        return std::make_unique<HostPool>(parameters_, key_id_, slots);
    }
    [[nodiscard]] std::unique_ptr<Stream> make_stream() const override {
        return std::make_unique<HostStream>("fake");
    }
    [[nodiscard]] std::unique_ptr<Link> make_link(const LoadedKey& to) const override {
        if (state_->link_out_of_memory) throw OutOfMemory("no room for a link", 2, 1);
        return LoadedKey::make_link(to);
    }
    void evaluate(const GateBatch& batch, CiphertextPool& pool, Stream& stream,
                  StepSeconds* seconds) const override {
        HostPool& slots = HostPool::of(pool, *this);
        HostStream::require(stream, "fake");
        if (state_->out_of_memory) throw OutOfMemory("no room for a batch", 2, 1);
        check_batch(batch, slots.slots());
        const auto sum = [&](std::span<const base::Operand> term, int offset) {
            std::uint32_t word = 7 * static_cast<std::uint32_t>(offset);
            for (const base::Operand& operand : term)
                word += static_cast<std::uint32_t>(operand.weight) * slots[operand.index].back();
            return word;
        };
        std::vector<std::uint32_t> results;
        for (const base::GateRecord& gate : batch.gates) {
            results.push_back(sum(gate.term_a(batch.operands), gate.offset_a) +
                              sum(gate.term_b(batch.operands), gate.offset_b) +
                              11 * static_cast<std::uint32_t>(gate.bootstraps()));
            state_->bootstraps += static_cast<std::uint64_t>(gate.bootstraps());
        }
        for (std::size_t i = 0; i < results.size(); ++i) slots[batch.gates[i].output].back() = results[i];
        ++state_->batches;
        if (seconds != nullptr) seconds->linear += static_cast<double>(batch.gates.size());
    }
    [[nodiscard]] std::uint32_t full_batch() const noexcept override { return full_batch_; }
    /// One row of n + 1 a bootstrap: the term's first operand's body, low half.
    [[nodiscard]] std::vector<std::uint16_t> probe_switched(const GateBatch& batch,
                                                            const CiphertextPool& pool) const override {
        const HostPool& slots = HostPool::of(pool, *this);
        std::vector<std::uint16_t> rows;
        for (const base::GateRecord& gate : batch.gates) {
            if (gate.bootstraps() == 0) continue;
            const auto operand = gate.term_a(batch.operands).front();
            rows.insert(rows.end(), static_cast<std::size_t>(parameters_.n()) + 1,
                        static_cast<std::uint16_t>(slots[operand.index].back()));
        }
        return rows;
    }
    [[nodiscard]] std::vector<std::uint32_t> probe_accumulators(
        std::span<const std::uint16_t> switched) const override {
        if (switched.size() % (static_cast<std::size_t>(parameters_.n()) + 1) != 0)
            throw Error(ErrorKind::internal, "not whole rows");
        return {switched.begin(), switched.end()};
    }

 private:
    scheme::Parameters parameters_;
    base::KeyId key_id_{};
    std::shared_ptr<FakeState> state_;
    std::uint32_t full_batch_;
};

}  // namespace toroid::backend
