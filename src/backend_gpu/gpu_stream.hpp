// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backend/backend.hpp"
#include "backend_gpu/device_buffer.hpp"
#include "backend_gpu/key_switch.hpp"
#include "backend_gpu/record_stage.hpp"

namespace toroid::backend_gpu {

/// A device stream and the scratch memory of the batches on it: kept between batches, so that a batch
/// allocates nothing once the largest has been seen. Batches of one stream follow each other, so they share
/// it.
class GpuStream final : public backend::Stream {
 public:
    explicit GpuStream(int device);
    ~GpuStream() override;
    GpuStream(const GpuStream&) = delete;
    GpuStream& operator=(const GpuStream&) = delete;

    void synchronize() override;

    [[nodiscard]] gpuStream_t handle() const noexcept { return handle_; }
    [[nodiscard]] int device() const noexcept { return device_; }
    /// `stream` as a GpuStream of this device, else Error(device).
    [[nodiscard]] static GpuStream& of(backend::Stream& stream, int device);

    RecordStage records;
    DeviceBuffer<std::uint16_t> switched;
    DeviceBuffer<std::uint32_t> extracted;  ///< samples of blind rotations
    DeviceBuffer<std::uint32_t> linear;     ///< results of linear gates until they are written
    KeySwitchScratch key_switch;

 private:
    int device_;
    gpuStream_t handle_ = nullptr;
};

/// Times the steps of a batch by events on its stream.
class StepTimer {
 public:
    /// seconds may be null: then nothing is recorded.
    StepTimer(backend::StepSeconds* seconds, gpuStream_t stream);
    ~StepTimer();
    StepTimer(const StepTimer&) = delete;
    StepTimer& operator=(const StepTimer&) = delete;

    /// Waits for what `work` enqueued and adds its time to one step.
    template <typename Work>
    void time(double backend::StepSeconds::*step, const Work& work) {
        if (seconds_ == nullptr) return work();
        TOROID_GPU_CHECK(gpuEventRecord(events_[0], stream_));
        work();
        seconds_->*step += elapsed();
    }

 private:
    [[nodiscard]] double elapsed();
    backend::StepSeconds* seconds_;
    gpuStream_t stream_;
    std::array<gpuEvent_t, 2> events_{};
};

}  // namespace toroid::backend_gpu
