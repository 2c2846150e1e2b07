// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "toroid/error.hpp"

namespace toroid::backend {

/// How a device multiplies polynomials in blind rotation. Keys and results are the same objects for both.
enum class Transform : std::uint8_t {
    automatic,  ///< the device's own choice
    fft,        ///< FP64 Fourier transform: rounds, far below the noise
    ntt,        ///< number-theoretic transform modulo two primes: exact (math/ntt.hpp)
};

inline constexpr std::string_view transform_names[] = {"auto", "fft", "ntt"};

[[nodiscard]] constexpr std::string_view transform_name(Transform transform) {
    return transform_names[static_cast<std::size_t>(transform)];
}
/// Error(usage) lists the names if it is none of them.
[[nodiscard]] inline Transform transform_named(std::string_view name) {
    for (const Transform transform : {Transform::automatic, Transform::fft, Transform::ntt}) {
        if (name == transform_name(transform)) return transform;
    }
    throw Error(ErrorKind::usage, "transform '" + std::string(name) + "' is none of auto, fft, ntt");
}

}  // namespace toroid::backend
