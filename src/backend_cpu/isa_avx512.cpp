// SPDX-License-Identifier: Apache-2.0
#define TOROID_CPU_ISA avx512
#include "backend_cpu/kernels/kernel_table.hpp"

namespace toroid::backend_cpu {

const KernelTable& avx512_kernels() {
    static constexpr KernelTable table = avx512::make_kernel_table<8>("avx512", "avx512f+fma");
    return table;
}

}  // namespace toroid::backend_cpu
