// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/gpu_link.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend_gpu/gpu_pool.hpp"
#include "backend_gpu/gpu_stream.hpp"
#include "backend_gpu/sample_kernels.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_gpu {
namespace {

/// Samples that travel at once: bounds the memory of both sides.
constexpr std::size_t staged_samples = 4096;

const GpuPool& pool_on(const backend::CiphertextPool& pool, int device) {
    const auto* own = dynamic_cast<const GpuPool*>(&pool);
    if (own == nullptr || own->device() != device) {
        throw Error(ErrorKind::device, fmt::format("the ciphertext pool does not live on GPU {}", device));
    }
    return *own;
}

}  // namespace

bool enable_peer_access(int device, int other) {
    int possible = 0;
    TOROID_GPU_CHECK(gpuDeviceCanAccessPeer(&possible, device, other));
    if (possible == 0) return false;
    const CurrentDevice current(device);
    const gpuError_t result = gpuDeviceEnablePeerAccess(other, 0U);
    if (result == gpuSuccess) return true;
    // Either an earlier link did it, or the card has no room for one more peer.
    static_cast<void>(gpuGetLastError());
    return result == gpuErrorPeerAccessAlreadyEnabled;
}

GpuLink::GpuLink(int from, int to, bool peer_access)
    : from_(from),
      to_(to),
      direct_(peer_access && (from == to || enable_peer_access(to, from))),
      gathered_(from),
      received_(to) {}

GpuLink::~GpuLink() {
    // What was enqueued still uses the buffers.
    static_cast<void>(gpuEventSynchronize(received_.handle()));
}

void GpuLink::reserve(std::size_t samples, std::size_t width) {
    if (samples * width > outgoing_.count() || samples > from_index_.count()) {
        TOROID_GPU_CHECK(gpuEventSynchronize(received_.handle()));
    }
    const std::string what = fmt::format("sending {} ciphertexts to another device", samples);
    {
        const CurrentDevice current(from_);
        from_index_.reserve(samples, what);
        outgoing_.reserve(samples * width, what);
    }
    const CurrentDevice current(to_);
    to_index_.reserve(samples, what);
    incoming_.reserve(samples * width, what);
    if (!direct_)
        host_.reserve(samples * width * sizeof(std::uint32_t), "ciphertexts on their way between GPUs");
}

void GpuLink::copy(std::span<const std::uint32_t> slots, const backend::CiphertextPool& from,
                   backend::Stream& from_stream, backend::CiphertextPool& to, backend::Stream& to_stream) {
    const SampleView source = pool_on(from, from_).view();
    const SampleView target = pool_on(to, to_).view();
    const gpuStream_t source_stream = GpuStream::of(from_stream, from_).handle();
    const gpuStream_t target_stream = GpuStream::of(to_stream, to_).handle();
    const auto width = static_cast<std::size_t>(source.stride);
    const std::size_t most = std::min(slots.size(), staged_samples);
    reserve(most, width);
    const SampleView outgoing{outgoing_.data(), source.stride, source.dimension};
    const SampleView incoming{incoming_.data(), source.stride, source.dimension};
    for (std::size_t first = 0; first < slots.size(); first += most) {
        const std::size_t count = std::min(most, slots.size() - first);
        const std::size_t bytes = count * width * sizeof(std::uint32_t);
        {
            const CurrentDevice current(from_);
            TOROID_GPU_CHECK(gpuStreamWaitEvent(source_stream, received_.handle(), 0U));
            copy_to_device(from_index_.data(), slots.subspan(first, count), source_stream);
            launch_gather(source, from_index_.data(), static_cast<int>(count), outgoing, source_stream);
            if (!direct_) {
                TOROID_GPU_CHECK(gpuMemcpyAsync(static_cast<void*>(host_.data()),
                                                static_cast<const void*>(outgoing_.data()), bytes,
                                                gpuMemcpyDeviceToHost, source_stream));
            }
            TOROID_GPU_CHECK(gpuEventRecord(gathered_.handle(), source_stream));
        }
        const CurrentDevice current(to_);
        TOROID_GPU_CHECK(gpuStreamWaitEvent(target_stream, received_.handle(), 0U));
        copy_to_device(to_index_.data(), slots.subspan(first, count), target_stream);
        TOROID_GPU_CHECK(gpuStreamWaitEvent(target_stream, gathered_.handle(), 0U));
        fetch(bytes, target_stream);
        launch_scatter(incoming, to_index_.data(), static_cast<int>(count), target, target_stream);
        TOROID_GPU_CHECK(gpuEventRecord(received_.handle(), target_stream));
    }
}

void GpuLink::fetch(std::size_t bytes, gpuStream_t stream) {
    void* const into = incoming_.data();
    if (!direct_) {
        TOROID_GPU_CHECK(gpuMemcpyAsync(into, static_cast<const void*>(host_.data()), bytes,
                                        gpuMemcpyHostToDevice, stream));
    } else if (from_ == to_) {
        TOROID_GPU_CHECK(gpuMemcpyAsync(into, static_cast<const void*>(outgoing_.data()), bytes,
                                        gpuMemcpyDeviceToDevice, stream));
    } else {
        TOROID_GPU_CHECK(
            gpuMemcpyPeerAsync(into, to_, static_cast<const void*>(outgoing_.data()), from_, bytes, stream));
    }
}

}  // namespace toroid::backend_gpu
