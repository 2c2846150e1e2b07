// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/random_source.hpp"
#include "scheme/lwe_array.hpp"
#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// How the samples of an entry came to be; decides their variance.
enum class Origin : std::uint8_t { secret_key = 0, public_key = 1, evaluated = 2 };

/// One named value: `steps` x `width` bits. steps = 1 for a value held over all cycles, else one a clock
/// cycle.
struct CiphertextEntry {
    /// 1 to 4096 bytes, no control characters, once a bundle.
    std::string name;
    std::uint32_t width = 0;
    std::uint32_t steps = 1;
    bool is_signed = false;
    Origin origin = Origin::secret_key;
    /// For evaluated values: the largest variance of a sample, in units of one bootstrapped output of the
    /// parameter set, under which the samples may be treated as independent. 0 for other origins.
    float variance = 0;
    LweArray samples;  ///< steps * width samples of wire_dimension, bit 0 of step 0 first
    /// For secret-key encryptions: masks come from this published seed (stream = sample index) and only
    /// bodies are stored in the file.
    std::optional<base::MaskSeed> seed;
};

/// A file of encrypted values, bound to a parameter set, a key and an interface.
///
/// Sections: BIND (interface fingerprint 32 bytes, wire dimension u32, number of entries u32), then for each
/// entry
///   NAME  name;
///   FORM  width u32, steps u32, signed u8, origin u8, seeded u8, zero u8, variance f32, then the seed (32)
///         if seeded;
///   BODY  one word a sample if seeded, else SMPL: dimension + 1 words a sample.
struct CiphertextBundle {
    base::Fingerprint parameters{};
    base::KeyId key_id{};
    /// Fingerprint of the interface the names belong to; all zero when unbound.
    base::Fingerprint interface_id{};
    std::vector<CiphertextEntry> entries;

    /// Error(internal) naming the entry if its fields contradict each other, e.g. masks that are not the
    /// seed's.
    void save(const std::filesystem::path& path) const;
    /// Error(key_mismatch) if the file belongs to another parameter set.
    [[nodiscard]] static CiphertextBundle load(const std::filesystem::path& path,
                                               const Parameters& parameters);

    /// Error(key_mismatch) naming both ids if these ciphertexts belong to another key; `what` names the
    /// bundle in the message, e.g. its file.
    void require_key(const base::KeyId& expected, std::string_view what) const;
};

/// The mask of sample `index` of an entry with this seed.
void expand_sample_mask(const base::MaskSeed& seed, std::uint64_t index, std::span<std::uint32_t> mask);

}  // namespace toroid::scheme
