// SPDX-License-Identifier: Apache-2.0
#include "backend_reference/blind_rotation.hpp"

#include <algorithm>
#include <cstddef>

#include "backend_reference/external_product.hpp"
#include "backend_reference/polynomial.hpp"
#include "math/torus.hpp"

namespace toroid::backend_reference {

BlindRotation::BlindRotation(const scheme::EvaluationKey& key)
    : parameters_(key.parameters()),
      glwe_words_(static_cast<std::size_t>((parameters_.k() + 1) * parameters_.N())),
      ggsw_words_(static_cast<std::size_t>(parameters_.rows()) * glwe_words_),
      key_(static_cast<std::size_t>(parameters_.n()) * ggsw_words_) {
    auto rest = std::span(key_);
    for (int i = 0; i < parameters_.n(); ++i) {
        for (int row = 0; row < parameters_.rows(); ++row) {
            key.glwe_row(i, row, rest.first(glwe_words_));
            rest = rest.subspan(glwe_words_);
        }
    }
}

void BlindRotation::apply(std::span<const std::uint16_t> switched,
                          std::span<std::uint32_t> accumulator) const {
    const auto N = static_cast<std::size_t>(parameters_.N());
    const std::vector<std::uint32_t> test_polynomial(N, math::from_eighths(1));
    const auto power = static_cast<std::uint32_t>((2 * N - switched.back()) % (2 * N));
    std::ranges::fill(accumulator, 0U);
    multiply_by_monomial(test_polynomial, power, accumulator.last(N));

    const auto mask = switched.first(switched.size() - 1);
    if (parameters_.block() == 1) {
        rotate_binary(mask, accumulator);
    } else {
        rotate_blocks(mask, accumulator);
    }
}

void BlindRotation::rotate_binary(std::span<const std::uint16_t> mask,
                                  std::span<std::uint32_t> accumulator) const {
    std::vector<std::uint32_t> difference(glwe_words_);
    std::vector<std::int32_t> digits(static_cast<std::size_t>(parameters_.rows() * parameters_.N()));
    for (std::size_t i = 0; i < mask.size(); ++i) {
        rotate_difference(accumulator, mask[i], difference);
        decompose_glwe(parameters_, difference, digits);
        add_external_product(parameters_, digits, ggsw(i), accumulator);
    }
}

void BlindRotation::rotate_blocks(std::span<const std::uint16_t> mask,
                                  std::span<std::uint32_t> accumulator) const {
    const auto block = static_cast<std::size_t>(parameters_.block());
    std::vector<std::uint32_t> product(glwe_words_);
    std::vector<std::uint32_t> difference(glwe_words_);
    std::vector<std::int32_t> digits(static_cast<std::size_t>(parameters_.rows() * parameters_.N()));
    for (std::size_t first = 0; first < mask.size(); first += block) {
        decompose_glwe(parameters_, accumulator, digits);
        for (std::size_t i = first; i < std::min(first + block, mask.size()); ++i) {
            std::ranges::fill(product, 0U);
            add_external_product(parameters_, digits, ggsw(i), product);
            rotate_difference(product, mask[i], difference);
            for (std::size_t j = 0; j < glwe_words_; ++j) accumulator[j] += difference[j];
        }
    }
}

void BlindRotation::rotate_difference(std::span<const std::uint32_t> in, std::uint32_t power,
                                      std::span<std::uint32_t> out) const {
    const auto N = static_cast<std::size_t>(parameters_.N());
    for (std::size_t first = 0; first < glwe_words_; first += N) {
        multiply_by_monomial(in.subspan(first, N), power, out.subspan(first, N));
    }
    for (std::size_t j = 0; j < glwe_words_; ++j) out[j] -= in[j];
}

std::span<const std::uint32_t> BlindRotation::ggsw(std::size_t i) const {
    return std::span(key_).subspan(i * ggsw_words_, ggsw_words_);
}

}  // namespace toroid::backend_reference
