// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "backend_gpu/pinned_buffer.hpp"

namespace toroid::backend_gpu {

/// A batch's records on their way to the device: put side by side into pinned host memory, so that one copy
/// takes them all and the host need not wait for it. Two places in turn: one is filled while the other is
/// under way.
class RecordStage {
 public:
    explicit RecordStage(int device) : places_{Place(device), Place(device)} {}

    /// Begins the next batch, of at most `bytes`, each array padded to `alignment`.
    void begin(std::size_t bytes, const std::string& what);
    /// Adds an array; where it will be on the device.
    template <typename T>
    const T* add(std::span<const T> records) {
        const std::size_t at = used_;
        used_ += padded(records.size_bytes());
        if (!records.empty())
            std::memcpy(places_[now_].host.data() + at, records.data(), records.size_bytes());
        return reinterpret_cast<const T*>(device_.data() + at);
    }
    /// Enqueues the copy.
    void send(gpuStream_t stream);

    [[nodiscard]] static constexpr std::size_t padded(std::size_t bytes) {
        return (bytes + alignment - 1) / alignment * alignment;
    }

 private:
    static constexpr std::size_t alignment = 16;
    struct Place {
        explicit Place(int device) : sent(device) {}
        PinnedBuffer host;
        GpuEvent sent;
    };
    std::array<Place, 2> places_;
    std::size_t now_ = 0;
    std::size_t used_ = 0;
    DeviceBuffer<std::byte> device_;
};

}  // namespace toroid::backend_gpu
