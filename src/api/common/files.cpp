// SPDX-License-Identifier: Apache-2.0
#include "toroid/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "api/common/access.hpp"
#include "base/byte_stream.hpp"
#include "base/file.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t largest_text = std::uint64_t{256} << 20;
constexpr std::string_view magic = "TOROID\r\n";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be written: {}", path.string(), reason));
}

}  // namespace

std::string file_kind(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(ErrorKind::io, fmt::format("{}: {}", path.string(), std::strerror(errno)));
    std::array<char, 12> head{};
    file.read(head.data(), head.size());
    if (file.gcount() != static_cast<std::streamsize>(head.size())) return {};
    if (std::string_view(head.data(), magic.size()) != magic) return {};
    const auto number = static_cast<unsigned>(static_cast<unsigned char>(head[10])) |
                        static_cast<unsigned>(static_cast<unsigned char>(head[11])) << 8;
    using base::FileKind;
    for (const FileKind kind :
         {FileKind::secret_key, FileKind::evaluation_key, FileKind::public_key, FileKind::ciphertexts}) {
        if (number == static_cast<unsigned>(kind)) return std::string(base::name(kind));
    }
    return {};
}

std::string read_text(const std::filesystem::path& path) {
    return detail::read_text(path, largest_text);
}

void write_text(const std::filesystem::path& path, std::string_view text) {
    base::write_file(path, std::as_bytes(std::span(text)), base::FileMode::ordinary);
}

void check_writable(const std::filesystem::path& path) {
    std::error_code error;
    if (path.empty()) throw Error(ErrorKind::usage, "the name of an output file is empty");
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status)) refuse(path, "it is a directory");
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
