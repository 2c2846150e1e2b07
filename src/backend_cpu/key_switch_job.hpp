// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace toroid::backend_cpu {

/// Columns of the key-switching key come in tiles of this many bytes, the last tile in a multiple of
/// key_switch_vector_bytes.
inline constexpr int key_switch_vector_bytes = 32;
inline constexpr int key_switch_tile_vectors = 8;

/// values: for each tile, for each row, the row's words of that tile. Row l * input_dimension + j is sample
/// (j, level l) of scheme::EvaluationKey; words of 16 bits for modulus 2^16, else 32.
struct KeySwitchKey {
    const void* values = nullptr;
    int modulus_log = 32;
    int input_dimension = 0;  ///< k N
    int levels = 0;
    int base_log = 0;
    int width = 0;  ///< n + 1 rounded up to whole vectors, in words
};

/// Key switching of `gates` samples together: for gate g
///     outputs[g][i] = - sum over rows of digit[row] * key[row][i]     (modulo the word),  i in [0, width)
///     error_sums[g] = sum_j (c_j - recompose(digits_j)) as signed 32-bit numbers
/// with math::decompose_balanced's digits.
struct KeySwitchJob {
    const KeySwitchKey* key = nullptr;
    int gates = 0;
    /// Gate g: input_dimension torus words at samples + g * sample_stride.
    const std::uint32_t* samples = nullptr;
    std::int64_t sample_stride = 0;
    /// Words of the key's own size, gate after gate, `width` each; on a cache-line boundary.
    void* outputs = nullptr;
    std::int64_t* error_sums = nullptr;
    /// gates * levels * input_dimension words of the key's size.
    void* digits = nullptr;
};

}  // namespace toroid::backend_cpu
