// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend_gpu/platform.hpp"

namespace toroid::backend_gpu {

/// The key of a step as the warps of the tensor kernel read it (tensor_kernel.cuh). For every frequency the
/// products are one real matrix product, digits of 8 gates times key, of which a warp does 16 x 4 by 4 x 8 at
/// a time: 8 gates' (re, im), 4 of 8 rows of the GGSW, (re, im) of its 3 components and of one that is not
/// there. Rows come in pairs, two pairs to a matrix, so a frequency has two matrices for each entry of the
/// block. A warp takes four frequencies f + 64 q at a turn, which need the same roots. Lane 4 n + k of 24 has
/// row k and column n of each matrix. Numbers are FP64 cut to 48 bits, in units of 2^packed_mask_shift:
/// [turn][warp][word] [lane], 16-byte words with first the upper halves of the lane's numbers, then their
/// next 16 bits.
struct TensorKeyOrder {
    int block;

    static constexpr int mask_levels = 3;
    static constexpr int body_levels = 2;
    static constexpr int lanes = 24;
    static constexpr int warps = 8;
    static constexpr int frequencies = 4;  ///< of a turn
    static constexpr int turns = 256 / (frequencies * warps);

    static constexpr int pairs = 4;  ///< of rows: levels 0 and 1 of each component, level 2 of both masks

    /// Of a lane in a turn: number i is of frequency i / (2 block), entry i / 2 % block, matrix i % 2.
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int numbers() const { return frequencies * block * 2; }
    /// 16-byte words of a lane in a turn.
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int turn_words() const { return numbers() * 6 / 16; }
    /// 16-byte words of a step.
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int words() const {
        return turns * warps * turn_words() * lanes;
    }
    /// The first of a warp's frequencies, the others follow at distances of 64.
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int frequency(int turn, int warp) {
        return turn / 2 * 16 + warp * 2 + turn % 2;
    }

    /// Byte offsets of a number in the step: of 4 bytes and of 2.
    struct Place {
        std::size_t upper;
        std::size_t lower;
    };
    /// row: of the GGSW, masks first; column: 2 component + (0 re, 1 im).
    [[nodiscard]] constexpr Place place(int f, int entry, int row, int column) const {
        const int component = row < 2 * mask_levels ? row / mask_levels : 2;
        const int level = row - component * mask_levels;
        const int pair = level < 2 ? component : 3;
        const int member = level < 2 ? level : component;
        const int lane = column * 4 + pair % 2 * 2 + member;
        const int number = (f / 64 * block + entry) * 2 + pair / 2;
        const int turn = f % 64 / 16 * 2 + f % 2;
        const int warp = f % 16 / 2;
        const auto at = [&](int word) {
            const int line = (turn * warps + warp) * turn_words() + word / 4;
            return static_cast<std::size_t>((line * lanes + lane) * 16 + word % 4 * 4);
        };
        return {at(number), at(numbers() + number / 2) + static_cast<std::size_t>(number % 2 * 2)};
    }
};

}  // namespace toroid::backend_gpu
