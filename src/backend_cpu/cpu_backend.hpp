// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.hpp"
#include "backend_cpu/kernel_table.hpp"

namespace toroid::backend_cpu {

/// The SIMD backend: always present. make() reads TOROID_CPU_ISA=portable|avx2|avx512 (unset: the best that
/// this machine runs); Error(device) if the one asked for is unknown or absent.
[[nodiscard]] backend::BackendEntry entry();

/// A backend with kernels of one's own choice, which must run on this machine.
[[nodiscard]] std::unique_ptr<backend::Backend> make_backend(const KernelTable& kernels,
                                                             const backend::BackendOptions& options);

/// Double multiply-adds per second of this thread in registers, the best of a few short runs: the floor's
/// rate.
[[nodiscard]] double multiply_adds_per_second(const KernelTable& kernels);

}  // namespace toroid::backend_cpu
