// SPDX-License-Identifier: Apache-2.0
#include "backend_reference/key_switch.hpp"

#include <algorithm>
#include <cstddef>

#include "backend/key_switch_body.hpp"
#include "math/decomposition.hpp"

namespace toroid::backend_reference {

KeySwitch::KeySwitch(const scheme::EvaluationKey& key) : parameters_(key.parameters()) {
    const int levels = parameters_.key_switch_gadget().levels;
    const std::size_t width = static_cast<std::size_t>(parameters_.n()) + 1;
    samples_.resize(static_cast<std::size_t>(parameters_.extracted_dimension() * levels) * width);
    auto rest = std::span(samples_);
    for (int j = 0; j < parameters_.extracted_dimension(); ++j) {
        for (int level = 0; level < levels; ++level) {
            key.lwe_sample(j, level, rest.first(width));
            rest = rest.subspan(width);
        }
    }
}

void KeySwitch::apply(std::span<const std::uint32_t> sample, std::span<std::uint32_t> out) const {
    const math::Gadget gadget = parameters_.key_switch_gadget();
    const int modulus_log = parameters_.key_switch_modulus_log();
    std::vector<std::int32_t> digits(static_cast<std::size_t>(gadget.levels));
    std::int64_t error_sum = 0;
    std::ranges::fill(out, 0U);
    auto rest = std::span(samples_);
    for (const std::uint32_t word : sample.first(sample.size() - 1)) {
        math::decompose_balanced(word, gadget, digits);
        error_sum += static_cast<std::int32_t>(word - math::recompose(digits, gadget));
        for (const std::int32_t digit : digits) {
            const auto factor = static_cast<std::uint32_t>(digit);
            for (std::size_t i = 0; i < out.size(); ++i) out[i] -= factor * rest[i];
            rest = rest.subspan(out.size());
        }
    }
    out.back() +=
        backend::key_switch_body(sample.back(), error_sum, parameters_.glwe_key_mean(), modulus_log);
    const std::uint32_t low_bits = 0xFFFFFFFFU >> (32 - modulus_log);
    for (std::uint32_t& word : out) word &= low_bits;
}

}  // namespace toroid::backend_reference
