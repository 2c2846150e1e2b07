// SPDX-License-Identifier: Apache-2.0
#include "toroid/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "api/common/access.hpp"
#include "base/byte_stream.hpp"
#include "base/file.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t largest_text = std::uint64_t{256} << 20;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be written: {}", path.string(), reason));
}

}  // namespace

std::string file_kind(const std::filesystem::path& path) {
    const std::optional<base::FileKind> kind = base::kind_of_file(path);
    return kind ? std::string(base::name(*kind)) : std::string();
}

std::string read_text(const std::filesystem::path& path) {
    return detail::read_text(path, largest_text);
}

void remove_temporary_files() noexcept {
    base::remove_temporary_files();
}

void write_text(const std::filesystem::path& path, std::string_view text) {
    base::write_file(path, std::as_bytes(std::span(text)), base::FileMode::ordinary);
}

void check_writable(const std::filesystem::path& path) {
    std::error_code error;
    if (path.empty()) throw Error(ErrorKind::usage, "the name of an output file is empty");
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::none) refuse(path, error.message());
    if (std::filesystem::is_directory(status)) refuse(path, "it is a directory");
    if (std::filesystem::is_regular_file(status) && ::access(path.c_str(), R_OK) == 0 &&
        base::kind_of_file(path) == base::FileKind::secret_key) {
        refuse(path, "it is a secret key, which is never overwritten");
    }
    const bool is_device = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    const std::filesystem::path parent =
        path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (!is_device && !std::filesystem::is_directory(parent, error)) {
        refuse(path, fmt::format("there is no directory {}", parent.string()));
    }
    const std::filesystem::path& target = is_device ? path : parent;
    if (::access(target.c_str(), is_device ? W_OK : W_OK | X_OK) != 0) refuse(path, std::strerror(errno));
}

}  // namespace toroid
