// SPDX-License-Identifier: Apache-2.0
// Ciphertext slots in ordinary memory, shared by the backends that run on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/backend.hpp"
#include "base/aligned_vector.hpp"
#include "base/byte_stream.hpp"
#include "scheme/parameters.hpp"

namespace toroid::backend {

/// Slots of dimension + 1 torus words, body last, each on a cache line of its own (stride a multiple of 16
/// words; the padding words stay zero). A new slot holds the trivial sample 0. Slots of one pool may be read
/// and distinct slots written from several threads.
class HostPool final : public CiphertextPool {
 public:
    /// Bound to the set and key id, not to an address, so that a reused address never passes for the same
    /// key. OutOfMemory if the memory available now cannot hold it.
    HostPool(const scheme::Parameters& parameters, const base::KeyId& key_id, std::uint32_t slots);

    [[nodiscard]] std::uint32_t slots() const noexcept override { return slots_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override {
        return words_.size() * sizeof(std::uint32_t);
    }
    /// Error(internal) for a bad slot or unequal counts, Error(key_mismatch) for samples of another
    /// dimension.
    void upload(std::span<const std::uint32_t> slots, const scheme::LweArray& samples) override;
    [[nodiscard]] scheme::LweArray download(std::span<const std::uint32_t> slots) const override;
    void set_trivial(std::uint32_t slot, int eighths) override;

    /// Dimension of a sample: the set's wire dimension.
    [[nodiscard]] int dimension() const noexcept { return dimension_; }
    /// Words from one slot to the next.
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    /// The dimension + 1 words of a slot; unchecked.
    [[nodiscard]] std::span<std::uint32_t> operator[](std::uint32_t slot) noexcept {
        return {words_.data() + slot * stride_, static_cast<std::size_t>(dimension_) + 1};
    }
    [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t slot) const noexcept {
        return {words_.data() + slot * stride_, static_cast<std::size_t>(dimension_) + 1};
    }

    /// `pool` as a HostPool of this set and key, else Error(key_mismatch).
    [[nodiscard]] static HostPool& of(CiphertextPool& pool, const LoadedKey& key);
    [[nodiscard]] static const HostPool& of(const CiphertextPool& pool, const LoadedKey& key);

 private:
    void check_slot(std::uint32_t slot) const;

    base::Fingerprint parameters_;
    base::KeyId key_id_;
    std::uint32_t slots_;
    int dimension_;
    std::size_t stride_;
    base::AlignedVector<std::uint32_t> words_;
};

}  // namespace toroid::backend
