// SPDX-License-Identifier: Apache-2.0
// The framing of every binary file: sections, lengths, checksum. What the sections mean is scheme/'s
// business.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace toroid::base {

/// What a file holds. Values are part of the format and never reused.
enum class FileKind : std::uint16_t {
    secret_key = 1,
    evaluation_key = 2,
    public_key = 3,
    ciphertexts = 4,
};
[[nodiscard]] std::string_view name(FileKind kind);
/// The kind that a file's first bytes name; none for a file that is not Toroid's, and for pipes and devices,
/// which are not read. Error(io) if it cannot be opened.
[[nodiscard]] std::optional<FileKind> kind_of_file(const std::filesystem::path& path);

using KeyId = std::array<std::byte, 16>;
using Fingerprint = std::array<std::byte, 32>;
[[nodiscard]] std::string hex(std::span<const std::byte> bytes);

/// The fixed head of every file. Layout (little endian): magic "TOROID\r\n" (8 bytes), format version (u16),
/// kind (u16), reserved zero (u32), parameter fingerprint (32), key id (16), length of everything after the
/// head up to the checksum (u64). The file ends with a 32-byte BLAKE2b checksum of all before it, hashed as
/// the sections first and the head last, because a writer knows the length only at the end.
struct FileHead {
    static constexpr std::uint16_t current_version = 1;
    FileKind kind{};
    Fingerprint parameters{};
    KeyId key_id{};
};

/// Writes one file: head, then sections (tag: 4 characters, u64 length, bytes), then checksum.
class SectionWriter {
 public:
    SectionWriter(const std::filesystem::path& path, FileMode mode, const FileHead& head);
    ~SectionWriter();
    /// A whole section from memory.
    void section(std::string_view tag, std::span<const std::byte> bytes);
    /// A section of known length written in pieces: begin, write..., end.
    void begin(std::string_view tag, std::uint64_t length);
    void write(std::span<const std::byte> bytes);
    void end();
    /// Patches the length, appends the checksum, renames.
    void commit();

 private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Reads one file of an expected kind. Error(format) names the file, the section and the byte offset. Nothing
/// is allocated from a length that the file's own size does not bear out; the checksum is verified in open().
class SectionReader {
 public:
    SectionReader(const std::filesystem::path& path, FileKind expected);
    ~SectionReader();
    [[nodiscard]] const FileHead& head() const noexcept;
    /// Enters the next section, which must have this tag; returns its length.
    std::uint64_t enter(std::string_view tag);
    /// As enter, but the length must be exactly this.
    void enter(std::string_view tag, std::uint64_t expected_length);
    /// Reads from the current section; asking for more than is left is Error(format).
    void read(std::span<std::byte> bytes);
    [[nodiscard]] std::vector<std::byte> read_all(std::string_view tag, std::uint64_t limit);
    /// The current section must be read to its end.
    void leave();
    /// No section may follow.
    void finish();
    /// Error(format) at the current place.
    [[noreturn]] void fail(const std::string& message) const;

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace toroid::base
