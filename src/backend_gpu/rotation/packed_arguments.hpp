// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend_gpu/platform.hpp"

namespace toroid::backend_gpu {

/// u = exp(i angle) of a radix-4 butterfly: tangents and cosines of its first three multiples.
struct RadixTwiddle {
    double tan1, tan2, tan3, cos2, cos3_by_cos1, cos1;
};

/// Twiddles that all lanes share: kernel parameters, so that a multiply-add takes them from constant memory.
struct PackedConstants {
    RadixTwiddle forward[5];  ///< angle pi / 8; then pi (1 + 4 s) / 32, s in [0, 4)
    RadixTwiddle inverse[2];  ///< 2 pi / 16 and 6 pi / 16
    double untwist_re[16];    ///< exp(-i pi a / 32) times the scale from spectra to accumulator units:
    double untwist_im[16];    ///< (cos, sin) scale
};

/// What the packed kernel is launched with.
struct PackedArguments {
    PackedConstants constants;
    const double2* roots = nullptr;       ///< exp(i pi e / 512), e in [0, 256)
    const double2* lane_table = nullptr;  ///< LaneTwiddles, [pair][lane]
    const int4* key = nullptr;
    const std::uint16_t* switched = nullptr;
    std::uint32_t* samples = nullptr;
    std::int64_t sample_stride = 0;
    std::uint32_t* accumulators = nullptr;
    int lwe_dimension = 0;
    int steps = 0;
    int rotations = 0;
    int gates = 0;  ///< rotations of a block of threads
    int mask_base_log = 0;
    int body_base_log = 0;
    /// GadgetFields::offset less the top level's part: fields below the top are then off by B/2, which
    /// `flip` undoes in two's complement.
    std::uint32_t mask_offset = 0;
    std::uint32_t body_offset = 0;
    std::uint32_t mask_flip = 0;
    std::uint32_t body_flip = 0;
};

}  // namespace toroid::backend_gpu
