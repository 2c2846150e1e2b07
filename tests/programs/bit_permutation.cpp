// SPDX-License-Identifier: Apache-2.0
// The initial permutation of DES, bits swapped and turned: no gates, only wires.
#include <array>
#include <cstdint>

struct Permuted {
    std::uint64_t initial;
    std::uint64_t reversed;
    std::uint32_t swapped;
    std::uint16_t rotated;
};

Permuted bit_permutation(std::uint64_t block) {
    constexpr std::array<std::uint8_t, 8> first{58, 60, 62, 64, 57, 59, 61, 63};
    Permuted result{};
    for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 8; ++column) {
            const int from = first[static_cast<unsigned>(row)] - 8 * column;
            result.initial = result.initial << 1 | (block >> (64 - from) & 1);
        }
    }
    result.reversed = __builtin_bitreverse64(block);
    result.swapped = __builtin_bswap32(static_cast<std::uint32_t>(block));
    const auto low = static_cast<std::uint16_t>(block);
    result.rotated = static_cast<std::uint16_t>(low << 5 | low >> 11);
    return result;
}
