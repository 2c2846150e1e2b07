// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/random_source.hpp"
#include "client/secret_key.hpp"
#include "scheme/ciphertext_bundle.hpp"
#include "scheme/lwe_array.hpp"
#include "scheme/public_key.hpp"

namespace toroid::client {

/// Encrypts bits as +-1/8 under the wire key; masks are the streams (0, 1, ...) of a fresh seed, returned for
/// storage.
struct SeededSamples {
    base::MaskSeed seed;
    scheme::LweArray samples;
};
[[nodiscard]] SeededSamples encrypt(const SecretKey& key, const std::vector<bool>& bits,
                                    base::RandomSourceFactory& random);

/// Bits of the samples' phases. Never tells how close to a wrong decision a phase was (see docs/security.md).
[[nodiscard]] std::vector<bool> decrypt(const SecretKey& key, const scheme::LweArray& samples);
/// Phases, for noise measurement and tests.
[[nodiscard]] std::vector<std::uint32_t> phases(const SecretKey& key, const scheme::LweArray& samples);

[[nodiscard]] scheme::PublicKey make_public_key(const SecretKey& key, base::RandomSourceFactory& random);

}  // namespace toroid::client
