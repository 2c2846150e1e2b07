// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/switching_key.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace toroid::backend_cpu {
namespace {

KeySwitchKey sizes(const scheme::Parameters& parameters) {
    KeySwitchKey out;
    out.modulus_log = parameters.key_switch_modulus_log();
    out.input_dimension = parameters.extracted_dimension();
    out.levels = parameters.key_switch_gadget().levels;
    out.base_log = parameters.key_switch_gadget().base_log;
    const int vector = key_switch_vector_bytes / (out.modulus_log == 16 ? 2 : 4);
    out.width = (parameters.n() + 1 + vector - 1) / vector * vector;
    return out;
}

/// Writes row `row` of `rows` into every tile; columns past the sample's end stay zero.
template <typename Word>
void scatter(std::span<const std::uint32_t> sample, std::size_t row, std::size_t rows, std::size_t width,
             Word* values) {
    constexpr std::size_t tile_width = key_switch_tile_vectors * key_switch_vector_bytes / sizeof(Word);
    for (std::size_t first = 0; first < width; first += tile_width) {
        const std::size_t tile = std::min(tile_width, width - first);
        Word* const to = values + first * rows + row * tile;
        for (std::size_t i = first; i < std::min(first + tile, sample.size()); ++i) {
            to[i - first] = static_cast<Word>(sample[i]);
        }
    }
}

}  // namespace

std::uint64_t LoadedSwitchingKey::bytes(const scheme::Parameters& parameters) {
    const KeySwitchKey key = sizes(parameters);
    return static_cast<std::uint64_t>(key.input_dimension) * static_cast<std::uint64_t>(key.levels) *
           static_cast<std::uint64_t>(key.width) * (key.modulus_log == 16 ? 2 : 4);
}

LoadedSwitchingKey::LoadedSwitchingKey(const scheme::EvaluationKey& key, base::ThreadPool& pool)
    : values_(bytes(key.parameters())), view_(sizes(key.parameters())) {
    view_.values = values_.data();
    const auto dimension = static_cast<std::size_t>(view_.input_dimension);
    const auto levels = static_cast<std::size_t>(view_.levels);
    const auto width = static_cast<std::size_t>(view_.width);
    pool.for_each(dimension, [&](std::size_t j, unsigned) {
        std::vector<std::uint32_t> sample(static_cast<std::size_t>(key.parameters().n()) + 1);
        for (std::size_t level = 0; level < levels; ++level) {
            key.lwe_sample(static_cast<int>(j), static_cast<int>(level), sample);
            const std::size_t row = level * dimension + j;
            if (word_bytes() == 2) {
                scatter(std::span<const std::uint32_t>(sample), row, levels * dimension, width,
                        reinterpret_cast<std::uint16_t*>(values_.data()));
            } else {
                scatter(std::span<const std::uint32_t>(sample), row, levels * dimension, width,
                        reinterpret_cast<std::uint32_t*>(values_.data()));
            }
        }
    });
}

}  // namespace toroid::backend_cpu
