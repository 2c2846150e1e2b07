// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/pinned_buffer.hpp"

#include <fmt/format.h>

namespace toroid::backend_gpu {

PinnedBuffer::~PinnedBuffer() {
    if (data_ != nullptr) static_cast<void>(gpuFreePinned(data_));
}

void PinnedBuffer::reserve(std::size_t bytes, const std::string& what) {
    if (bytes <= bytes_) return;
    if (data_ != nullptr) TOROID_GPU_CHECK(gpuFreePinned(data_));
    data_ = nullptr;
    bytes_ = 0;
    void* pointer = nullptr;
    const gpuError_t result = gpuAllocatePinned(&pointer, bytes);
    if (result == gpuErrorMemoryAllocation) {
        static_cast<void>(gpuGetLastError());
        throw OutOfMemory(fmt::format("{}: {} KiB of pinned host memory are needed", what, bytes >> 10),
                          bytes, 0);
    }
    TOROID_GPU_CHECK(result);
    data_ = static_cast<std::byte*>(pointer);
    bytes_ = bytes;
}

}  // namespace toroid::backend_gpu
