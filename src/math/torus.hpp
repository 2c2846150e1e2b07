// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace toroid::math {

/// An element of the torus R/Z as the fraction t / 2^32. Arithmetic wraps, which is the torus's own addition.
using Torus32 = std::uint32_t;

/// eighths / 8 on the torus; the encoding of bits is encode(1) = +1/8, encode(0) = -1/8.
[[nodiscard]] constexpr Torus32 from_eighths(int eighths) noexcept {
    return static_cast<Torus32>(eighths) << 29;
}
[[nodiscard]] constexpr Torus32 encode_bit(bool bit) noexcept {
    return from_eighths(bit ? 1 : -1);
}
/// Bit of a phase: 1 for a phase in (0, 1/2).
[[nodiscard]] constexpr bool decode_bit(Torus32 phase) noexcept {
    return static_cast<std::int32_t>(phase) > 0;
}

}  // namespace toroid::math
