// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_cpu/blind_rotation_job.hpp"
#include "backend_cpu/transform_plan.hpp"
#include "base/aligned_vector.hpp"
#include "base/thread_pool.hpp"
#include "scheme/evaluation_key.hpp"

namespace toroid::backend_cpu {

/// The bootstrapping key in Fourier form, in the layout of RotationKey.
class LoadedRotationKey {
 public:
    /// Transforms the key on all threads of the pool.
    LoadedRotationKey(const scheme::EvaluationKey& key, base::ThreadPool& pool);
    LoadedRotationKey(const LoadedRotationKey&) = delete;
    LoadedRotationKey& operator=(const LoadedRotationKey&) = delete;

    [[nodiscard]] const RotationKey& view() const noexcept { return view_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        return values_.size() * sizeof(double) + plan_.bytes();
    }
    /// n rows (k+1) N doubles: the bytes of the FP64 Fourier form, before anything is allocated.
    [[nodiscard]] static std::uint64_t bytes(const scheme::Parameters& parameters);

 private:
    TransformPlan plan_;
    base::AlignedVector<double> values_;
    RotationKey view_;
};

/// The sizes of a set's rotation key without its values.
[[nodiscard]] RotationKey rotation_key_sizes(const scheme::Parameters& parameters);

}  // namespace toroid::backend_cpu
