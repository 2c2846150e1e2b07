// SPDX-License-Identifier: Apache-2.0
#include "backend_reference/reference_backend.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backend_reference/polynomial.hpp"
#include "backend_reference/reference_key.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_reference {
namespace {

/// Seconds for one multiply-add of the inner loop: the best of a few products on this machine.
double measure_seconds_per_multiplication() {
    constexpr std::size_t N = 512;
    const std::vector<std::int32_t> a(N, 3);
    const std::vector<std::uint32_t> b(N, 5);
    std::vector<std::uint32_t> out(N);
    std::vector<std::uint32_t> scratch(2 * N);
    double best = 1;
    for (int repeat = 0; repeat < 10; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        add_product(a, b, out, scratch);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        best = std::min(best, spent.count());
    }
    return best / static_cast<double>(N * N);
}

class ReferenceBackend final : public backend::Backend {
 public:
    explicit ReferenceBackend(backend::Transform transform) : transform_(transform) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "reference"; }
    [[nodiscard]] std::string description() const override { return "reference: plain loops, 1 thread"; }
    [[nodiscard]] std::string unsupported_reason(const scheme::Parameters& parameters) const override {
        if (parameters.literal().method != scheme::Method::cggi)
            return "the reference backend knows CGGI only";
        if (parameters.literal().torus_bits != 32) return "the reference backend knows the 32-bit torus only";
        if (transform_ != backend::Transform::automatic) {
            return "the reference backend multiplies without a transform, so none can be chosen";
        }
        return {};
    }
    [[nodiscard]] double seconds_per_bootstrap(const scheme::Parameters& parameters) const override {
        std::call_once(measured_,
                       [this] { seconds_per_multiplication_ = measure_seconds_per_multiplication(); });
        const double N = parameters.N();
        const double blind_rotation = parameters.n() * parameters.rows() * (parameters.k() + 1) * N * N;
        const double key_switch = static_cast<double>(parameters.extracted_dimension()) *
                                  parameters.key_switch_gadget().levels * (parameters.n() + 1);
        return (blind_rotation + key_switch) * seconds_per_multiplication_;
    }
    [[nodiscard]] std::uint32_t parallel_width(const scheme::Parameters&) const override { return 1; }
    [[nodiscard]] std::unique_ptr<backend::LoadedKey> load(const scheme::EvaluationKey& key) const override {
        if (const std::string reason = unsupported_reason(key.parameters()); !reason.empty()) {
            throw Error(ErrorKind::parameters, reason);
        }
        return std::make_unique<ReferenceKey>(key);
    }

 private:
    backend::Transform transform_;
    mutable std::once_flag measured_;
    mutable double seconds_per_multiplication_ = 0;
};

}  // namespace

backend::BackendEntry entry() {
    return {.name = "reference",
            .absence_reason = [] { return std::string(); },
            .make = [](const backend::BackendOptions& options) -> std::unique_ptr<backend::Backend> {
                return std::make_unique<ReferenceBackend>(options.transform);
            }};
}

}  // namespace toroid::backend_reference
