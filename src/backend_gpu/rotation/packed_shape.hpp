// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_gpu/rotation/key_layout.hpp"

namespace toroid::backend_gpu {

/// What the packed kernel knows at compile time: N = 512, k = 2 and these. Both gadgets' bits fit the words of
/// an accumulator: `mask_bits` of a mask coefficient (16 or 24), 16 of a body coefficient.
template <int mask_levels_, int body_levels_, int block_, int gates_, int mask_bits_>
struct PackedShape {
    static constexpr int mask_levels = mask_levels_;
    static constexpr int body_levels = body_levels_;
    static constexpr int block = block_;
    static constexpr int gates = gates_;  ///< most rotations of a block of threads
    static constexpr int mask_bits = mask_bits_;

    static constexpr int ring = 512;
    static constexpr int points = 256;
    static constexpr int components = 3;
    static constexpr int rows = 2 * mask_levels + body_levels;
    static constexpr PackedKeyOrder order{rows, packed_passes(rows, block), components, block};
    static constexpr int threads = gates == 6 ? 256 : 32 * gates;

    /// Row of the spectra that holds component c of a product: the first row of its digits, so that the lanes
    /// that transform it back may overwrite it with digits.
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int product_row(int c) { return c * mask_levels; }

    // Shared memory, in bytes from its start.
    /// [gate][row][f] complex FP64.
    static constexpr int row_bytes = points * 16;
    static constexpr int roots_at = gates * rows * row_bytes;
    /// Accumulators: for each gate and component 256 words (re | im) of the upper 16 bits, apart by 16 words so
    /// that two half-warps that rotate by the same exponent share no bank; then the lower bytes of the masks.
    static constexpr int high_stride = block == 1 ? (points + 16) * 4 : points * 4;
    static constexpr int high_at = roots_at + 512 * 16;
    static constexpr int low_stride = mask_bits > 16 ? points * 2 : 0;
    static constexpr int low_at = high_at + gates * components * high_stride;
    static constexpr int exponents_at = low_at + gates * 2 * low_stride;
    /// Exponents of this step and of the next: [parity][gate][entry].
    static constexpr int shared_bytes = exponents_at + 2 * gates * block * 2 + 16;
};

}  // namespace toroid::backend_gpu
