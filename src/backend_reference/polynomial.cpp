// SPDX-License-Identifier: Apache-2.0
#include "backend_reference/polynomial.hpp"

#include <algorithm>
#include <cstddef>

namespace toroid::backend_reference {

void multiply_by_monomial(std::span<const std::uint32_t> p, std::uint32_t power,
                          std::span<std::uint32_t> out) {
    const std::size_t N = p.size();
    for (std::size_t j = 0; j < N; ++j) {
        const std::size_t exponent = (j + power) % (2 * N);
        if (exponent < N) {
            out[exponent] = p[j];
        } else {
            out[exponent - N] = 0U - p[j];
        }
    }
}

void add_product(std::span<const std::int32_t> a, std::span<const std::uint32_t> b,
                 std::span<std::uint32_t> out, std::span<std::uint32_t> scratch) {
    const std::size_t N = a.size();
    std::ranges::fill(scratch, 0U);
    for (std::size_t i = 0; i < N; ++i) {
        const auto factor = static_cast<std::uint32_t>(a[i]);
        std::uint32_t* const sums = scratch.data() + i;
        for (std::size_t j = 0; j < N; ++j) sums[j] += factor * b[j];
    }
    for (std::size_t i = 0; i < N; ++i) out[i] += scratch[i] - scratch[i + N];
}

}  // namespace toroid::backend_reference
