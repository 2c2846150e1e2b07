// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_cpu/kernel_table.hpp"
#include "backend_cpu/kernels/key_switch.hpp"
#include "backend_cpu/kernels/multiply_add.hpp"
#include "backend_cpu/kernels/narrow_rotation.hpp"
#include "backend_cpu/kernels/ntt_rotation.hpp"
#include "backend_cpu/kernels/wide_rotation.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

template <int lanes, KernelShape shape>
inline constexpr RotationKernels rotation_kernels{
    shape,
    wide_rotation<shape, lanes, true>,
    wide_rotation<shape, lanes, false>,
    narrow_rotation<shape, true>,
    narrow_rotation<shape, false>,
};

template <int lanes>
inline constexpr RotationKernels all_rotation_kernels[] = {
    rotation_kernels<lanes, kernel_shapes[0]>, rotation_kernels<lanes, kernel_shapes[1]>,
    rotation_kernels<lanes, kernel_shapes[2]>, rotation_kernels<lanes, kernel_shapes[3]>,
    rotation_kernels<lanes, kernel_shapes[4]>, rotation_kernels<lanes, run_time_shape>,
};
static_assert(sizeof(kernel_shapes) == 5 * sizeof(KernelShape), "list each shape above");

template <int lanes>
std::int64_t wide_scratch_doubles(const RotationKey& key, int gates) {
    Step unused;
    return place_scratch<lanes>(key, (gates + lanes - 1) / lanes, lanes, nullptr, unused);
}
inline std::int64_t narrow_scratch_doubles(const RotationKey& key, int gates) {
    Step unused;
    return place_scratch<narrow_lanes>(key, gates, 1, nullptr, unused);
}

template <int lanes>
constexpr KernelTable make_kernel_table(const char* name, const char* description) {
    return {.name = name,
            .description = description,
            .lanes = lanes,
            .rotations = all_rotation_kernels<lanes>,
            .wide_scratch_doubles = wide_scratch_doubles<lanes>,
            .narrow_scratch_doubles = narrow_scratch_doubles,
            .ntt_binary = ntt_rotation<true>,
            .ntt_block = ntt_rotation<false>,
            .key_switch = key_switch,
            .multiply_add = multiply_add<lanes>};
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
