// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "base/aligned_vector.hpp"
#include "base/byte_stream.hpp"
#include "base/random_source.hpp"
#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// What a server needs to evaluate gates: the bootstrapping key and the key-switching key. Holds no secret.
///
/// Kept in seeded form: bodies and one published seed. Masks are expanded on demand, one MaskStream a GLWE or
/// LWE sample, so that a backend can build its own layout row by row without a full second copy.
///
/// Bootstrapping key: n GGSW encryptions of the LWE key coefficients s_i, each rows() GLWE samples of (k
/// masks | body) of N words. The phase of a GLWE sample is body - sum_c mask_c S_c in Z[X]/(X^N + 1). With g
/// = 2^(32 - l base_log), l = 1...levels,
///     phase of the row of mask component c, level l:  -s_i g S_c + noise,
///     phase of the row of the body, level l:           s_i g     + noise,
/// which is the textbook GGSW (s_i g added to coefficient 0 of component c) with the shift moved from the
/// mask into the body, for masks come from the published seed. So the sum over rows of digit_r(ACC) * row_r,
/// digits of component c on the rows of component c, encrypts s_i * phase(ACC) (CGGI, J. Cryptology 33, 2020,
/// section 3).
///
/// Key-switching key: k N x levels LWE samples under s, with q = 2^modulus_log and words in [0, q); sample
/// (j, l - 1) has
///     phase body - <mask, s> = S_j q / B^l + noise (mod q),  S = (S_0 | ... | S_{k-1}), coefficient j = c N
///     + position.
///
/// Streams of the seed: GLWE row g = i * rows() + r uses stream g, its masks in order of c; LWE sample h = j
/// * levels + (l - 1) uses stream n * rows() + h, as 16-bit words if q = 2^16.
class EvaluationKey {
 public:
    /// Error(internal) if a size does not fit the parameters.
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

    /// Sections: PARM (JSON), SEED, BSKB (bodies of the bootstrapping key, 32 bits), KSKB (bodies of the
    /// key-switching key, 16 or 32 bits).
    void save(const std::filesystem::path& path) const;
    [[nodiscard]] static EvaluationKey load(const std::filesystem::path& path);

 private:
    Parameters parameters_;
    base::KeyId key_id_;
    base::MaskSeed seed_;
    base::AlignedVector<std::uint32_t> bootstrapping_bodies_;  // n * rows * N
    base::AlignedVector<std::uint32_t> key_switching_bodies_;  // k N * levels, values < 2^modulus_log
};

/// Words of the two parts: n * rows * N and k N * levels.
[[nodiscard]] std::size_t bootstrapping_body_words(const Parameters& parameters);
[[nodiscard]] std::size_t key_switching_body_words(const Parameters& parameters);

/// Fills the masks of GLWE row (i, r), k N words, or of LWE sample (j, l), n words, from the published seed:
/// shared by key generation and expansion. Error(internal) for an index or size out of range.
void expand_glwe_masks(const Parameters& parameters, const base::MaskSeed& seed, int i, int r,
                       std::span<std::uint32_t> masks);
void expand_lwe_mask(const Parameters& parameters, const base::MaskSeed& seed, int j, int l,
                     std::span<std::uint32_t> mask);

}  // namespace toroid::scheme
