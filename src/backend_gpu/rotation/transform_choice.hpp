// SPDX-License-Identifier: Apache-2.0
// Which transform a card gets, and why. Free of any vendor's types: a test without a GPU asks about any card.
#pragma once

#include <string>

#include "backend/transform.hpp"

namespace toroid::backend_gpu {

enum class Vendor { nvidia, amd };

/// FP32 over FP64 operations a clock, by the compute capability (for AMD: the gfx generation, gfx90a: 9.0,
/// gfx1030: 10.3); NVIDIA's "CUDA C++ Programming Guide", table of arithmetic throughput. A card newer than
/// the table counts as one with little FP64, where the exact transform loses least.
[[nodiscard]] int fp32_over_fp64(Vendor vendor, int major, int minor);

struct TransformChoice {
    backend::Transform transform = backend::Transform::fft;  ///< never automatic
    std::string reason;                                      ///< "fft: FP64 at 1:2 of FP32"
};

/// The exact transform takes some three times the integer operations that the Fourier transform takes FP64
/// operations, so it wins where FP64 runs at 1:16 of FP32 or less. One asked for is taken.
[[nodiscard]] TransformChoice choose_transform(backend::Transform asked, Vendor vendor, int major, int minor);

}  // namespace toroid::backend_gpu
