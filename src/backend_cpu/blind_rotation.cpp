// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/blind_rotation.hpp"

#include <algorithm>
#include <cmath>

#include "backend_cpu/ntt_key.hpp"
#include "backend_cpu/rotation_key.hpp"

namespace toroid::backend_cpu {
namespace {

/// Time of one gate in the narrow kernel over its share of a full unit of the wide one (docs/performance.md).
constexpr double narrow_cost = 1.25;

class FourierRotation final : public BlindRotation {
 public:
    FourierRotation(const scheme::EvaluationKey& key, const KernelTable& kernels, base::ThreadPool& pool)
        : kernels_(kernels), rotations_(rotation_kernels(kernels, key.parameters())), key_(key, pool) {}

    [[nodiscard]] std::uint64_t bytes() const noexcept override { return key_.bytes(); }
    [[nodiscard]] std::size_t scratch_bytes(std::size_t count) const override {
        const int gates = static_cast<int>(count);
        return static_cast<std::size_t>(std::max(kernels_.wide_scratch_doubles(key_.view(), gates),
                                                 kernels_.narrow_scratch_doubles(key_.view(), gates))) *
               sizeof(double);
    }
    void rotate(const RotationBatch& batch) const override {
        const RotationKey& key = key_.view();
        const RotationJob job{.key = &key,
                              .gates = static_cast<int>(batch.count),
                              .switched = batch.switched,
                              .switched_stride = key.lwe_dimension + 1,
                              .accumulators = batch.accumulators,
                              .scratch = reinterpret_cast<double*>(batch.scratch)};
        const auto lanes = static_cast<std::size_t>(kernels_.lanes);
        const std::size_t wide_cost = (batch.count + lanes - 1) / lanes * lanes;
        const bool narrow = narrow_cost * static_cast<double>(batch.count) < static_cast<double>(wide_cost);
        if (key.block == 1) {
            (narrow ? rotations_.narrow_binary : rotations_.wide_binary)(job);
        } else {
            (narrow ? rotations_.narrow_block : rotations_.wide_block)(job);
        }
    }

 private:
    const KernelTable& kernels_;
    const RotationKernels& rotations_;
    LoadedRotationKey key_;
};

class ExactRotation final : public BlindRotation {
 public:
    ExactRotation(const scheme::EvaluationKey& key, const KernelTable& kernels, base::ThreadPool& pool)
        : kernels_(kernels), key_(key, pool) {}

    [[nodiscard]] std::uint64_t bytes() const noexcept override { return key_.bytes(); }
    [[nodiscard]] std::size_t scratch_bytes(std::size_t) const override {
        return static_cast<std::size_t>(key_.view().scratch_words()) * sizeof(std::uint32_t);
    }
    void rotate(const RotationBatch& batch) const override {
        const NttRotationKey& key = key_.view();
        (key.block == 1 ? kernels_.ntt_binary
                        : kernels_.ntt_block)({.key = &key,
                                               .gates = static_cast<int>(batch.count),
                                               .switched = batch.switched,
                                               .switched_stride = key.lwe_dimension + 1,
                                               .accumulators = batch.accumulators,
                                               .scratch = reinterpret_cast<std::uint32_t*>(batch.scratch)});
    }

 private:
    const KernelTable& kernels_;
    LoadedNttKey key_;
};

}  // namespace

bool fits_exact_rounding(const scheme::Parameters& parameters) {
    // Digits are uniform in [-B/2, B/2), key coefficients in [-2^31, 2^31).
    const auto digit_square = [](math::Gadget gadget) {
        return gadget.levels * std::exp2(2 * gadget.base_log) / 12;
    };
    const double variance =
        parameters.N() *
        (parameters.k() * digit_square(parameters.mask()) + digit_square(parameters.body())) * std::exp2(64) /
        12;
    return 16 * std::sqrt(variance) < std::exp2(51);
}

const RotationKernels& rotation_kernels(const KernelTable& kernels, const scheme::Parameters& parameters) {
    const KernelShape shape{parameters.N(), parameters.k(), parameters.mask().levels,
                            parameters.body().levels};
    std::size_t i = 0;
    while (i < kernel_shapes.size() && !(kernel_shapes[i] == shape && fits_exact_rounding(parameters))) ++i;
    return kernels.rotations[i];
}

std::unique_ptr<const BlindRotation> make_blind_rotation(const scheme::EvaluationKey& key,
                                                         const KernelTable& kernels,
                                                         backend::Transform transform,
                                                         base::ThreadPool& pool) {
    if (transform == backend::Transform::ntt) return std::make_unique<ExactRotation>(key, kernels, pool);
    return std::make_unique<FourierRotation>(key, kernels, pool);
}

}  // namespace toroid::backend_cpu
