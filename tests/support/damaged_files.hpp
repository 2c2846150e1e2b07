// SPDX-License-Identifier: Apache-2.0
// Every way in which a file of the section format can be damaged, tried on a reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toroid::tests {

using FileBytes = std::vector<std::byte>;

[[nodiscard]] FileBytes read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Where one section of a file lies.
struct SectionPlace {
    std::string tag;
    std::size_t head = 0;     ///< offset of the tag
    std::size_t content = 0;  ///< offset of the first content byte
    std::size_t end = 0;
};
[[nodiscard]] std::vector<SectionPlace> sections_of(std::span<const std::byte> file);

/// Makes length and checksum right again, as a forger would.
void seal(FileBytes& file);
/// The file with the content of section number `index` replaced, sealed.
[[nodiscard]] FileBytes with_section(const FileBytes& file, std::size_t index,
                                     std::span<const std::byte> content);

/// The message of the toroid::Error of kind format that reading these bytes gives; a test failure if there is
/// another exception, no exception, or memory growth of 64 MiB or more.
using Reader = std::function<void(const std::filesystem::path&)>;
std::string refusal_of(std::span<const std::byte> bytes, const Reader& read);

/// Empty, a byte short, cut at and after each section, padded, wrong magic, versions, kind, gzip, flipped
/// bytes, and (sealed) lying lengths, missing, doubled and foreign sections. A section `text_section` is free
/// text: right at any length.
void expect_refuses_damage(const FileBytes& valid, const Reader& read, std::string_view text_section = "");

}  // namespace toroid::tests
