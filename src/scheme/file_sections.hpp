// SPDX-License-Identifier: Apache-2.0
// Sections that several kinds of file share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/byte_stream.hpp"
#include "base/random_source.hpp"
#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// Section PARM: the set as JSON, so that a reader needs no table and knows user-defined sets too.
void write_parameters(base::SectionWriter& writer, const Parameters& parameters);
/// Reads PARM. Error(format) if it is no valid set or not the one whose fingerprint the head carries.
[[nodiscard]] Parameters read_parameters(base::SectionReader& reader);

/// Section SEED: the published seed of the object's masks.
void write_seed(base::SectionWriter& writer, const base::MaskSeed& seed);
[[nodiscard]] base::MaskSeed read_seed(base::SectionReader& reader);

/// A whole section of words, little endian, of 2 or 4 bytes each.
void write_words(base::SectionWriter& writer, std::string_view tag, std::span<const std::uint32_t> words,
                 int bytes_per_word);
/// Part of the current section: the caller has compared its length with the words expected.
void read_words(base::SectionReader& reader, std::span<std::uint32_t> words, int bytes_per_word);
/// As write_words, inside a section that the caller has begun.
void write_words(base::SectionWriter& writer, std::span<const std::uint32_t> words, int bytes_per_word);

}  // namespace toroid::scheme
