// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace toroid::backend_reference {

/// The LWE sample of coefficient 0 of a GLWE sample (A_0 .. A_k-1, B), under the GLWE key's k N coefficients:
///     mask_(c N) = A_c[0],   mask_(c N + j) = -A_c[N - j] for j > 0,   body = B[0]   (CGGI 2020,
///     section 4.2)
/// glwe: (k+1) N words; out: k N + 1 words. They must not overlap.
void extract_sample(std::span<const std::uint32_t> glwe, int ring_dimension, std::span<std::uint32_t> out);

}  // namespace toroid::backend_reference
