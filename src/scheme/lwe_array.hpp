// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_vector.hpp"

namespace toroid::scheme {

/// `count` LWE ciphertexts of one dimension on the host; sample i is dimension + 1 torus words, body last:
/// phase = body - <mask, key>.
class LweArray {
   public:
    LweArray() = default;
    LweArray(std::size_t count, int dimension)
        : count_(count), dimension_(dimension), words_(count * (static_cast<std::size_t>(dimension) + 1)) {}

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] int dimension() const noexcept { return dimension_; }
    [[nodiscard]] std::span<std::uint32_t> operator[](std::size_t i) {
        return std::span(words_).subspan(i * stride(), stride());
    }
    [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
        return std::span(words_).subspan(i * stride(), stride());
    }

   private:
    [[nodiscard]] std::size_t stride() const noexcept { return static_cast<std::size_t>(dimension_) + 1; }
    std::size_t count_ = 0;
    int dimension_ = 0;
    base::AlignedVector<std::uint32_t> words_;
};

}  // namespace toroid::scheme
