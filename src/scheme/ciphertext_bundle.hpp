// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/random_source.hpp"
#include "scheme/lwe_array.hpp"
#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// How the samples of an entry came to be; decides their variance.
enum class Origin : std::uint8_t { secret_key = 0, public_key = 1, evaluated = 2 };

/// One named value: `steps` x `width` bits. steps = 1 for a value held over all cycles, else one a clock cycle.
struct CiphertextEntry {
    std::string name;
    std::uint32_t width = 0;
    std::uint32_t steps = 1;
    bool is_signed = false;
    Origin origin = Origin::secret_key;
    LweArray samples;  ///< steps * width samples of wire_dimension, bit 0 of step 0 first
    /// For secret-key encryptions: masks come from this published seed (stream = sample index) and only bodies
    /// are stored in the file.
    std::optional<base::MaskSeed> seed;
};

/// A file of encrypted values, bound to a parameter set, a key and an interface.
struct CiphertextBundle {
    base::Fingerprint parameters{};
    base::KeyId key_id{};
    /// Fingerprint of the interface the names belong to; all zero when unbound.
    base::Fingerprint interface_id{};
    std::vector<CiphertextEntry> entries;

    void save(const std::filesystem::path& path) const;
    /// Error(key_mismatch) if the file belongs to another parameter set.
    [[nodiscard]] static CiphertextBundle load(const std::filesystem::path& path, const Parameters& parameters);
};

}  // namespace toroid::scheme
