// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend_gpu/rotation/gadget.hpp"
#include "backend_gpu/rotation/rotation.hpp"

namespace toroid::backend_gpu {

/// What the general kernel is launched with.
struct GeneralArguments {
    const double2* roots = nullptr;
    const double2* twiddles = nullptr;
    const std::uint16_t* leaf_exponents = nullptr;
    const double2* key = nullptr;
    const std::uint16_t* switched = nullptr;
    std::uint32_t* samples = nullptr;
    std::int64_t sample_stride = 0;
    std::uint32_t* accumulators = nullptr;
    int lwe_dimension = 0;
    int block = 1;
    int points_log = 0;  ///< log2 M, M = N / 2
    int components = 0;  ///< k + 1
    int rows = 0;
    GadgetFields mask;
    GadgetFields body;
};

/// Shared memory of one block, which rotates one accumulator: its rows' spectra and the accumulator.
[[nodiscard]] std::int64_t general_shared_bytes(const RotationSizes& sizes);
/// Prepares the kernel on the current device.
void prepare_general(const RotationSizes& sizes);
void launch_general(const GeneralArguments& arguments, std::int64_t shared_bytes, int rotations,
                    gpuStream_t stream);

}  // namespace toroid::backend_gpu
