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
    int cluster = 1;  ///< blocks of a cluster
    GadgetFields mask;
    GadgetFields body;
};

/// Shared memory of one block, which rotates one accumulator: its rows' spectra and the accumulator.
[[nodiscard]] std::int64_t general_shared_bytes(const RotationSizes& sizes);
/// Prepares the kernel on the current device.
void prepare_general(const RotationSizes& sizes, int shared_limit);
void launch_general(const GeneralArguments& arguments, const RotationSizes& sizes, int rotations,
                    gpuStream_t stream);

/// The low-latency form: clusters of so many blocks (2, 4, 8) that the current device runs at once, 0 if it
/// or the set does not allow them. Prepares the kernel.
[[nodiscard]] int clusters_at_once(const RotationSizes& sizes, int cluster, int shared_limit);
/// arguments.cluster blocks for each rotation.
void launch_cluster(const GeneralArguments& arguments, const RotationSizes& sizes, int rotations,
                    gpuStream_t stream);

}  // namespace toroid::backend_gpu
