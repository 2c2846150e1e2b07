// SPDX-License-Identifier: Apache-2.0
#define TOROID_CPU_ISA portable
#include "backend_cpu/kernels/kernel_table.hpp"

namespace toroid::backend_cpu {

const KernelTable& portable_kernels() {
    static constexpr KernelTable table = portable::make_kernel_table<2>("portable", "portable");
    return table;
}

}  // namespace toroid::backend_cpu
