// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/aligned_vector.hpp"
#include "base/byte_stream.hpp"
#include "base/random_source.hpp"
#include "base/thread_pool.hpp"
#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// What a server needs to evaluate gates: the bootstrapping key and the key-switching key. Holds no secret.
///
/// Kept in seeded form: bodies and one published seed. Masks are expanded on demand, one MaskStream a GLWE or
/// LWE sample, so that a backend can build its own layout row by row without a full second copy.
///   bootstrapping key: n GGSW encryptions of the LWE key, each rows() GLWE samples of (k masks | body) x N words.
///     Row r encrypts s_i times the gadget element of its component and level: component c, level l adds
///     s_i 2^(32 - l base_log) to coefficient 0 of component c.
///   key-switching key: k N x levels LWE samples under the LWE key, sample (j, l) encrypting S_j 2^(32 - l base_log),
///     modulus 2^modulus_log, words of 16 or 32 bits.
/// Streams of the seed: GLWE row g = i * rows() + r uses stream g; LWE sample h = j * levels + l uses stream
/// n * rows() + h.
class EvaluationKey {
   public:
    EvaluationKey(Parameters parameters, base::KeyId key_id, base::MaskSeed seed,
                  base::AlignedVector<std::uint32_t> bootstrapping_bodies,
                  base::AlignedVector<std::uint32_t> key_switching_bodies);

    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept { return key_id_; }
    [[nodiscard]] const base::MaskSeed& seed() const noexcept { return seed_; }

    /// GLWE row (i, r): out has (k+1) N words, masks first, body last. Thread safe.
    void glwe_row(int i, int r, std::span<std::uint32_t> out) const;
    /// LWE sample (j, l) with l in [0, levels): out has n + 1 words < 2^modulus_log, body last. Thread safe.
    void lwe_sample(int j, int l, std::span<std::uint32_t> out) const;

    void save(const std::filesystem::path& path) const;
    [[nodiscard]] static EvaluationKey load(const std::filesystem::path& path);

   private:
    Parameters parameters_;
    base::KeyId key_id_;
    base::MaskSeed seed_;
    base::AlignedVector<std::uint32_t> bootstrapping_bodies_;  // n * rows * N
    base::AlignedVector<std::uint32_t> key_switching_bodies_;  // k N * levels, values < 2^modulus_log
};

/// Fills masks of a GLWE row / LWE sample from the published seed: shared by key generation and expansion.
void expand_glwe_masks(const Parameters& parameters, const base::MaskSeed& seed, int i, int r,
                       std::span<std::uint32_t> masks);
void expand_lwe_mask(const Parameters& parameters, const base::MaskSeed& seed, int j, int l,
                     std::span<std::uint32_t> mask);

}  // namespace toroid::scheme
