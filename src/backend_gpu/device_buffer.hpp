// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "backend_gpu/platform.hpp"
#include "backend_gpu/rotation/device_check.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_gpu {

/// Makes a device current for the calling thread while it lives, then the one before.
class CurrentDevice {
 public:
    explicit CurrentDevice(int device) {
        TOROID_GPU_CHECK(gpuGetDevice(&before_));
        TOROID_GPU_CHECK(gpuSetDevice(device));
    }
    ~CurrentDevice() { static_cast<void>(gpuSetDevice(before_)); }
    CurrentDevice(const CurrentDevice&) = delete;
    CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
    int before_ = 0;
};

inline std::uint64_t free_device_memory() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    TOROID_GPU_CHECK(gpuMemGetInfo(&free_bytes, &total_bytes));
    return free_bytes;
}
[[noreturn]] inline void refuse_device_memory(std::uint64_t bytes, std::uint64_t free_bytes,
                                              const std::string& what) {
    throw OutOfMemory(what + " needs " + std::to_string(bytes >> 20) + " MiB of device memory, " +
                          std::to_string(free_bytes >> 20) + " MiB are free",
                      bytes, free_bytes);
}

/// Compares need and free memory of the current device before an allocation: OutOfMemory says both.
inline void require_device_memory(std::uint64_t bytes, const std::string& what) {
    const std::uint64_t free_bytes = free_device_memory();
    // The driver keeps some of what it reports free for itself.
    constexpr std::uint64_t reserve = std::uint64_t{64} << 20;
    if (bytes + reserve > free_bytes) refuse_device_memory(bytes, free_bytes, what);
}

/// Owns `count` elements on the device that was current when it was made. Movable.
template <typename T>
class DeviceBuffer {
 public:
    DeviceBuffer() = default;
    DeviceBuffer(std::size_t count, const std::string& what) : count_(count) {
        if (count == 0) return;
        require_device_memory(count * sizeof(T), what);
        void* pointer = nullptr;
        const gpuError_t result = gpuMalloc(&pointer, count * sizeof(T));
        if (result == gpuErrorMemoryAllocation) {
            // Another thread or process was quicker, or the free memory is in pieces.
            static_cast<void>(gpuGetLastError());
            refuse_device_memory(count * sizeof(T), free_device_memory(), what);
        }
        TOROID_GPU_CHECK(result);
        pointer_ = static_cast<T*>(pointer);
    }
    ~DeviceBuffer() {
        if (pointer_ != nullptr) static_cast<void>(gpuFree(static_cast<void*>(pointer_)));
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : pointer_(std::exchange(other.pointer_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(pointer_, other.pointer_);
        std::swap(count_, other.count_);
        return *this;
    }

    [[nodiscard]] T* data() const noexcept { return pointer_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return count_ * sizeof(T); }

    /// Grows to at least `count` elements, dropping the content.
    void reserve(std::size_t count, const std::string& what) {
        if (count <= count_) return;
        *this = DeviceBuffer();  // first, so that both never exist at once
        *this = DeviceBuffer(count, what);
    }

 private:
    T* pointer_ = nullptr;
    std::size_t count_ = 0;
};

/// Enqueues a copy; pageable host memory may be reused when this returns.
template <typename T>
void copy_to_device(T* to, std::span<const T> from, gpuStream_t stream) {
    if (from.empty()) return;
    TOROID_GPU_CHECK(gpuMemcpyAsync(static_cast<void*>(to), static_cast<const void*>(from.data()),
                                    from.size_bytes(), gpuMemcpyHostToDevice, stream));
}
/// Copies and waits.
template <typename T>
void copy_to_host(std::span<T> to, const T* from, gpuStream_t stream) {
    if (to.empty()) return;
    TOROID_GPU_CHECK(gpuMemcpyAsync(static_cast<void*>(to.data()), static_cast<const void*>(from),
                                    to.size_bytes(), gpuMemcpyDeviceToHost, stream));
    TOROID_GPU_CHECK(gpuStreamSynchronize(stream));
}

}  // namespace toroid::backend_gpu
