// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "backend/backend.hpp"
#include "backend_gpu/device_buffer.hpp"
#include "backend_gpu/gate_terms.hpp"
#include "base/byte_stream.hpp"

namespace toroid::backend_gpu {

/// Ciphertext slots in the memory of one device, samples on 16-byte boundaries. Its calls wait for what they
/// start; they do not wait for a stream's work (synchronize the stream first).
class GpuPool final : public backend::CiphertextPool {
 public:
    /// OutOfMemory with need and free.
    GpuPool(const scheme::Parameters& parameters, const base::KeyId& key_id, int device, std::uint32_t slots);

    [[nodiscard]] std::uint32_t slots() const noexcept override { return slots_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override { return words_.bytes(); }
    /// As HostPool: Error(internal) for a bad slot or unequal counts, Error(key_mismatch) for another
    /// dimension.
    void upload(std::span<const std::uint32_t> slots, const scheme::LweArray& samples) override;
    [[nodiscard]] scheme::LweArray download(std::span<const std::uint32_t> slots) const override;
    void set_trivial(std::uint32_t slot, int eighths) override;

    [[nodiscard]] int device() const noexcept { return device_; }
    [[nodiscard]] SampleView view() const noexcept { return {words_.data(), stride_, dimension_}; }

    /// `pool` as a GpuPool of this set, key and device, else Error(key_mismatch) or Error(device).
    [[nodiscard]] static GpuPool& of(backend::CiphertextPool& pool, const backend::LoadedKey& key,
                                     int device);
    [[nodiscard]] static const GpuPool& of(const backend::CiphertextPool& pool, const backend::LoadedKey& key,
                                           int device);

 private:
    void check_slots(std::span<const std::uint32_t> slots) const;

    base::Fingerprint parameters_;
    base::KeyId key_id_;
    int device_;
    std::uint32_t slots_;
    int dimension_;
    std::int64_t stride_;
    DeviceBuffer<std::uint32_t> words_;
};

}  // namespace toroid::backend_gpu
