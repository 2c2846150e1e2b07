// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/rotation/transform_tables.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace toroid::backend_gpu {
namespace {

HostComplex multiply(HostComplex a, HostComplex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
HostComplex add(HostComplex a, HostComplex b) {
    return {a.re + b.re, a.im + b.im};
}
HostComplex subtract(HostComplex a, HostComplex b) {
    return {a.re - b.re, a.im - b.im};
}
HostComplex times_i(HostComplex a) {
    return {-a.im, a.re};
}

}  // namespace

TransformTables::TransformTables(int ring_dimension)
    : ring_dimension_(ring_dimension),
      points_(ring_dimension / 2),
      first_by_two_(std::countr_zero(static_cast<unsigned>(ring_dimension / 2)) % 2 == 1) {
    const auto ring = static_cast<std::size_t>(ring_dimension);
    roots_.resize(ring);
    for (std::size_t e = 0; e < ring; ++e) {
        const long double angle =
            std::numbers::pi_v<long double> * static_cast<long double>(e) / static_cast<long double>(ring);
        roots_[e] = {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
    }
    // Exponents of u of the nodes of the present stage; the root of the tree is X^M = i = exp(i pi (N/2) /
    // N).
    std::vector<std::uint64_t> nodes{ring / 2};
    const auto split = [&](std::uint64_t ways) {
        std::vector<std::uint64_t> children;
        for (const std::uint64_t e : nodes) {
            for (std::uint64_t t = 0; t < ways; ++t) children.push_back(e / ways + t * (2 * ring / ways));
        }
        nodes = children;
    };
    if (first_by_two_) split(2);
    while (nodes.size() < static_cast<std::size_t>(points_)) {
        for (const std::uint64_t e : nodes) {
            for (std::uint64_t power = 1; power <= 3; ++power) twiddles_.push_back(root(power * (e / 4)));
        }
        split(4);
    }
    for (const std::uint64_t e : nodes) leaf_exponents_.push_back(static_cast<std::uint16_t>(e % (2 * ring)));
}

HostComplex TransformTables::root(std::uint64_t e) const {
    const auto ring = static_cast<std::uint64_t>(ring_dimension_);
    const HostComplex value = roots_[e % ring];
    return (e / ring) % 2 == 0 ? value : HostComplex{-value.re, -value.im};
}

void TransformTables::forward(std::span<const std::uint32_t> polynomial,
                              std::span<HostComplex> values) const {
    const auto points = static_cast<std::size_t>(points_);
    for (std::size_t j = 0; j < points; ++j) {
        values[j] = {static_cast<double>(static_cast<std::int32_t>(polynomial[j])),
                     static_cast<double>(static_cast<std::int32_t>(polynomial[j + points]))};
    }
    std::size_t length = points;
    if (first_by_two_) {
        const HostComplex w = root(static_cast<std::uint64_t>(ring_dimension_) / 4);
        length /= 2;
        for (std::size_t j = 0; j < length; ++j) {
            const HostComplex turned = multiply(w, values[j + length]);
            values[j + length] = subtract(values[j], turned);
            values[j] = add(values[j], turned);
        }
    }
    const HostComplex* twiddle = twiddles_.data();
    for (; length > 1; length /= 4) {
        const std::size_t part = length / 4;
        for (std::size_t first = 0; first < points; first += length, twiddle += 3) {
            for (std::size_t j = first; j < first + part; ++j) {
                const HostComplex b = multiply(twiddle[0], values[j + part]);
                const HostComplex c = multiply(twiddle[1], values[j + 2 * part]);
                const HostComplex d = multiply(twiddle[2], values[j + 3 * part]);
                const HostComplex even_sum = add(values[j], c);
                const HostComplex even_difference = subtract(values[j], c);
                const HostComplex odd_sum = add(b, d);
                const HostComplex odd_difference = times_i(subtract(b, d));
                values[j] = add(even_sum, odd_sum);
                values[j + part] = add(even_difference, odd_difference);
                values[j + 2 * part] = subtract(even_sum, odd_sum);
                values[j + 3 * part] = subtract(even_difference, odd_difference);
            }
        }
    }
}

}  // namespace toroid::backend_gpu
