// SPDX-License-Identifier: Apache-2.0
#include "math/negacyclic.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

#include "toroid/error.hpp"

namespace toroid::math {
namespace {

// Four 32-bit lanes: the baseline of both supported compilers, without intrinsics.
using Lanes = std::uint32_t __attribute__((vector_size(16)));
constexpr std::size_t lane_count = 4;
// Key coefficients handled in one pass over the accumulator; their masks stay in registers.
constexpr std::size_t pass = 4;

Lanes load(const std::uint32_t* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof(lanes));
    return lanes;
}

Lanes broadcast(std::uint32_t value) {
    return Lanes{value, value, value, value};
}

/// Masks of one coefficient c in {-1, 0, 1}: c * x = ((x ^ negative) & nonzero) + (negative & 1).
struct Masks {
    Lanes negative;
    Lanes nonzero;
};

Masks masks_of(std::int8_t coefficient) {
    const auto wide = static_cast<std::uint32_t>(static_cast<std::int32_t>(coefficient));
    return {broadcast(0U - (wide >> 31U)), broadcast(0U - (wide & 1U))};
}

}  // namespace

void negacyclic_multiply(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                         std::span<std::uint32_t> product) {
    const std::size_t size = a.size();
    if (b.size() != size || product.size() != size) {
        throw Error(ErrorKind::internal, "negacyclic_multiply: sizes differ");
    }
    for (std::size_t i = 0; i < size; ++i) product[i] = 0;
    for (std::size_t j = 0; j < size; ++j) {
        const std::uint32_t factor = b[j];
        for (std::size_t i = 0; i < size - j; ++i) product[i + j] += a[i] * factor;
        for (std::size_t i = size - j; i < size; ++i) product[i + j - size] -= a[i] * factor;
    }
}

void negacyclic_add_product(std::span<const std::uint32_t> a, std::span<const std::int8_t> key,
                            std::span<std::uint32_t> accumulator) {
    const std::size_t size = a.size();
    if (key.size() != size || accumulator.size() != size || size % lane_count != 0) {
        throw Error(ErrorKind::internal, "negacyclic_add_product: sizes differ or are no multiple of 4");
    }
    // extended = (-a, a): coefficient i of a * X^j is extended[size + i - j], sign included.
    std::vector<std::uint32_t> extended(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
        extended[i] = 0U - a[i];
        extended[size + i] = a[i];
    }
    std::uint32_t negatives = 0;  // the "+ 1" of every complement, the same for each output
    for (const std::int8_t coefficient : key) negatives += static_cast<std::uint8_t>(coefficient) >> 7U;
    for (std::uint32_t& word : accumulator) word += negatives;

    for (std::size_t j = 0; j < size; j += pass) {
        const Masks m0 = masks_of(key[j]);
        const Masks m1 = masks_of(key[j + 1]);
        const Masks m2 = masks_of(key[j + 2]);
        const Masks m3 = masks_of(key[j + 3]);
        const std::uint32_t* source = extended.data() + (size - j);
        for (std::size_t i = 0; i < size; i += lane_count) {
            Lanes sum = load(&accumulator[i]);
            sum += (load(source + i) ^ m0.negative) & m0.nonzero;
            sum += (load(source + i - 1) ^ m1.negative) & m1.nonzero;
            sum += (load(source + i - 2) ^ m2.negative) & m2.nonzero;
            sum += (load(source + i - 3) ^ m3.negative) & m3.nonzero;
            std::memcpy(&accumulator[i], &sum, sizeof(sum));
        }
    }
}

std::uint32_t inner_product(std::span<const std::uint32_t> a, std::span<const std::int8_t> key) {
    if (a.size() != key.size()) throw Error(ErrorKind::internal, "inner_product: sizes differ");
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * static_cast<std::uint32_t>(static_cast<std::int32_t>(key[i]));
    }
    return sum;
}

}  // namespace toroid::math
