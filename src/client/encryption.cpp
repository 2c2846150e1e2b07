// SPDX-License-Identifier: Apache-2.0
#include "client/encryption.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "math/negacyclic.hpp"
#include "math/torus.hpp"
#include "scheme/sampling.hpp"
#include "toroid/error.hpp"

namespace toroid::client {
namespace {

std::size_t size(int value) {
    return static_cast<std::size_t>(value);
}

/// Wires live under the GLWE key in key_switch_first order, under the LWE key otherwise.
double wire_std(const scheme::Parameters& parameters) {
    const auto& literal = parameters.literal();
    return std::exp2(literal.order == scheme::GateOrder::key_switch_first ? literal.glwe.std_log2
                                                                          : literal.lwe.std_log2);
}

}  // namespace

SeededSamples encrypt(const SecretKey& key, const std::vector<bool>& bits,
                      base::RandomSourceFactory& random) {
    const scheme::Parameters& parameters = key.parameters();
    const std::size_t dimension = size(parameters.wire_dimension());
    SeededSamples result{scheme::sample_mask_seed(*random.make()),
                         scheme::LweArray(bits.size(), parameters.wire_dimension())};
    scheme::NoiseSampler sampler(random.make(), wire_std(parameters), 32);
    base::SecretVector<std::uint32_t> noise(bits.size());
    sampler.fill(noise);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const auto sample = result.samples[i];
        const auto mask = sample.first(dimension);
        scheme::expand_sample_mask(result.seed, i, mask);
        sample[dimension] = math::inner_product(mask, key.wire()) + noise[i] + math::encode_bit(bits[i]);
    }
    return result;
}

std::vector<std::uint32_t> phases(const SecretKey& key, const scheme::LweArray& samples) {
    const int dimension = key.parameters().wire_dimension();
    if (samples.count() != 0 && samples.dimension() != dimension)
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("ciphertexts of dimension {} do not belong to a key of dimension {}",
                                samples.dimension(), dimension));
    std::vector<std::uint32_t> result(samples.count());
    for (std::size_t i = 0; i < samples.count(); ++i) {
        const auto sample = samples[i];
        result[i] = sample[size(dimension)] - math::inner_product(sample.first(size(dimension)), key.wire());
    }
    return result;
}

std::vector<bool> decrypt(const SecretKey& key, const scheme::LweArray& samples) {
    std::vector<bool> bits;
    bits.reserve(samples.count());
    auto sample_phases = phases(key, samples);
    for (const std::uint32_t phase : sample_phases) bits.push_back(math::decode_bit(phase));
    base::wipe(std::as_writable_bytes(std::span(sample_phases)));
    return bits;
}

scheme::PublicKey make_public_key(const SecretKey& key, base::RandomSourceFactory& random) {
    const scheme::Parameters& parameters = key.parameters();
    const base::MaskSeed seed = scheme::sample_mask_seed(*random.make());
    scheme::NoiseSampler noise(random.make(), wire_std(parameters), 32);
    base::AlignedVector<std::uint32_t> bodies(size(parameters.wire_dimension()));
    noise.fill(bodies);
    if (parameters.order() == scheme::GateOrder::bootstrap_first) {
        base::AlignedVector<std::uint32_t> row(size(parameters.n()));
        for (int i = 0; i < parameters.n(); ++i) {
            scheme::expand_public_row(parameters, seed, i, row);
            bodies[size(i)] += math::inner_product(row, key.lwe());
        }
    } else {
        const std::size_t ring = size(parameters.N());
        base::AlignedVector<std::uint32_t> row(size(parameters.extracted_dimension()));
        for (int i = 0; i < parameters.k(); ++i) {
            scheme::expand_public_row(parameters, seed, i, row);
            for (int j = 0; j < parameters.k(); ++j)
                math::negacyclic_add_product(std::span(row).subspan(size(j) * ring, ring),
                                             key.glwe().subspan(size(j) * ring, ring),
                                             std::span(bodies).subspan(size(i) * ring, ring));
        }
    }
    return {parameters, key.key_id(), seed, std::move(bodies)};
}

}  // namespace toroid::client
