// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets share. A target file defines accept() and, for the section format, reads
// sealed_file().
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace toroid::tests {

/// Gives the input to the reader under test; returns when it was read. toroid::Error means that it was
/// refused, which is well; Error(internal) and every other exception are faults.
void accept(std::span<const std::byte> input);

/// The input as text.
[[nodiscard]] std::string_view text_of(std::span<const std::byte> input);

/// A file with this content, good until the next call; in memory, so that the disk does not set the pace.
[[nodiscard]] std::filesystem::path file_of(std::span<const std::byte> input);

/// Whether inputs are section files (base/byte_stream.hpp): then most mutated inputs get a right length and
/// checksum, without which none would pass the first check.
extern const bool section_files;

/// Stops with a message if a property that must hold does not.
void require(bool holds, const char* property);

}  // namespace toroid::tests
