// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/random_source.hpp"
#include "scheme/lwe_array.hpp"
#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// Lets anybody encrypt bits for the key's owner. Construction, noise and security: public_key.cpp and
/// docs/security.md. The variance of what it encrypts is at most one blind rotation's.
class PublicKey {
   public:
    PublicKey(Parameters parameters, base::KeyId key_id, base::MaskSeed seed, base::AlignedVector<std::uint32_t> bodies);
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept { return key_id_; }
    [[nodiscard]] LweArray encrypt(const std::vector<bool>& bits, base::RandomSourceFactory& random) const;
    void save(const std::filesystem::path& path) const;
    [[nodiscard]] static PublicKey load(const std::filesystem::path& path);

   private:
    Parameters parameters_;
    base::KeyId key_id_;
    base::MaskSeed seed_;
    base::AlignedVector<std::uint32_t> bodies_;
};

}  // namespace toroid::scheme
