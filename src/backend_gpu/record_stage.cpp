// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/record_stage.hpp"

namespace toroid::backend_gpu {

void RecordStage::begin(std::size_t bytes, const std::string& what) {
    now_ = 1 - now_;
    used_ = 0;
    TOROID_GPU_CHECK(gpuEventSynchronize(places_[now_].sent.handle()));
    places_[now_].host.reserve(bytes, what);
    device_.reserve(bytes, what);
}

void RecordStage::send(gpuStream_t stream) {
    copy_to_device(device_.data(), std::span<const std::byte>(places_[now_].host.data(), used_), stream);
    TOROID_GPU_CHECK(gpuEventRecord(places_[now_].sent.handle(), stream));
}

}  // namespace toroid::backend_gpu
