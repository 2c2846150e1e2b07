// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/aligned_vector.hpp"
#include "base/byte_stream.hpp"
#include "base/random_source.hpp"
#include "scheme/lwe_array.hpp"
#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// Lets anybody encrypt bits for the key's owner (IND-CPA, by the same LWE assumptions as the keys;
/// docs/security.md).
///
/// key_switch_first (module LWE; Lyubashevsky-Peikert-Regev, EUROCRYPT 2010, for modules). With A uniform in
/// R^{k x k} from the seed, S the GLWE key, e Gaussian of std sigma_g:            b = A S + e. N bits m are
/// encrypted with r uniform ternary in R^k and fresh Gaussian e1 in R^k, e2 in R of std sigma_g:
///     masks = A^T r + e1,   body = <b, r> + e2 + m,   phase = body - <masks, S> = m + <e, r> + e2 - <e1, S>,
/// and sample extraction of coefficient p gives the LWE encryption of bit p. Variance of each phase over key
/// and encryption:
///     sigma_g^2 (1 + k N (E[r^2] + E[S^2])),   E[r^2] = 2/3.
///
/// bootstrap_first (plain LWE; Lindner-Peikert, CT-RSA 2011). A uniform in Z_q^{n x n}, b = A s + e of std
/// sigma_l; each bit m takes its own r uniform binary in Z^n and e1, e2 of std sigma_l:
///     mask = A^T r + e1,   body = <b, r> + e2 + m,   variance sigma_l^2 (1 + n (1/2 + E[s^2])).
///
/// A's row i is stream i of the seed: k N words (A_i0 | ... | A_ik-1), or n words.
class PublicKey {
 public:
    /// Bodies b: k N or n words; Error(internal) for another size.
    PublicKey(Parameters parameters, base::KeyId key_id, base::MaskSeed seed,
              base::AlignedVector<std::uint32_t> bodies);
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept { return key_id_; }
    /// Samples of wire_dimension, one a bit.
    [[nodiscard]] LweArray encrypt(const std::vector<bool>& bits, base::RandomSourceFactory& random) const;
    /// Sections: PARM (JSON), SEED, BODY (32-bit words).
    void save(const std::filesystem::path& path) const;
    [[nodiscard]] static PublicKey load(const std::filesystem::path& path);

 private:
    void encrypt_with_module(const std::vector<bool>& bits, base::RandomSourceFactory& random,
                             LweArray& out) const;
    void encrypt_with_matrix(const std::vector<bool>& bits, base::RandomSourceFactory& random,
                             LweArray& out) const;

    Parameters parameters_;
    base::KeyId key_id_;
    base::MaskSeed seed_;
    base::AlignedVector<std::uint32_t> bodies_;
};

/// Row i of A, shared by key generation and encryption. Error(internal) for an index or size out of range.
void expand_public_row(const Parameters& parameters, const base::MaskSeed& seed, int i,
                       std::span<std::uint32_t> row);

}  // namespace toroid::scheme
