// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "backend/backend.hpp"

namespace toroid::tests {

/// A device without cryptography: evaluates records on the bodies of trivial samples, exactly as the record's
/// definition says, operands first. Batches that break a rule of GateBatch are refused as everywhere.
class PlainKey final : public backend::LoadedKey {
 public:
    explicit PlainKey(std::uint32_t full_batch = 1);
    [[nodiscard]] const scheme::Parameters& parameters() const noexcept override { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept override { return key_id_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override { return 0; }
    [[nodiscard]] std::unique_ptr<backend::CiphertextPool> make_pool(std::uint32_t slots) const override;
    [[nodiscard]] std::unique_ptr<backend::Stream> make_stream() const override;
    void evaluate(const backend::GateBatch& batch, backend::CiphertextPool& pool, backend::Stream& stream,
                  backend::StepSeconds* seconds) const override;
    [[nodiscard]] std::uint32_t full_batch() const noexcept override { return full_batch_; }
    [[nodiscard]] std::vector<std::uint16_t> probe_switched(const backend::GateBatch&,
                                                            const backend::CiphertextPool&) const override;
    [[nodiscard]] std::vector<std::uint32_t> probe_accumulators(
        std::span<const std::uint16_t>) const override;

    /// Most bootstraps of a batch so far.
    mutable std::atomic<std::uint32_t> largest_batch = 0;

 private:
    scheme::Parameters parameters_;
    base::KeyId key_id_{};
    std::uint32_t full_batch_;
};

}  // namespace toroid::tests
