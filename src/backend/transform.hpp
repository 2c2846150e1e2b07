// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace toroid::backend {

/// How a device multiplies polynomials in blind rotation. Keys and results are the same objects for both.
enum class Transform : std::uint8_t {
    automatic,  ///< the device's own choice
    fft,        ///< FP64 Fourier transform: rounds, far below the noise
    ntt,        ///< number-theoretic transform modulo two primes: exact (math/ntt.hpp)
};

/// "auto", "fft" or "ntt".
[[nodiscard]] constexpr std::string_view transform_name(Transform transform) {
    constexpr std::string_view names[] = {"auto", "fft", "ntt"};
    return names[static_cast<std::size_t>(transform)];
}

}  // namespace toroid::backend
