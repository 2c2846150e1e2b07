// SPDX-License-Identifier: Apache-2.0
#include "scheme/evaluation_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scheme/file_sections.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::internal, fmt::format("evaluation key: {}", what));
}

std::size_t size(int value) {
    return static_cast<std::size_t>(value);
}

int key_switching_word_bytes(const Parameters& parameters) {
    return parameters.key_switch_modulus_log() == 16 ? 2 : 4;
}

base::AlignedVector<std::uint32_t> read_section(base::SectionReader& reader, std::string_view tag,
                                                std::size_t words, int bytes_per_word) {
    reader.enter(tag, std::uint64_t{words} * static_cast<std::uint64_t>(bytes_per_word));
    base::AlignedVector<std::uint32_t> values(words);
    read_words(reader, values, bytes_per_word);
    reader.leave();
    return values;
}

}  // namespace

std::size_t bootstrapping_body_words(const Parameters& parameters) {
    return size(parameters.n()) * size(parameters.rows()) * size(parameters.N());
}

std::size_t key_switching_body_words(const Parameters& parameters) {
    return size(parameters.extracted_dimension()) * size(parameters.key_switch_gadget().levels);
}

EvaluationKey::EvaluationKey(Parameters parameters, base::KeyId key_id, base::MaskSeed seed,
                             base::AlignedVector<std::uint32_t> bootstrapping_bodies,
                             base::AlignedVector<std::uint32_t> key_switching_bodies)
    : parameters_(std::move(parameters)),
      key_id_(key_id),
      seed_(seed),
      bootstrapping_bodies_(std::move(bootstrapping_bodies)),
      key_switching_bodies_(std::move(key_switching_bodies)) {
    require(bootstrapping_bodies_.size() == bootstrapping_body_words(parameters_),
            "size of the bootstrapping key");
    require(key_switching_bodies_.size() == key_switching_body_words(parameters_),
            "size of the key-switching key");
}

void EvaluationKey::glwe_row(int i, int r, std::span<std::uint32_t> out) const {
    const std::size_t ring = size(parameters_.N());
    const std::size_t masks = size(parameters_.extracted_dimension());
    require(out.size() == masks + ring, "size of a GLWE row");
    expand_glwe_masks(parameters_, seed_, i, r, out.first(masks));
    const std::size_t row = size(i) * size(parameters_.rows()) + size(r);
    std::ranges::copy(std::span(bootstrapping_bodies_).subspan(row * ring, ring), out.subspan(masks).begin());
}

void EvaluationKey::lwe_sample(int j, int l, std::span<std::uint32_t> out) const {
    const std::size_t dimension = size(parameters_.n());
    require(out.size() == dimension + 1, "size of an LWE sample");
    expand_lwe_mask(parameters_, seed_, j, l, out.first(dimension));
    out[dimension] = key_switching_bodies_[size(j) * size(parameters_.key_switch_gadget().levels) + size(l)];
}

void EvaluationKey::save(const std::filesystem::path& path) const {
    base::SectionWriter writer(path, base::FileMode::ordinary,
                               {base::FileKind::evaluation_key, parameters_.fingerprint(), key_id_});
    write_parameters(writer, parameters_);
    write_seed(writer, seed_);
    write_words(writer, "BSKB", bootstrapping_bodies_, 4);
    write_words(writer, "KSKB", key_switching_bodies_, key_switching_word_bytes(parameters_));
    writer.commit();
}

EvaluationKey EvaluationKey::load(const std::filesystem::path& path) {
    base::SectionReader reader(path, base::FileKind::evaluation_key);
    Parameters parameters = read_parameters(reader);
    const base::MaskSeed seed = read_seed(reader);
    auto bootstrapping = read_section(reader, "BSKB", bootstrapping_body_words(parameters), 4);
    auto key_switching = read_section(reader, "KSKB", key_switching_body_words(parameters),
                                      key_switching_word_bytes(parameters));
    reader.finish();
    return {std::move(parameters), reader.head().key_id, seed, std::move(bootstrapping),
            std::move(key_switching)};
}

void expand_glwe_masks(const Parameters& parameters, const base::MaskSeed& seed, int i, int r,
                       std::span<std::uint32_t> masks) {
    require(i >= 0 && i < parameters.n() && r >= 0 && r < parameters.rows(), "index of a GLWE row");
    require(masks.size() == size(parameters.extracted_dimension()), "size of the masks of a GLWE row");
    base::MaskStream(seed, size(i) * size(parameters.rows()) + size(r)).fill(masks);
}

void expand_lwe_mask(const Parameters& parameters, const base::MaskSeed& seed, int j, int l,
                     std::span<std::uint32_t> mask) {
    const int levels = parameters.key_switch_gadget().levels;
    require(j >= 0 && j < parameters.extracted_dimension() && l >= 0 && l < levels, "index of an LWE sample");
    require(mask.size() == size(parameters.n()), "size of the mask of an LWE sample");
    base::MaskStream stream(
        seed, size(parameters.n()) * size(parameters.rows()) + size(j) * size(levels) + size(l));
    if (parameters.key_switch_modulus_log() == 32) return stream.fill(mask);
    require(parameters.key_switch_modulus_log() == 16, "modulus of the key switch");
    std::array<std::uint16_t, 1024> chunk;
    while (!mask.empty()) {
        const auto words = std::span(chunk).first(std::min(mask.size(), chunk.size()));
        stream.fill(words);
        std::ranges::copy(words, mask.begin());
        mask = mask.subspan(words.size());
    }
}

}  // namespace toroid::scheme
