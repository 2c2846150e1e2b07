// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/device_list.hpp"

#include <fmt/format.h>

#include "backend_gpu/built_code.hpp"
#include "backend_gpu/device_buffer.hpp"
#include "backend_gpu/rotation/packed_kernels.hpp"

namespace toroid::backend_gpu {
namespace {

/// What the runtime says to the question for the number of cards.
gpuError_t count_devices(int& count) {
    const gpuError_t result = gpuGetDeviceCount(&count);
    if (result != gpuSuccess) {
        static_cast<void>(gpuGetLastError());  // so that no later call reports it again
        count = 0;
    }
    return result;
}

std::vector<std::string> compiled_shapes(int shared_bytes) {
    std::vector<std::string> shapes;
    for (const PackedKernel& kernel : packed_kernels()) {
        if (kernel.shared_bytes > shared_bytes) continue;
        std::string shape = fmt::format("N=512 k=2, {}+{} levels, block {}", kernel.mask_levels,
                                        kernel.body_levels, kernel.block);
        // One shape has several instances.
        if (shapes.empty() || shapes.back() != shape) shapes.push_back(std::move(shape));
    }
    return shapes;
}

}  // namespace

std::string_view backend_name() noexcept {
#ifdef TOROID_GPU_HIP
    return "hip";
#else
    return "cuda";
#endif
}

Vendor vendor() noexcept {
#ifdef TOROID_GPU_HIP
    return Vendor::amd;
#else
    return Vendor::nvidia;
#endif
}

std::vector<backend::DeviceInfo> device_list() {
    int count = 0;
    static_cast<void>(count_devices(count));
    std::vector<backend::DeviceInfo> found;
    for (int device = 0; device < count; ++device) {
        gpuDeviceProp properties;
        TOROID_GPU_CHECK(gpuGetDeviceProperties(&properties, device));
        const TransformChoice choice =
            choose_transform(backend::Transform::automatic, vendor(), properties.major, properties.minor);
        found.push_back(
            {.index = device,
             .name = properties.name,
             .architecture = fmt::format("compute capability {}.{}", properties.major, properties.minor),
             .memory_bytes = properties.totalGlobalMem,
             .transform = std::string(backend::transform_name(choice.transform)),
             .transform_reason = choice.reason,
             .shapes = compiled_shapes(shared_memory_limit(properties))});
    }
    return found;
}

std::string unusable_reason(int device) {
    gpuDeviceProp properties;
    if (const gpuError_t result = gpuGetDeviceProperties(&properties, device); result != gpuSuccess) {
        static_cast<void>(gpuGetLastError());
        return fmt::format("the {} runtime reports: {}", backend_name(), gpuGetErrorString(result));
    }
    int before = 0;
    static_cast<void>(gpuGetDevice(&before));
    gpuError_t result = gpuSetDevice(device);
    if (result == gpuSuccess) result = probe_built_code();
    if (result != gpuSuccess) static_cast<void>(gpuGetLastError());
    static_cast<void>(gpuSetDevice(before));
    if (result == gpuSuccess) return {};
    return fmt::format("{} (compute capability {}.{}) cannot run the code that was built: {}",
                       properties.name, properties.major, properties.minor, gpuGetErrorString(result));
}

int first_usable_device() {
    int count = 0;
    static_cast<void>(count_devices(count));
    for (int device = 0; device < count; ++device) {
        if (unusable_reason(device).empty()) return device;
    }
    return -1;
}

std::string absence_reason() {
    int count = 0;
    if (const gpuError_t result = count_devices(count); result != gpuSuccess) {
        return fmt::format("the {} runtime reports: {}", backend_name(), gpuGetErrorString(result));
    }
    if (count == 0) return fmt::format("the {} runtime reports no device", backend_name());
    std::string reasons;
    for (int device = 0; device < count; ++device) {
        const std::string reason = unusable_reason(device);
        if (reason.empty()) return {};
        reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    return reasons;
}

}  // namespace toroid::backend_gpu
