// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "backend_gpu/rotation/rotation.hpp"

namespace toroid::backend_gpu {

/// What Rotation hands its calls to, one implementation a transform.
struct Rotation::Plan {
    Plan(const RotationSizes& sizes, const RotationLimits& limits) : sizes(sizes), limits(limits) {}
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    virtual ~Plan() = default;

    [[nodiscard]] virtual std::uint64_t key_bytes() const noexcept = 0;
    virtual void build_key(const GlweRowSource& rows, base::ThreadPool& pool,
                           std::span<std::byte> out) const = 0;
    /// job.rotations > 0; the kernel exists.
    virtual void launch(const RotationJob& job, RotationKernel kernel) const = 0;
    [[nodiscard]] virtual int full_batch() const noexcept = 0;
    [[nodiscard]] virtual std::string kernel_name(int rotations) const = 0;
    [[nodiscard]] virtual bool has_kernel(RotationKernel kernel) const noexcept = 0;

    RotationSizes sizes;
    RotationLimits limits;
};

/// The exact transform's plan for the current device (ntt_kernel.cu), and why a set cannot have one.
[[nodiscard]] std::unique_ptr<const Rotation::Plan> make_exact_plan(const RotationSizes& sizes,
                                                                    const RotationLimits& limits);
[[nodiscard]] std::string exact_unsupported_reason(const RotationSizes& sizes, const RotationLimits& limits);

}  // namespace toroid::backend_gpu
