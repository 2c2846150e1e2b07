// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "backend_gpu/device_buffer.hpp"

namespace toroid::backend_gpu {

/// An event of a device, without timing.
class GpuEvent {
 public:
    explicit GpuEvent(int device) {
        const CurrentDevice current(device);
        TOROID_GPU_CHECK(gpuEventCreateWithFlags(&handle_, gpuEventDisableTiming));
    }
    ~GpuEvent() { static_cast<void>(gpuEventDestroy(handle_)); }
    GpuEvent(const GpuEvent&) = delete;
    GpuEvent& operator=(const GpuEvent&) = delete;

    [[nodiscard]] gpuEvent_t handle() const noexcept { return handle_; }

 private:
    gpuEvent_t handle_{};
};

/// Host memory that devices read and write while the host goes on.
class PinnedBuffer {
 public:
    PinnedBuffer() = default;
    ~PinnedBuffer();
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    /// Grows to at least `bytes`, dropping the content. OutOfMemory says `what` needs them.
    void reserve(std::size_t bytes, const std::string& what);

 private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace toroid::backend_gpu
