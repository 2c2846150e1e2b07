// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend_cpu/blind_rotation.hpp"
#include "backend_cpu/kernel_table.hpp"
#include "base/aligned_vector.hpp"
#include "scheme/parameters.hpp"

namespace toroid::backend_cpu {

/// What one worker writes to while it takes a group of at most `most` bootstraps through a gate.
struct WorkerScratch {
    WorkerScratch(const scheme::Parameters& parameters, const KernelTable& kernels,
                  const BlindRotation& rotation, const KeySwitchKey& switching, std::size_t most);

    std::size_t sample_stride = 0;  ///< words from one sample to the next
    base::AlignedVector<std::uint32_t> samples;
    base::AlignedVector<std::byte> switched;  ///< outputs of the key switch
    base::AlignedVector<std::byte> digits;
    base::AlignedVector<std::int64_t> error_sums;
    base::AlignedVector<std::uint32_t> small_sample;  ///< n + 1
    base::AlignedVector<std::uint32_t> accumulators;
    base::AlignedVector<std::byte> rotation;
};

}  // namespace toroid::backend_cpu
