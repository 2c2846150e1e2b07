// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/cpu_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "backend_cpu/cpu_key.hpp"
#include "backend_cpu/instruction_set.hpp"
#include "backend_cpu/ntt_key.hpp"
#include "backend_cpu/rotation_key.hpp"
#include "base/available_memory.hpp"
#include "scheme/cost_model.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_cpu {

double multiply_adds_per_second(const KernelTable& kernels) {
    double best = 0;
    double factor = 0.999;
    for (int repeat = 0; repeat < 20; ++repeat) {
        double operations = 0;
        const auto start = std::chrono::steady_clock::now();
        // The sum goes into the next factor, so that no call can be left out.
        factor = 0.999 + 1e-12 * std::min(1.0, kernels.multiply_add(100'000, factor, operations));
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = std::max(best, operations / seconds);
    }
    return best;
}

namespace {

/// A full gate takes this many times the floor of its blind rotation's multiply-adds (docs/performance.md).
constexpr double measured_over_floor = 2.0;
/// The same for the exact transform, whose integer operations replace the multiply-adds.
constexpr double exact_over_floor = 5.0;

class CpuBackend final : public backend::Backend {
 public:
    CpuBackend(const KernelTable& kernels, const backend::BackendOptions& options)
        : kernels_(kernels),
          transform_(options.transform == backend::Transform::ntt ? backend::Transform::ntt
                                                                  : backend::Transform::fft),
          pool_(std::make_shared<base::ThreadPool>(options.threads)) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "cpu"; }
    [[nodiscard]] std::string description() const override {
        return fmt::format("cpu {}, {}, {} thread{}", kernels_.description,
                           backend::transform_name(transform_), pool_->threads(),
                           pool_->threads() == 1 ? "" : "s");
    }
    [[nodiscard]] std::string unsupported_reason(const scheme::Parameters& parameters) const override {
        if (parameters.literal().method != scheme::Method::cggi) return "the cpu backend knows CGGI only";
        if (parameters.literal().torus_bits != 32) return "the cpu backend knows the 32-bit torus only";
        if (transform_ == backend::Transform::ntt) return math::ntt_refusal(ntt_sizes(parameters));
        // The set's own checks hold the transforms' errors small beside the noise.
        if (parameters.N() < smallest_ring_dimension || parameters.N() > largest_ring_dimension) {
            return fmt::format("the cpu backend's transforms have ring dimensions {} to {}, not {}",
                               smallest_ring_dimension, largest_ring_dimension, parameters.N());
        }
        return {};
    }
    [[nodiscard]] double seconds_per_bootstrap(const scheme::Parameters& parameters) const override {
        std::call_once(measured_, [this] { multiply_adds_per_second_ = multiply_adds_per_second(kernels_); });
        const double over_floor =
            transform_ == backend::Transform::ntt ? exact_over_floor : measured_over_floor;
        return over_floor * scheme::CostModel(parameters).blind_rotation_fma / multiply_adds_per_second_ /
               pool_->threads();
    }
    /// A lone gate streams the whole key for itself: it takes as long as two of a full unit
    /// (docs/performance.md).
    [[nodiscard]] std::uint32_t parallel_width(const scheme::Parameters&) const override {
        return 2 * pool_->threads();
    }
    [[nodiscard]] std::unique_ptr<backend::LoadedKey> load(const scheme::EvaluationKey& key) const override {
        if (const std::string reason = unsupported_reason(key.parameters()); !reason.empty()) {
            throw Error(ErrorKind::parameters, reason);
        }
        const std::uint64_t needed =
            LoadedRotationKey::bytes(key.parameters()) + LoadedSwitchingKey::bytes(key.parameters());
        const std::uint64_t available = base::available_memory_bytes();
        const auto refuse = [&] {
            throw OutOfMemory(fmt::format("the key of set {} needs {} MiB of memory, {} MiB are available",
                                          key.parameters().name(), needed >> 20, available >> 20),
                              needed, available);
        };
        if (needed > available) refuse();
        try {
            return std::make_unique<CpuKey>(key, kernels_, transform_, pool_);
        } catch (const std::bad_alloc&) {
            refuse();
            throw;
        }
    }

 private:
    const KernelTable& kernels_;
    backend::Transform transform_;
    std::shared_ptr<base::ThreadPool> pool_;
    mutable std::once_flag measured_;
    mutable double multiply_adds_per_second_ = 0;
};

}  // namespace

std::unique_ptr<backend::Backend> make_backend(const KernelTable& kernels,
                                               const backend::BackendOptions& options) {
    if (const std::string reason = absence_reason(kernels); !reason.empty())
        throw Error(ErrorKind::device, reason);
    return std::make_unique<CpuBackend>(kernels, options);
}

backend::BackendEntry entry() {
    return {.name = "cpu",
            .absence_reason = [] { return std::string(); },
            .make =
                [](const backend::BackendOptions& options) {
                    return make_backend(choose_kernels_by_environment(), options);
                }};
}

}  // namespace toroid::backend_cpu
