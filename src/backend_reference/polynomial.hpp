// SPDX-License-Identifier: Apache-2.0
// Arithmetic in Z[X] / (X^N + 1) modulo 2^32; a polynomial is a span of its N coefficients.
#pragma once

#include <cstdint>
#include <span>

namespace toroid::backend_reference {

/// out = p * X^power for power in [0, 2N). out and p must not overlap.
void multiply_by_monomial(std::span<const std::uint32_t> p, std::uint32_t power,
                          std::span<std::uint32_t> out);

/// out += a * b, exactly. `scratch` has 2N words.
void add_product(std::span<const std::int32_t> a, std::span<const std::uint32_t> b,
                 std::span<std::uint32_t> out, std::span<std::uint32_t> scratch);

}  // namespace toroid::backend_reference
