// SPDX-License-Identifier: Apache-2.0
#include "backend/linear_combination.hpp"

#include <algorithm>
#include <cstddef>

#include "math/torus.hpp"

namespace toroid::backend {

void linear_combination(const HostPool& pool, std::span<const base::Operand> operands, int offset_eighths,
                        std::span<std::uint32_t> out) {
    std::ranges::fill(out, 0U);
    for (const base::Operand& operand : operands) {
        const auto sample = pool[operand.index];
        const auto weight = static_cast<std::uint32_t>(operand.weight);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight * sample[i];
    }
    out.back() += math::from_eighths(offset_eighths);
}

}  // namespace toroid::backend
