// SPDX-License-Identifier: Apache-2.0
// Exact products in Z_{2^32}[X] / (X^N + 1), for key generation, encryption and as the reference of every
// transform.
#pragma once

#include <cstdint>
#include <span>

namespace toroid::math {

/// product = a * b mod (X^N + 1, 2^32), all of N words, by the schoolbook rule. product must not alias an
/// input. Time does not depend on the values.
void negacyclic_multiply(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                         std::span<std::uint32_t> product);

/// accumulator += a * key mod (X^N + 1, 2^32); `key` has coefficients in {-1, 0, 1} and is secret: no branch
/// and no address depends on it, and no copy of it is made. N is a multiple of 4; accumulator may alias a.
/// Cost: N^2 masked additions, four to an SSE register on the baseline (0.03 ms for N = 512).
void negacyclic_add_product(std::span<const std::uint32_t> a, std::span<const std::int8_t> key,
                            std::span<std::uint32_t> accumulator);

/// sum_i a_i * key_i mod 2^32 for small secret coefficients; no branch and no address depends on them.
[[nodiscard]] std::uint32_t inner_product(std::span<const std::uint32_t> a, std::span<const std::int8_t> key);

}  // namespace toroid::math
