// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/gpu_backend.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "backend_gpu/built_code.hpp"
#include "backend_gpu/gpu_key.hpp"
#include "backend_gpu/key_switch.hpp"
#include "base/thread_pool.hpp"
#include "scheme/cost_model.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_gpu {
namespace {

#ifdef TOROID_GPU_HIP
constexpr std::string_view backend_name = "hip";
#else
constexpr std::string_view backend_name = "cuda";
#endif

/// A full gate takes this many times the floor of its multiply-adds at full batches (docs/performance.md).
constexpr double measured_over_floor = 2.0;
/// FP64 multiply-adds a clock and multiprocessor of the cards this is tuned for (docs/performance.md).
constexpr double multiply_adds_a_clock = 64;

constexpr int first_device = 0;

std::string absence_reason() {
    int count = 0;
    if (const gpuError_t result = gpuGetDeviceCount(&count); result != gpuSuccess) {
        static_cast<void>(gpuGetLastError());  // so that no later call reports it again
        return fmt::format("the {} runtime reports: {}", backend_name, gpuGetErrorString(result));
    }
    if (count == 0) return fmt::format("the {} runtime reports no device", backend_name);
    gpuDeviceProp properties;
    if (const gpuError_t result = gpuGetDeviceProperties(&properties, first_device); result != gpuSuccess)
        return fmt::format("the {} runtime reports: {}", backend_name, gpuGetErrorString(result));
    const CurrentDevice current(first_device);
    if (const gpuError_t result = probe_built_code(); result != gpuSuccess) {
        static_cast<void>(gpuGetLastError());
        return fmt::format("{} (compute capability {}.{}) cannot run the code that was built: {}",
                           properties.name, properties.major, properties.minor, gpuGetErrorString(result));
    }
    return {};
}

class GpuBackend final : public backend::Backend {
 public:
    GpuBackend(int device, unsigned threads)
        : device_(device), pool_(std::make_unique<base::ThreadPool>(threads)) {
        TOROID_GPU_CHECK(gpuGetDeviceProperties(&properties_, device_));
    }

    [[nodiscard]] std::string_view name() const noexcept override { return backend_name; }
    [[nodiscard]] std::string description() const override {
        return fmt::format("{} device {}: {}, compute capability {}.{}, {} MiB, FP64 transform", backend_name,
                           device_, properties_.name, properties_.major, properties_.minor,
                           properties_.totalGlobalMem >> 20);
    }
    [[nodiscard]] std::string unsupported_reason(const scheme::Parameters& parameters) const override {
        if (parameters.literal().method != scheme::Method::cggi) return "the GPU engine knows CGGI only";
        if (parameters.literal().torus_bits != 32) return "the GPU engine knows the 32-bit torus only";
        if (std::string reason = KeySwitchSizes(parameters).unsupported_reason(); !reason.empty())
            return reason;
        return Rotation::unsupported_reason(rotation_sizes(parameters), rotation_limits(properties_));
    }
    [[nodiscard]] double seconds_per_bootstrap(const scheme::Parameters& parameters) const override {
        int kilohertz = 0;
        TOROID_GPU_CHECK(gpuClockRate(&kilohertz, device_));
        const double rate = multiply_adds_a_clock * properties_.multiProcessorCount * kilohertz * 1e3;
        return measured_over_floor * scheme::CostModel(parameters).blind_rotation_fma / rate;
    }
    [[nodiscard]] std::unique_ptr<backend::LoadedKey> load(const scheme::EvaluationKey& key) const override {
        if (const std::string reason = unsupported_reason(key.parameters()); !reason.empty())
            throw Error(ErrorKind::parameters, reason);
        return std::make_unique<GpuKey>(key, device_, *pool_);
    }

 private:
    int device_;
    gpuDeviceProp properties_;
    std::unique_ptr<base::ThreadPool> pool_;  // builds the loaded key
};

}  // namespace

backend::BackendEntry entry() {
    return {.name = backend_name,
            .absence_reason = absence_reason,
            .make = [](const backend::BackendOptions& options) -> std::unique_ptr<backend::Backend> {
                if (const std::string reason = absence_reason(); !reason.empty())
                    throw Error(ErrorKind::device, reason);
                if (options.transform == backend::Transform::ntt) {
                    throw Error(ErrorKind::device, "the GPU engine has no kernels for transform ntt");
                }
                return std::make_unique<GpuBackend>(first_device, options.threads);
            }};
}

}  // namespace toroid::backend_gpu
