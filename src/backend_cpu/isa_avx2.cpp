// SPDX-License-Identifier: Apache-2.0
#define TOROID_CPU_ISA avx2
#include "backend_cpu/kernels/kernel_table.hpp"

namespace toroid::backend_cpu {

const KernelTable& avx2_kernels() {
    static constexpr KernelTable table = avx2::make_kernel_table<4>("avx2", "avx2+fma");
    return table;
}

}  // namespace toroid::backend_cpu
