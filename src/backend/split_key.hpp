// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/batch_assignment.hpp"
#include "backend/split_pool.hpp"
#include "base/thread_pool.hpp"

namespace toroid::backend {

/// One evaluation key on one of several devices.
struct KeyPart {
    std::string name;  ///< of the device, for reports
    std::unique_ptr<LoadedKey> key;
};

/// An evaluation key on several devices, or several times on one, as a key on one device: a batch is divided
/// (assign_batch), ciphertexts that one device reads and another holds are copied between the two, and each
/// device evaluates its gates, with a thread of its own to give them to it. What a device made or was given
/// stays there. Knows no kind of device.
///
/// A batch that fails on one device leaves the key, the pool and the stream usable: the batch's own output
/// slots may then hold anything, all others are as before.
class SplitKey final : public LoadedKey {
 public:
    /// One to most_devices parts, all of the same evaluation key. least_share as for assign_batch.
    explicit SplitKey(std::vector<KeyPart> parts, std::uint32_t least_share = 0);

    [[nodiscard]] const scheme::Parameters& parameters() const noexcept override {
        return parts_.front().key->parameters();
    }
    [[nodiscard]] const base::KeyId& key_id() const noexcept override { return parts_.front().key->key_id(); }
    /// Of all devices together, as are full batches.
    [[nodiscard]] std::uint64_t bytes() const noexcept override;
    [[nodiscard]] std::unique_ptr<CiphertextPool> make_pool(std::uint32_t slots) const override;
    [[nodiscard]] std::unique_ptr<Stream> make_stream() const override;
    void evaluate(const GateBatch& batch, CiphertextPool& pool, Stream& stream,
                  StepSeconds* seconds) const override;
    [[nodiscard]] std::uint32_t full_batch() const noexcept override;
    /// Each device probes its share of the batch's gates, or of the rows, in turn.
    [[nodiscard]] std::vector<std::uint16_t> probe_switched(const GateBatch& batch,
                                                            const CiphertextPool& pool) const override;
    [[nodiscard]] std::vector<std::uint32_t> probe_accumulators(
        std::span<const std::uint16_t> switched) const override;

 private:
    class SplitStream;
    struct Share;

    [[nodiscard]] unsigned devices() const noexcept { return static_cast<unsigned>(parts_.size()); }
    void send(const BatchAssignment& assignment, SplitPool& pool, SplitStream& stream) const;
    void run(std::span<Share> shares, SplitPool& pool, SplitStream& stream, StepSeconds* seconds) const;

    std::vector<KeyPart> parts_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> full_batches_;
    std::uint32_t least_share_;
    std::unique_ptr<base::ThreadPool> threads_;  ///< one a device
};

}  // namespace toroid::backend
