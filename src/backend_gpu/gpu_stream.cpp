// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/gpu_stream.hpp"

#include <fmt/format.h>

#include "toroid/error.hpp"

namespace toroid::backend_gpu {

GpuStream::GpuStream(int device) : records(device), device_(device) {
    const CurrentDevice current(device_);
    TOROID_GPU_CHECK(gpuStreamCreate(&handle_));
}

GpuStream::~GpuStream() {
    // The scratch goes right after this: nothing may still use it.
    static_cast<void>(gpuStreamSynchronize(handle_));
    static_cast<void>(gpuStreamDestroy(handle_));
}

void GpuStream::synchronize() {
    const CurrentDevice current(device_);
    TOROID_GPU_CHECK(gpuStreamSynchronize(handle_));
}

GpuStream& GpuStream::of(backend::Stream& stream, int device) {
    auto* own = dynamic_cast<GpuStream*>(&stream);
    if (own == nullptr || own->device_ != device) {
        throw Error(ErrorKind::device, fmt::format("the stream does not belong to GPU {}", device));
    }
    return *own;
}

StepTimer::StepTimer(backend::StepSeconds* seconds, gpuStream_t stream) : seconds_(seconds), stream_(stream) {
    if (seconds_ == nullptr) return;
    for (gpuEvent_t& event : events_) TOROID_GPU_CHECK(gpuEventCreate(&event));
}

StepTimer::~StepTimer() {
    if (seconds_ == nullptr) return;
    for (const gpuEvent_t event : events_) static_cast<void>(gpuEventDestroy(event));
}

double StepTimer::elapsed() {
    TOROID_GPU_CHECK(gpuEventRecord(events_[1], stream_));
    TOROID_GPU_CHECK(gpuEventSynchronize(events_[1]));
    float milliseconds = 0;
    TOROID_GPU_CHECK(gpuEventElapsedTime(&milliseconds, events_[0], events_[1]));
    return static_cast<double>(milliseconds) / 1000;
}

}  // namespace toroid::backend_gpu
