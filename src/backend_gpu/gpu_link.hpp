// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "backend/backend.hpp"
#include "backend_gpu/device_buffer.hpp"
#include "backend_gpu/pinned_buffer.hpp"

namespace toroid::backend_gpu {

/// Samples from one card to another, or to another pool on the same card:
///     from_stream:  gather slots -> outgoing [-> pinned host memory]
///     to_stream:    outgoing or host memory -> incoming -> scatter to slots
/// Between cards that cannot read each other's memory, and where peer access is not wanted, by way of the
/// host. Nothing waits on the host but for a buffer that must grow.
class GpuLink final : public backend::Link {
 public:
    GpuLink(int from, int to, bool peer_access);
    ~GpuLink() override;

    void copy(std::span<const std::uint32_t> slots, const backend::CiphertextPool& from,
              backend::Stream& from_stream, backend::CiphertextPool& to, backend::Stream& to_stream) override;
    [[nodiscard]] bool through_host() const noexcept override { return !direct_; }

 private:
    void reserve(std::size_t samples, std::size_t width);
    /// Enqueues the way into incoming_.
    void fetch(std::size_t bytes, gpuStream_t stream);

    int from_;
    int to_;
    bool direct_;
    DeviceBuffer<std::uint32_t> from_index_;
    DeviceBuffer<std::uint32_t> outgoing_;
    DeviceBuffer<std::uint32_t> to_index_;
    DeviceBuffer<std::uint32_t> incoming_;
    PinnedBuffer host_;
    GpuEvent gathered_;  ///< of from_: the samples may be fetched
    GpuEvent received_;  ///< of to_: outgoing_ and host_ may be overwritten
};

/// Whether `device` can read the memory of `other`, made so if it can.
[[nodiscard]] bool enable_peer_access(int device, int other);

}  // namespace toroid::backend_gpu
