// SPDX-License-Identifier: Apache-2.0
// Small helpers around the files of Toroid.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "toroid/error.hpp"

namespace toroid {

/// What a file is by its first bytes: "secret key", "evaluation key", "public key" or "ciphertext"; empty
/// for anything else, pipes included, which are left unread. Error(io) if it cannot be opened.
[[nodiscard]] std::string file_kind(const std::filesystem::path& path);

/// The whole text of a file of at most 256 MiB. Error(io) if unreadable, Error(format) if longer.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);
/// Writes beside the target and renames: there is never half a file.
void write_text(const std::filesystem::path& path, std::string_view text);

/// Error(io) unless a file could be written there now, so that long work does not end in a typing error.
/// A secret key is in no case overwritten. Writes nothing.
void check_writable(const std::filesystem::path& path);

/// Removes what saves now under way have written aside. Async-signal-safe, for a signal handler that is
/// about to end the process.
void remove_temporary_files() noexcept;

}  // namespace toroid
