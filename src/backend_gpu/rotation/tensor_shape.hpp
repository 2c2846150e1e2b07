// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_gpu/rotation/packed_shape.hpp"
#include "backend_gpu/rotation/tensor_key_order.hpp"

namespace toroid::backend_gpu {

/// What the tensor kernel knows at compile time: N = 512, k = 2, three levels of masks, two of bodies, block
/// keys.
template <int block_>
struct TensorShape {
    static constexpr int mask_levels = TensorKeyOrder::mask_levels;
    static constexpr int body_levels = TensorKeyOrder::body_levels;
    static constexpr int block = block_;
    static constexpr int gates = 8;

    static constexpr int ring = 512;
    static constexpr int points = 256;
    static constexpr int components = 3;
    static constexpr int threads = 256;
    static constexpr TensorKeyOrder order{block};
    static constexpr int pairs = TensorKeyOrder::pairs;

    // Shared memory, in bytes from its start.
    /// [gate][pair][f] upper words of the spectra of a pair of digits: (re, im) of one, (re, im) of the
    /// other. In place of the first two digits of a component lies its product, FP64.
    static constexpr int upper_plane = points * 16;
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int upper_at(int gate, int pair) {
        return (gate * pairs + pair) * upper_plane;
    }
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int product_at(int gate, int c) {
        return upper_at(gate, c);
    }
    /// [gate][pair][f] the next 16 bits: a word (re | im) of one, a word of the other.
    static constexpr int lower_plane = points * 8;
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int lower_at(int gate, int pair) {
        return gates * pairs * upper_plane + (gate * pairs + pair) * lower_plane;
    }
    /// Frequency f lies at f ^ swizzle: gates and pairs that lanes access at once are in different banks.
    [[nodiscard]] TOROID_HOST_DEVICE static constexpr int swizzle(int gate, int pair) {
        return (2 * gate + (pair & 1)) ^ ((pair & 2) << 1);
    }
    /// exp(i pi e / 512), e < 256.
    static constexpr int roots_at = gates * pairs * (upper_plane + lower_plane);
    // Accumulators as in PackedShape.
    static constexpr bool masks_in_registers = false;
    static constexpr bool coarse = false;
    static constexpr int mask_bits = packed_mask_bits;
    static constexpr int high_stride = points * 4;
    static constexpr int high_components = 3;
    static constexpr int high_at = roots_at + points * 16;
    static constexpr int low_stride = points;
    static constexpr int low_at = high_at + gates * high_components * high_stride;
    static constexpr int exponents_at = low_at + gates * 2 * low_stride;
    static constexpr int shared_bytes = exponents_at + (2 * gates * block * 2 + 15) / 16 * 16;
    static_assert(shared_bytes <= shared_limit);
};

}  // namespace toroid::backend_gpu
