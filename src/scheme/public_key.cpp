// SPDX-License-Identifier: Apache-2.0
#include "scheme/public_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/secure_memory.hpp"
#include "math/negacyclic.hpp"
#include "math/torus.hpp"
#include "scheme/file_sections.hpp"
#include "scheme/sampling.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::internal, fmt::format("public key: {}", what));
}

std::size_t size(int value) {
    return static_cast<std::size_t>(value);
}

/// The LWE mask of coefficient `position` of a product with the key polynomial:
/// (a S)_p = sum_{j <= p} a_{p-j} S_j - sum_{j > p} a_{N+p-j} S_j.
void extract_mask(std::span<const std::uint32_t> a, std::size_t position, std::span<std::uint32_t> mask) {
    for (std::size_t j = 0; j <= position; ++j) mask[j] = a[position - j];
    for (std::size_t j = position + 1; j < a.size(); ++j) mask[j] = 0U - a[a.size() + position - j];
}

}  // namespace

PublicKey::PublicKey(Parameters parameters, base::KeyId key_id, base::MaskSeed seed,
                     base::AlignedVector<std::uint32_t> bodies)
    : parameters_(std::move(parameters)), key_id_(key_id), seed_(seed), bodies_(std::move(bodies)) {
    require(bodies_.size() == size(parameters_.wire_dimension()), "size of the bodies");
}

LweArray PublicKey::encrypt(const std::vector<bool>& bits, base::RandomSourceFactory& random) const {
    LweArray samples(bits.size(), parameters_.wire_dimension());
    if (parameters_.order() == GateOrder::key_switch_first)
        encrypt_with_module(bits, random, samples);
    else
        encrypt_with_matrix(bits, random, samples);
    return samples;
}

void PublicKey::encrypt_with_module(const std::vector<bool>& bits, base::RandomSourceFactory& random,
                                    LweArray& out) const {
    const std::size_t ring = size(parameters_.N());
    const std::size_t masks = size(parameters_.extracted_dimension());
    const std::size_t components = size(parameters_.k());
    base::AlignedVector<std::uint32_t> matrix(components * masks);
    for (std::size_t i = 0; i < components; ++i)
        expand_public_row(parameters_, seed_, static_cast<int>(i),
                          std::span(matrix).subspan(i * masks, masks));

    const auto secrets = random.make();
    NoiseSampler noise(random.make(), std::exp2(parameters_.literal().glwe.std_log2), 32);
    base::SecretVector<std::int8_t> r(masks);
    base::SecretVector<std::uint32_t> glwe(masks + ring);  // holds e1 and e2 until the products are added
    for (std::size_t first = 0; first < bits.size(); first += ring) {
        sample_ternary(*secrets, r);
        noise.fill(glwe);
        const auto body = std::span(glwe).subspan(masks);
        for (std::size_t i = 0; i < components; ++i) {
            const auto r_i = std::span<const std::int8_t>(r).subspan(i * ring, ring);
            for (std::size_t j = 0; j < components; ++j)
                math::negacyclic_add_product(std::span(matrix).subspan(i * masks + j * ring, ring), r_i,
                                             std::span(glwe).subspan(j * ring, ring));
            math::negacyclic_add_product(std::span(bodies_).subspan(i * ring, ring), r_i, body);
        }
        const std::size_t count = std::min(ring, bits.size() - first);
        for (std::size_t p = 0; p < count; ++p) {
            const auto sample = out[first + p];
            for (std::size_t c = 0; c < components; ++c)
                extract_mask(std::span(glwe).subspan(c * ring, ring), p, sample.subspan(c * ring, ring));
            sample[masks] = body[p] + math::encode_bit(bits[first + p]);
        }
    }
}

void PublicKey::encrypt_with_matrix(const std::vector<bool>& bits, base::RandomSourceFactory& random,
                                    LweArray& out) const {
    const std::size_t dimension = size(parameters_.n());
    base::AlignedVector<std::uint32_t> matrix(dimension * dimension);
    for (std::size_t i = 0; i < dimension; ++i)
        expand_public_row(parameters_, seed_, static_cast<int>(i),
                          std::span(matrix).subspan(i * dimension, dimension));

    const auto secrets = random.make();
    NoiseSampler noise(random.make(), std::exp2(parameters_.literal().lwe.std_log2), 32);
    base::SecretVector<std::int8_t> r(dimension);
    base::SecretVector<std::uint32_t> errors(dimension + 1);
    for (std::size_t b = 0; b < bits.size(); ++b) {
        sample_binary(*secrets, r);
        noise.fill(errors);
        const auto sample = out[b];
        std::ranges::copy(errors, sample.begin());
        for (std::size_t i = 0; i < dimension; ++i) {
            const auto coefficient = static_cast<std::uint32_t>(r[i]);
            const auto row = std::span(matrix).subspan(i * dimension, dimension);
            for (std::size_t j = 0; j < dimension; ++j) sample[j] += coefficient * row[j];
        }
        sample[dimension] += math::inner_product(bodies_, r) + math::encode_bit(bits[b]);
    }
}

void PublicKey::save(const std::filesystem::path& path) const {
    base::SectionWriter writer(path, base::FileMode::ordinary,
                               {base::FileKind::public_key, parameters_.fingerprint(), key_id_});
    write_parameters(writer, parameters_);
    write_seed(writer, seed_);
    write_words(writer, "BODY", bodies_, 4);
    writer.commit();
}

PublicKey PublicKey::load(const std::filesystem::path& path) {
    base::SectionReader reader(path, base::FileKind::public_key);
    Parameters parameters = read_parameters(reader);
    const base::MaskSeed seed = read_seed(reader);
    const std::size_t words = size(parameters.wire_dimension());
    reader.enter("BODY", std::uint64_t{words} * 4);
    base::AlignedVector<std::uint32_t> bodies(words);
    read_words(reader, bodies, 4);
    reader.leave();
    reader.finish();
    return {std::move(parameters), reader.head().key_id, seed, std::move(bodies)};
}

void expand_public_row(const Parameters& parameters, const base::MaskSeed& seed, int i,
                       std::span<std::uint32_t> row) {
    const bool module = parameters.order() == GateOrder::key_switch_first;
    require(i >= 0 && i < (module ? parameters.k() : parameters.n()), "index of a row");
    require(row.size() == size(parameters.wire_dimension()), "size of a row");
    base::MaskStream(seed, size(i)).fill(row);
}

}  // namespace toroid::scheme
