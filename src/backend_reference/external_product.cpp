// SPDX-License-Identifier: Apache-2.0
#include "backend_reference/external_product.hpp"

#include <cstddef>

#include "backend_reference/polynomial.hpp"
#include "math/decomposition.hpp"

namespace toroid::backend_reference {

void decompose_glwe(const scheme::Parameters& parameters, std::span<const std::uint32_t> sample,
                    std::span<std::int32_t> digits) {
    const auto N = static_cast<std::size_t>(parameters.N());
    std::size_t first_row = 0;
    for (int component = 0; component <= parameters.k(); ++component) {
        const math::Gadget gadget = component < parameters.k() ? parameters.mask() : parameters.body();
        const auto levels = static_cast<std::size_t>(gadget.levels);
        const auto polynomial = sample.subspan(static_cast<std::size_t>(component) * N, N);
        std::vector<std::int32_t> of_one(levels);
        for (std::size_t j = 0; j < N; ++j) {
            math::decompose(polynomial[j], gadget, of_one);
            for (std::size_t level = 0; level < levels; ++level)
                digits[(first_row + level) * N + j] = of_one[level];
        }
        first_row += levels;
    }
}

void add_external_product(const scheme::Parameters& parameters, std::span<const std::int32_t> digits,
                          std::span<const std::uint32_t> ggsw, std::span<std::uint32_t> out) {
    const auto N = static_cast<std::size_t>(parameters.N());
    const auto components = static_cast<std::size_t>(parameters.k()) + 1;
    std::vector<std::uint32_t> scratch(2 * N);
    for (std::size_t row = 0; row < static_cast<std::size_t>(parameters.rows()); ++row) {
        for (std::size_t component = 0; component < components; ++component) {
            add_product(digits.subspan(row * N, N), ggsw.subspan((row * components + component) * N, N),
                        out.subspan(component * N, N), scratch);
        }
    }
}

}  // namespace toroid::backend_reference
