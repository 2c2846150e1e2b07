// SPDX-License-Identifier: Apache-2.0
// Kernels over whole LWE samples: sums, copies, and the modulus switch of a sum. Each enqueues and returns.
#pragma once

#include <cstdint>

#include "backend_gpu/gate_terms.hpp"
#include "backend_gpu/platform.hpp"
#include "math/decomposition.hpp"

namespace toroid::backend_gpu {

/// out[i] = sum of term i over `samples`, i < count. Reads of `samples` are never written here.
void launch_sums(const SampleView& samples, const base::Operand* operands, const Term* terms, int count,
                 const SampleView& out, gpuStream_t stream);

/// samples[outputs[i].slot] = sum of its parts + post_offset.
void launch_outputs(const SampleView& parts, const Output* outputs, int count, const SampleView& samples,
                    gpuStream_t stream);

/// to[i] = from[index[i]] (gather) or to[index[i]] = from[i] (scatter), i < count.
void launch_gather(const SampleView& from, const std::uint32_t* index, int count, const SampleView& to,
                   gpuStream_t stream);
void launch_scatter(const SampleView& from, const std::uint32_t* index, int count, const SampleView& to,
                    gpuStream_t stream);

/// What math::modulus_switch is told.
struct ModulusSwitch {
    int modulus_log = 0;
    int rotation_log = 0;
    math::KeyMean mean;
};

/// switched[i] = modulus switch of term i's sum: dimension + 1 values < 2N, body last, rows adjacent.
void launch_switched_sums(const SampleView& samples, const base::Operand* operands, const Term* terms,
                          int count, ModulusSwitch rule, std::uint16_t* switched, gpuStream_t stream);

}  // namespace toroid::backend_gpu
