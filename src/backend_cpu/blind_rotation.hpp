// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/transform.hpp"
#include "backend_cpu/kernel_table.hpp"
#include "base/thread_pool.hpp"
#include "scheme/evaluation_key.hpp"

namespace toroid::backend_cpu {

/// The kernels of the Fourier transform for a set: those of its shape, else the run-time ones.
[[nodiscard]] const RotationKernels& rotation_kernels(const KernelTable& kernels,
                                                      const scheme::Parameters& parameters);

/// Whether sums of products of digits and key stay below 2^51 (16 standard deviations), where the kernels of
/// a fixed shape round exactly; the run-time ones reduce modulo 2^32 first.
[[nodiscard]] bool fits_exact_rounding(const scheme::Parameters& parameters);

/// Samples on their way through a loaded bootstrapping key.
struct RotationBatch {
    std::size_t count = 0;
    /// Sample i: n + 1 exponents at switched + i * (n + 1).
    const std::uint16_t* switched = nullptr;
    /// As RotationJob::accumulators, (0, X^-b v) to begin with; zeros beyond `count`.
    std::uint32_t* accumulators = nullptr;
    /// scratch_bytes(count) of it, on a cache-line boundary.
    std::byte* scratch = nullptr;
};

/// A bootstrapping key loaded for one of the transforms, and the kernels that rotate by it. Immutable.
class BlindRotation {
 public:
    BlindRotation() = default;
    BlindRotation(const BlindRotation&) = delete;
    BlindRotation& operator=(const BlindRotation&) = delete;
    virtual ~BlindRotation() = default;

    [[nodiscard]] virtual std::uint64_t bytes() const noexcept = 0;
    [[nodiscard]] virtual std::size_t scratch_bytes(std::size_t count) const = 0;
    virtual void rotate(const RotationBatch& batch) const = 0;
};

/// transform: fft or ntt. Loads on all threads of the pool.
[[nodiscard]] std::unique_ptr<const BlindRotation> make_blind_rotation(const scheme::EvaluationKey& key,
                                                                       const KernelTable& kernels,
                                                                       backend::Transform transform,
                                                                       base::ThreadPool& pool);

}  // namespace toroid::backend_cpu
