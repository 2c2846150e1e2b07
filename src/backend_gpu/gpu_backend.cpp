// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/gpu_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "backend_gpu/device_list.hpp"
#include "backend_gpu/gpu_key.hpp"
#include "backend_gpu/key_switch.hpp"
#include "backend_gpu/rotation/transform_choice.hpp"
#include "base/thread_pool.hpp"
#include "scheme/cost_model.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_gpu {
namespace {

/// A full gate takes this many times the floor of its multiply-adds at full batches (docs/performance.md).
constexpr double measured_over_floor = 2.0;
/// The same for the exact transform, whose integer operations replace the multiply-adds.
constexpr double exact_over_floor = 24.0;
/// FP64 multiply-adds a clock and multiprocessor of the cards this is tuned for (docs/performance.md).
constexpr double multiply_adds_a_clock = 64;

/// TOROID_GPU_PEER_ACCESS=on|off; unset: on.
bool peer_access_by_environment() {
    const char* const text = std::getenv("TOROID_GPU_PEER_ACCESS");
    const std::string_view value = text == nullptr ? "on" : text;
    if (value != "on" && value != "off") {
        throw Error(ErrorKind::usage, fmt::format("TOROID_GPU_PEER_ACCESS is '{}', not on or off", value));
    }
    return value == "on";
}

class GpuBackend final : public backend::Backend {
 public:
    GpuBackend(int device, const backend::BackendOptions& options)
        : device_(device),
          peer_access_(peer_access_by_environment()),
          pool_(std::make_unique<base::ThreadPool>(options.threads)) {
        TOROID_GPU_CHECK(gpuGetDeviceProperties(&properties_, device_));
        choice_ = choose_transform(options.transform, vendor(), properties_.major, properties_.minor);
    }

    [[nodiscard]] std::string_view name() const noexcept override { return backend_name(); }
    [[nodiscard]] std::string description() const override {
        return fmt::format("{} device {}: {}, compute capability {}.{}, {} MiB, {}", backend_name(), device_,
                           properties_.name, properties_.major, properties_.minor,
                           properties_.totalGlobalMem >> 20, choice_.reason);
    }
    [[nodiscard]] std::string unsupported_reason(const scheme::Parameters& parameters) const override {
        if (parameters.literal().method != scheme::Method::cggi) return "the GPU engine knows CGGI only";
        if (parameters.literal().torus_bits != 32) return "the GPU engine knows the 32-bit torus only";
        if (std::string reason = KeySwitchSizes(parameters).unsupported_reason(); !reason.empty())
            return reason;
        return Rotation::unsupported_reason(rotation_sizes(parameters), rotation_limits(properties_),
                                            choice_.transform);
    }
    [[nodiscard]] double seconds_per_bootstrap(const scheme::Parameters& parameters) const override {
        int kilohertz = 0;
        TOROID_GPU_CHECK(gpuClockRate(&kilohertz, device_));
        const double rate = multiply_adds_a_clock * properties_.multiProcessorCount * kilohertz * 1e3;
        const double over_floor =
            choice_.transform == backend::Transform::ntt ? exact_over_floor : measured_over_floor;
        return over_floor * scheme::CostModel(parameters).blind_rotation_fma / rate;
    }
    /// Up to half a full batch takes a quarter to two thirds of its time (docs/performance.md).
    [[nodiscard]] std::uint32_t parallel_width(const scheme::Parameters& parameters) const override {
        const CurrentDevice current(device_);
        const Rotation rotation(rotation_sizes(parameters), rotation_limits(properties_), choice_.transform);
        return static_cast<std::uint32_t>(
            std::max(properties_.multiProcessorCount, rotation.full_batch() / 2));
    }
    [[nodiscard]] std::unique_ptr<backend::LoadedKey> load(const scheme::EvaluationKey& key) const override {
        if (const std::string reason = unsupported_reason(key.parameters()); !reason.empty())
            throw Error(ErrorKind::parameters, reason);
        return std::make_unique<GpuKey>(key, device_, choice_.transform, *pool_, peer_access_);
    }

 private:
    int device_;
    bool peer_access_;
    gpuDeviceProp properties_;
    TransformChoice choice_;
    std::unique_ptr<base::ThreadPool> pool_;  // builds the loaded key
};

}  // namespace

backend::BackendEntry entry() {
    return {.name = backend_name(),
            .absence_reason = absence_reason,
            .make = [](const backend::BackendOptions& options) -> std::unique_ptr<backend::Backend> {
                const int device = options.device >= 0 ? options.device : first_usable_device();
                if (device < 0) throw Error(ErrorKind::device, absence_reason());
                if (const std::string reason = unusable_reason(device); !reason.empty()) {
                    throw Error(ErrorKind::device, fmt::format("{}:{}: {}", backend_name(), device, reason));
                }
                return std::make_unique<GpuBackend>(device, options);
            },
            .devices = device_list};
}

}  // namespace toroid::backend_gpu
