// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend_cpu/blind_rotation_job.hpp"
#include "backend_cpu/key_switch_job.hpp"
#include "backend_cpu/ntt_job.hpp"

namespace toroid::backend_cpu {

/// The kernels of one shape.
struct RotationKernels {
    using Kernel = void (*)(const RotationJob&);
    KernelShape shape;
    Kernel wide_binary = nullptr;
    Kernel wide_block = nullptr;
    Kernel narrow_binary = nullptr;
    Kernel narrow_block = nullptr;
};

/// Everything compiled for one instruction set.
struct KernelTable {
    const char* name = "";         ///< value of TOROID_CPU_ISA
    const char* description = "";  ///< e.g. "avx2+fma"
    int lanes = 0;                 ///< gates a unit of the wide kernels
    /// One entry a shape of kernel_shapes, then the one of run_time_shape.
    const RotationKernels* rotations = nullptr;
    /// Doubles of scratch that a job of this many gates needs.
    std::int64_t (*wide_scratch_doubles)(const RotationKey&, int gates) = nullptr;
    std::int64_t (*narrow_scratch_doubles)(const RotationKey&, int gates) = nullptr;
    /// The exact transform, for any sizes; their scratch is NttRotationKey::scratch_words().
    void (*ntt_binary)(const NttRotationJob&) = nullptr;
    void (*ntt_block)(const NttRotationJob&) = nullptr;
    void (*key_switch)(const KeySwitchJob&) = nullptr;
    /// Multiply-adds of doubles done by one call of the rate measurement: independent chains in registers.
    double (*multiply_add)(std::int64_t rounds, double factor, double& operations) = nullptr;
};

[[nodiscard]] const KernelTable& portable_kernels();
#if defined(__x86_64__)
[[nodiscard]] const KernelTable& avx2_kernels();
[[nodiscard]] const KernelTable& avx512_kernels();
#endif

}  // namespace toroid::backend_cpu
