// SPDX-License-Identifier: Apache-2.0
#include "circuit/netlist_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "base/file.hpp"
#include "circuit/native_format.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

constexpr std::uint64_t largest_netlist = std::uint64_t{4} << 30;

/// Inflates in steps, so that memory follows what really comes out; a text that grows more than
/// two-hundredfold (beyond its first MiB) or past the limit is refused.
std::string inflate_gzip(std::span<const std::byte> packed, const std::string& source) {
    struct Closer {
        void operator()(z_stream* stream) const {
            inflateEnd(stream);
            delete stream;
        }
    };
    const auto fail = [&](const std::string& message) {
        throw Error(ErrorKind::format, fmt::format("{}: {}", source, message));
    };
    std::unique_ptr<z_stream, Closer> stream(new z_stream{});
    if (inflateInit2(stream.get(), 15 + 16) != Z_OK) fail("cannot start decompression");
    const std::uint64_t limit =
        std::min<std::uint64_t>(largest_netlist, (std::uint64_t{1} << 20) + 200 * packed.size());
    std::string out;
    std::array<char, 65536> buffer;
    // zlib takes what it reads as non-const and counts it in 32 bits.
    const auto* next = reinterpret_cast<const Bytef*>(packed.data());
    std::size_t left = packed.size();
    int status = Z_OK;
    while (true) {
        if (stream->avail_in == 0 && left != 0) {
            const std::size_t part = std::min<std::size_t>(left, std::size_t{1} << 30);
            stream->next_in = const_cast<Bytef*>(next);
            stream->avail_in = static_cast<uInt>(part);
            next += part;
            left -= part;
        }
        stream->next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream->avail_out = static_cast<uInt>(buffer.size());
        status = inflate(stream.get(), Z_NO_FLUSH);
        const std::size_t made = buffer.size() - stream->avail_out;
        if (out.size() + made > limit) fail(fmt::format("unpacks to more than {} bytes", limit));
        out.append(buffer.data(), made);
        if (status == Z_STREAM_END) {
            if (stream->avail_in == 0 && left == 0) return out;
            if (inflateReset(stream.get()) != Z_OK) fail("cannot go on with decompression");
            continue;  // a further gzip member
        }
        if (status == Z_BUF_ERROR || (status == Z_OK && stream->avail_in == 0 && left == 0 && made == 0)) {
            fail("the gzip data is cut off");
        }
        if (status != Z_OK) {
            fail(
                fmt::format("damaged gzip data: {}", stream->msg != nullptr ? stream->msg : "unknown error"));
        }
    }
}

using Reader = Circuit (*)(std::string_view, const std::string&, const ReadOptions&);

Reader reader_by_extension(std::string extension) {
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (extension == ".blif") return read_blif;
    if (extension == ".bench") return read_bench;
    if (extension == ".aig" || extension == ".aag") return read_aiger;
    if (extension == ".json") return read_yosys_json;
    if (extension == ".toroid") return read_native;
    if (extension == ".txt" || extension == ".bristol") return read_bristol;
    return nullptr;
}

/// By the first line that is neither empty nor a comment.
Reader reader_by_content(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string_view::npos || line[first] == '#') continue;
        line.remove_prefix(first);
        if (line.starts_with(native_magic)) return read_native;
        if (line.starts_with("aag ") || line.starts_with("aig ")) return read_aiger;
        if (line.front() == '{') return read_yosys_json;
        if (line.front() == '.') return read_blif;
        if (std::isdigit(static_cast<unsigned char>(line.front())) != 0) return read_bristol;
        if (line.starts_with("INPUT") || line.starts_with("OUTPUT")) return read_bench;
        return nullptr;
    }
    return nullptr;
}

}  // namespace

Circuit read_netlist(const std::filesystem::path& path, const ReadOptions& options) {
    const std::vector<std::byte> bytes = base::read_file(path, largest_netlist);
    const std::string source = path.string();
    std::filesystem::path name = path;
    std::string text;
    if (bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b}) {
        text = inflate_gzip(bytes, source);
        if (name.extension() == ".gz") name = name.stem();
    } else {
        text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    const Reader by_content = reader_by_content(text);
    const Reader by_extension = reader_by_extension(name.extension().string());
    // .txt says little; what the other extensions say is what the user means.
    const Reader reader = by_extension == nullptr || (name.extension() == ".txt" && by_content != nullptr)
                              ? by_content
                              : by_extension;
    if (reader == nullptr) {
        throw Error(
            ErrorKind::circuit,
            fmt::format(
                "{}: not a netlist of a known format (Bristol, BLIF, .bench, AIGER, Yosys JSON, .toroid)",
                source));
    }
    return reader(text, source, options);
}

}  // namespace toroid::circuit
