// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/rotation_key.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace toroid::backend_cpu {

RotationKey rotation_key_sizes(const scheme::Parameters& parameters) {
    RotationKey out;
    out.lwe_dimension = parameters.n();
    out.block = parameters.block();
    out.ring_dimension = parameters.N();
    out.glwe_dimension = parameters.k();
    out.mask_levels = parameters.mask().levels;
    out.body_levels = parameters.body().levels;
    out.mask_base_log = parameters.mask().base_log;
    out.body_base_log = parameters.body().base_log;
    return out;
}

std::uint64_t LoadedRotationKey::bytes(const scheme::Parameters& parameters) {
    return static_cast<std::uint64_t>(parameters.n()) * static_cast<std::uint64_t>(parameters.rows()) *
           static_cast<std::uint64_t>(parameters.k() + 1) * static_cast<std::uint64_t>(parameters.N()) *
           sizeof(double);
}

namespace {

/// Kernels prefetch up to four blocks of leaves past the end.
std::size_t prefetched_doubles(const scheme::Parameters& parameters) {
    return static_cast<std::size_t>(parameters.rows()) * static_cast<std::size_t>(parameters.k() + 1) * 2 *
           nodes_per_block * 4 * 4;
}

}  // namespace

LoadedRotationKey::LoadedRotationKey(const scheme::EvaluationKey& key, base::ThreadPool& pool)
    : plan_(key.parameters().N()),
      values_(bytes(key.parameters()) / sizeof(double) + prefetched_doubles(key.parameters())),
      view_(rotation_key_sizes(key.parameters())) {
    view_.values = values_.data();
    view_.transform = plan_.tables();

    const auto ring = static_cast<std::size_t>(view_.ring_dimension);
    const std::size_t points = ring / 2;
    const auto components = static_cast<std::size_t>(view_.glwe_dimension + 1);
    const auto rows = static_cast<std::size_t>(view_.rows());
    const std::size_t child_stride = rows * components * 2 * nodes_per_block;
    const double scale = 1.0 / static_cast<double>(points);
    pool.for_each(static_cast<std::size_t>(view_.lwe_dimension), [&](std::size_t i, unsigned) {
        std::vector<std::uint32_t> words(components * ring);
        std::vector<std::int32_t> polynomial(ring);
        std::vector<double> leaves(ring);
        const auto step = std::span(values_).subspan(i * rows * components * ring, rows * components * ring);
        for (std::size_t row = 0; row < rows; ++row) {
            key.glwe_row(static_cast<int>(i), static_cast<int>(row), words);
            for (std::size_t component = 0; component < components; ++component) {
                // Torus elements as signed numbers: the smallest representatives lose the fewest bits.
                std::memcpy(polynomial.data(), words.data() + component * ring, ring * sizeof(std::uint32_t));
                plan_.forward(polynomial, scale, leaves);
                for (std::size_t leaf = 0; leaf < points; ++leaf) {
                    const std::size_t node = leaf / 4;
                    const std::size_t at = (node / nodes_per_block * 4 + leaf % 4) * child_stride +
                                           (row * components + component) * 2 * nodes_per_block +
                                           node % nodes_per_block;
                    step[at] = leaves[2 * leaf];
                    step[at + nodes_per_block] = leaves[2 * leaf + 1];
                }
            }
        }
    });
}

}  // namespace toroid::backend_cpu
