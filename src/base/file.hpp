// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace toroid::base {

enum class FileMode : std::uint8_t {
    ordinary,    ///< created with the process's umask; the file it replaces hands on its mode
    owner_only,  ///< mode 0600 from the first byte, temporary file too; never overwrites an existing file
};

/// Writes beside the target and renames on commit(): a reader sees the old file, the new file or none, never
/// half of one. Without commit() the temporary file is removed. Throws Error(io) naming the path; a full disk
/// is reported by write() or commit(), never lost. A symbolic link is followed; an existing device or pipe
/// (such as /dev/stdout) is written in place, because replacing it by a file is never what was meant.
class AtomicFileWriter {
 public:
    AtomicFileWriter(std::filesystem::path target, FileMode mode);
    ~AtomicFileWriter();
    AtomicFileWriter(const AtomicFileWriter&) = delete;
    AtomicFileWriter& operator=(const AtomicFileWriter&) = delete;

    void write(std::span<const std::byte> bytes);
    /// Overwrites bytes already written, from `offset`. Error(io) where the target cannot seek.
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
    /// Flushes, syncs and renames. For owner_only: Error(io) if the target exists.
    void commit();

 private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Removes the temporary files of all writers now open. Async-signal-safe, for a SIGINT handler that is about
/// to end the process. A writer whose file was so removed fails in commit().
void remove_temporary_files() noexcept;

/// The whole of a file or pipe, refused with Error(format) if it is longer than `limit` bytes. Error(io) if
/// unreadable.
[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& path, std::uint64_t limit);

/// Writes text or bytes through AtomicFileWriter.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes, FileMode mode);
void write_file(const std::filesystem::path& path, const std::string& text, FileMode mode);

}  // namespace toroid::base
