// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend_cpu/kernel_table.hpp"

namespace toroid::backend_cpu {

/// Every instruction set with kernels in this build, best first; names are those of TOROID_CPU_ISA.
[[nodiscard]] const std::vector<const KernelTable*>& compiled_kernels();

/// Empty if this processor and its operating system run the kernels, else the reason they do not.
[[nodiscard]] std::string absence_reason(const KernelTable& kernels);

/// The kernels called `name`, or the best that run here if none is named. Error(device) if they are unknown
/// or do not run here.
[[nodiscard]] const KernelTable& choose_kernels(std::optional<std::string_view> name);

/// choose_kernels by the environment variable TOROID_CPU_ISA; unset or empty means the best.
[[nodiscard]] const KernelTable& choose_kernels_by_environment();

}  // namespace toroid::backend_cpu
