// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_gpu/rotation/packed_key_order.hpp"

namespace toroid::backend_gpu {

/// Bits that the packed accumulators keep of a coefficient; both gadgets must fit.
inline constexpr int packed_mask_bits = 20;
inline constexpr int packed_coarse_mask_bits = 16;
/// Where masks are coarse the body's gadget has at most so many bits (PackedKeyOrder::coarse).
inline constexpr int packed_coarse_body_bits = 10;
/// Bits to which increments are rounded before they are added.
inline constexpr int packed_increment_bits = 26;
inline constexpr int packed_body_bits = 16;

/// Dynamic shared memory of a block on the largest devices (compute capability 9.0), beyond which no instance
/// goes; smaller devices take instances of fewer gates.
inline constexpr int shared_limit = 232448;

/// What the packed kernel knows at compile time: N = 512, k = 2 and these.
template <int mask_levels_, int body_levels_, int block_, int gates_>
struct PackedShape {
    static constexpr int mask_levels = mask_levels_;
    static constexpr int body_levels = body_levels_;
    static constexpr int block = block_;
    static constexpr int gates = gates_;  ///< most rotations of a block of threads, a power of two

    static constexpr int ring = 512;
    static constexpr int points = 256;
    static constexpr int components = 3;
    static constexpr PackedKeyOrder order{mask_levels, body_levels, block};
    static constexpr int passes = order.passes();
    static constexpr int rounds = order.rounds();
    static constexpr int threads = 32 * gates;

    /// Rows of spectra that a component has: of its digits in the first round, or of the first round's sum
    /// and the second round's digit.
    static constexpr int mask_rows = rounds == 2 ? 2 : mask_levels;
    static constexpr int body_rows = rounds == 2 ? 2 : body_levels;
    static constexpr int rows = 2 * mask_rows + body_rows;
    /// Row that holds component c of a product: the first of its own, so that the lanes that transform it
    /// back may overwrite it with digits.
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int product_row(int c) { return c * mask_rows; }
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int product_at(int gate, int c) {
        return (gate * rows + product_row(c)) * row_bytes;
    }
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int swizzle(int, int) { return 0; }
    /// Row of the first digits of component c. In two rounds the body's have the row after the product, which
    /// is free for it while they are read.
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int first_digit_row(int c) {
        return product_row(c) + (rounds == 2 && c == 2 ? 1 : 0);
    }
    /// Row of spectra of row i of a pass.
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int digit_row(int pass, int i) {
        constexpr PackedKeyOrder own{mask_levels, body_levels,
                                     block};  // device code cannot name the constant itself here
        if (rounds == 1) return own.row(pass, i);
        return own.round_of(pass) == 0 ? (i < 4 ? i : first_digit_row(2)) : 2 * i + 1;
    }
    /// Row where the sums of component c wait between passes.
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int partial_row(int c) {
        return rounds == 1 ? c : product_row(c);
    }

    // Shared memory, in bytes from its start.
    /// [gate][row] spectra.
    static constexpr int row_bytes = points * 16;
    /// exp(i pi e / 512), e < 256, unless X^a is applied to coefficients.
    static constexpr int roots_at = gates * rows * row_bytes;
    /// Masks that are rotated (block 1) stay in the registers of the lanes that transform them.
    static constexpr bool masks_in_registers = block == 1;
    /// Other accumulators: for each gate and component 256 words (re | im) of the upper 16 bits, then, of
    /// masks that are not coarse, bytes (re | im) of the four bits below them.
    static constexpr bool coarse = order.coarse();
    static constexpr int mask_bits = coarse ? packed_coarse_mask_bits : packed_mask_bits;
    static constexpr int high_stride = points * 4;
    static constexpr int high_components = masks_in_registers ? 1 : 3;
    static constexpr int high_at = roots_at + (block == 1 ? 0 : 256 * 16);
    static constexpr int low_stride = points;
    static constexpr int low_at = high_at + gates * high_components * high_stride;
    static constexpr int exponents_at = low_at + (masks_in_registers || coarse ? 0 : gates * 2 * low_stride);
    /// Exponents of this step and of the next: [parity][gate][entry].
    static constexpr int exponent_bytes = (2 * gates * block * 2 + 15) / 16 * 16;
    /// Words of the key that are copied here while the transforms run, [word][f], a thread's own each.
    static constexpr int staged_at = exponents_at + exponent_bytes;
    static constexpr int room = threads == points ? (shared_limit - staged_at) / (points * 16) : 0;

    // How the words of a pass reach registers: the last `staged` of them by way of shared memory, those
    // before while the pass before is at work or, of a round's first pass, as the transforms end.
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int staged(int pass) {
        return pass > 0 ? 0 : room < order.pass_words(0) ? room : order.pass_words(0);
    }
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int loaded(int pass) {
        return order.pass_words(pass) - staged(pass);
    }
    /// Whether a gate's inputs are fetched while the one before is at work. Measured: 2 to 7 % faster, but 7
    /// % slower for the shape whose one pass has the keys of five rows in registers.
    static constexpr bool inputs_ahead = !coarse;
    static constexpr int shared_bytes = staged_at + staged(0) * points * 16;
};

}  // namespace toroid::backend_gpu
