// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/gpu_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "backend_gpu/sample_kernels.hpp"
#include "math/torus.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_gpu {
namespace {

/// Samples that travel at once: bounds the staging memory of both sides.
constexpr std::size_t staged_samples = 4096;
/// Everything a pool does by itself runs on the device's default stream.
constexpr gpuStream_t default_stream = nullptr;

}  // namespace

GpuPool::GpuPool(const scheme::Parameters& parameters, const base::KeyId& key_id, int device,
                 std::uint32_t slots)
    : parameters_(parameters.fingerprint()),
      key_id_(key_id),
      device_(device),
      slots_(slots),
      dimension_(parameters.wire_dimension()),
      stride_((dimension_ + 1 + 3) / 4 * 4) {
    const CurrentDevice current(device_);
    words_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(slots) * static_cast<std::size_t>(stride_),
                                         fmt::format("a pool of {} ciphertexts", slots));
    if (words_.count() == 0) return;
    TOROID_GPU_CHECK(gpuMemsetAsync(static_cast<void*>(words_.data()), 0, words_.bytes(), default_stream));
    TOROID_GPU_CHECK(gpuStreamSynchronize(default_stream));
}

void GpuPool::check_slots(std::span<const std::uint32_t> slots) const {
    for (const std::uint32_t slot : slots) {
        if (slot >= slots_)
            throw Error(ErrorKind::internal, fmt::format("ciphertext slot {} of a pool of {}", slot, slots_));
    }
}

void GpuPool::upload(std::span<const std::uint32_t> slots, const scheme::LweArray& samples) {
    if (slots.size() != samples.count()) {
        throw Error(ErrorKind::internal,
                    fmt::format("{} ciphertexts uploaded into {} slots", samples.count(), slots.size()));
    }
    if (slots.empty()) return;
    if (samples.dimension() != dimension_) {
        throw Error(
            ErrorKind::key_mismatch,
            fmt::format("ciphertexts of dimension {} do not belong to a key whose ciphertexts have {}",
                        samples.dimension(), dimension_));
    }
    check_slots(slots);
    const CurrentDevice current(device_);
    const std::size_t width = static_cast<std::size_t>(dimension_) + 1;
    const std::size_t most = std::min(slots.size(), staged_samples);
    DeviceBuffer<std::uint32_t> staged(most * width, "uploading ciphertexts");
    DeviceBuffer<std::uint32_t> index(most, "uploading ciphertexts");
    for (std::size_t first = 0; first < slots.size(); first += most) {
        const std::size_t count = std::min(most, slots.size() - first);
        // An LweArray's samples are adjacent.
        copy_to_device(staged.data(), std::span(samples[first].data(), count * width), default_stream);
        copy_to_device(index.data(), slots.subspan(first, count), default_stream);
        launch_scatter({staged.data(), static_cast<std::int64_t>(width), dimension_}, index.data(),
                       static_cast<int>(count), view(), default_stream);
        TOROID_GPU_CHECK(gpuStreamSynchronize(default_stream));
    }
}

scheme::LweArray GpuPool::download(std::span<const std::uint32_t> slots) const {
    scheme::LweArray out(slots.size(), dimension_);
    if (slots.empty()) return out;
    check_slots(slots);
    const CurrentDevice current(device_);
    const std::size_t width = static_cast<std::size_t>(dimension_) + 1;
    const std::size_t most = std::min(slots.size(), staged_samples);
    DeviceBuffer<std::uint32_t> staged(most * width, "downloading ciphertexts");
    DeviceBuffer<std::uint32_t> index(most, "downloading ciphertexts");
    for (std::size_t first = 0; first < slots.size(); first += most) {
        const std::size_t count = std::min(most, slots.size() - first);
        copy_to_device(index.data(), slots.subspan(first, count), default_stream);
        launch_gather(view(), index.data(), static_cast<int>(count),
                      {staged.data(), static_cast<std::int64_t>(width), dimension_}, default_stream);
        copy_to_host(std::span(out[first].data(), count * width),
                     static_cast<const std::uint32_t*>(staged.data()), default_stream);
    }
    return out;
}

void GpuPool::set_trivial(std::uint32_t slot, int eighths) {
    check_slots(std::span(&slot, 1));
    const CurrentDevice current(device_);
    std::uint32_t* const sample = words_.data() + slot * stride_;
    const std::uint32_t body = math::from_eighths(eighths);
    TOROID_GPU_CHECK(gpuMemsetAsync(static_cast<void*>(sample), 0,
                                    static_cast<std::size_t>(stride_) * sizeof(body), default_stream));
    copy_to_device(sample + dimension_, std::span(&body, 1), default_stream);
    TOROID_GPU_CHECK(gpuStreamSynchronize(default_stream));
}

GpuPool& GpuPool::of(backend::CiphertextPool& pool, const backend::LoadedKey& key, int device) {
    auto* own = dynamic_cast<GpuPool*>(&pool);
    if (own == nullptr)
        throw Error(ErrorKind::key_mismatch, "the ciphertext pool belongs to another backend");
    if (own->parameters_ != key.parameters().fingerprint() || own->key_id_ != key.key_id()) {
        throw Error(ErrorKind::key_mismatch, fmt::format("the ciphertext pool belongs to key {}, not to {}",
                                                         base::hex(own->key_id_), base::hex(key.key_id())));
    }
    if (own->device_ != device) {
        throw Error(ErrorKind::device,
                    fmt::format("the ciphertext pool lives on device {}, the key on device {}", own->device_,
                                device));
    }
    return *own;
}

const GpuPool& GpuPool::of(const backend::CiphertextPool& pool, const backend::LoadedKey& key, int device) {
    return of(const_cast<backend::CiphertextPool&>(pool), key, device);
}

}  // namespace toroid::backend_gpu
