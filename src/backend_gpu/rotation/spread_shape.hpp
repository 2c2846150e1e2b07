// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_gpu/rotation/packed_shape.hpp"

namespace toroid::backend_gpu {

/// What the spread kernel (spread_kernel.cuh) knows at compile time: N = 512, k = 2 and these. It reads the
/// key of the packed kernel.
template <int mask_levels_, int body_levels_, int block_, int gates_>
struct SpreadShape {
    static constexpr int mask_levels = mask_levels_;
    static constexpr int body_levels = body_levels_;
    static constexpr int block = block_;
    static constexpr int gates = gates_;  ///< most rotations of a block of threads

    static constexpr int ring = 512;
    static constexpr int points = 256;
    static constexpr int components = 3;
    static constexpr int threads = 256;
    static constexpr PackedKeyOrder order{mask_levels, body_levels, block};
    static constexpr int passes = order.passes();
    static constexpr int rounds = order.rounds();
    static constexpr bool coarse = order.coarse();

    // Shared memory, in bytes from its start.
    /// [gate][row] spectra: of digits as the GGSW has its rows, then of the product's components.
    static constexpr int digit_rows = 2 * mask_levels + body_levels;
    static constexpr int rows = digit_rows + components;
    static constexpr int row_bytes = points * 16;
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int digit_row(int pass, int i) {
        constexpr PackedKeyOrder own{mask_levels, body_levels,
                                     block};  // device code cannot name the constant itself here
        return own.row(pass, i);
    }
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int product_row(int c) { return digit_rows + c; }
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int partial_row(int c) { return product_row(c); }
    /// exp(i pi e / 512), e < 256, unless X^a is applied to coefficients.
    static constexpr int roots_at = gates * rows * row_bytes;
    /// [gate][component] accumulators, whole words.
    static constexpr bool masks_in_registers = false;
    static constexpr int high_components = components;
    static constexpr int accumulator_bytes = points * 8;
    static constexpr int accumulators_at = roots_at + (block == 1 ? 0 : 256 * 16);
    static constexpr int exponents_at = accumulators_at + gates * components * accumulator_bytes;
    static constexpr int exponent_bytes = (2 * gates * block * 2 + 15) / 16 * 16;
    /// As much of the key as fits.
    static constexpr int staged_at = exponents_at + exponent_bytes;
    static constexpr int room = (shared_limit - staged_at) / (points * 16);
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int staged(int pass) {
        constexpr PackedKeyOrder own{mask_levels, body_levels, block};
        const int left = room - own.first_word(pass);
        return left < 0 ? 0 : left < own.pass_words(pass) ? left : own.pass_words(pass);
    }
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int loaded(int pass) {
        constexpr PackedKeyOrder own{mask_levels, body_levels, block};
        return own.pass_words(pass) - staged(pass);
    }
    static constexpr bool inputs_ahead = !coarse;
    static constexpr int shared_bytes =
        staged_at + (room < order.words() ? room : order.words()) * points * 16;
};

}  // namespace toroid::backend_gpu
