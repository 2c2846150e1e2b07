// SPDX-License-Identifier: Apache-2.0
#include "base/byte_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>

#include "base/secure_memory.hpp"
#include "toroid/error.hpp"

namespace toroid::base {
namespace {

constexpr std::string_view magic = "TOROID\r\n";
constexpr std::size_t tag_bytes = 4;
constexpr std::size_t section_head_bytes = tag_bytes + sizeof(std::uint64_t);
constexpr std::size_t checksum_bytes = 32;

// Offsets inside the head.
constexpr std::size_t version_at = 8;
constexpr std::size_t kind_at = 10;
constexpr std::size_t reserved_at = 12;
constexpr std::size_t parameters_at = 16;
constexpr std::size_t key_id_at = 48;
constexpr std::size_t length_at = 64;
constexpr std::size_t head_bytes = 72;
using HeadBytes = std::array<std::byte, head_bytes>;

template <typename Unsigned>
void put(std::span<std::byte> out, Unsigned value) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
        out[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
}

template <typename Unsigned>
Unsigned get(std::span<const std::byte> in) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
        value |= static_cast<std::uint64_t>(std::to_integer<std::uint8_t>(in[i])) << (8 * i);
    }
    return static_cast<Unsigned>(value);
}

const unsigned char* raw(std::span<const std::byte> bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// BLAKE2b, 32 bytes, fed in pieces.
class Hash {
 public:
    Hash() {
        if (sodium_init() < 0) throw Error(ErrorKind::internal, "libsodium cannot be initialised");
        crypto_generichash_init(&state_, nullptr, 0, checksum_bytes);
    }
    /// It has seen secret keys.
    ~Hash() { sodium_memzero(&state_, sizeof(state_)); }
    Hash(const Hash&) = delete;
    Hash& operator=(const Hash&) = delete;
    void update(std::span<const std::byte> bytes) {
        crypto_generichash_update(&state_, raw(bytes), bytes.size());
    }
    [[nodiscard]] std::array<std::byte, checksum_bytes> finish() {
        std::array<std::byte, checksum_bytes> out{};
        crypto_generichash_final(&state_, reinterpret_cast<unsigned char*>(out.data()), out.size());
        return out;
    }

 private:
    crypto_generichash_state state_{};
};

/// A section's name as it may stand in a message, whatever bytes the file has there.
std::string printable(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        const auto character = std::to_integer<unsigned char>(byte);
        if (character >= 0x20 && character < 0x7f) {
            text += static_cast<char>(character);
        } else {
            text += fmt::format("\\x{:02x}", character);
        }
    }
    return text;
}

std::string describe(std::uint16_t kind) {
    switch (static_cast<FileKind>(kind)) {
        case FileKind::secret_key:
        case FileKind::evaluation_key:
        case FileKind::public_key:
        case FileKind::ciphertexts:
            return fmt::format("a {} file", name(static_cast<FileKind>(kind)));
    }
    return fmt::format("a file of unknown kind {}", kind);
}

}  // namespace

std::string_view name(FileKind kind) {
    switch (kind) {
        case FileKind::secret_key:
            return "secret key";
        case FileKind::evaluation_key:
            return "evaluation key";
        case FileKind::public_key:
            return "public key";
        case FileKind::ciphertexts:
            return "ciphertext";
    }
    return "unknown";
}

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    return text;
}

// ---- writing

struct SectionWriter::State {
    State(const std::filesystem::path& path, FileMode mode) : file(path, mode) {}

    AtomicFileWriter file;
    HeadBytes head{};
    Hash hash;
    std::uint64_t body = 0;
    std::uint64_t left = 0;  ///< bytes that the open section still needs
    bool open = false;

    void put_body(std::span<const std::byte> bytes) {
        file.write(bytes);
        hash.update(bytes);
        body += bytes.size();
    }
};

SectionWriter::SectionWriter(const std::filesystem::path& path, FileMode mode, const FileHead& head)
    : state_(std::make_unique<State>(path, mode)) {
    HeadBytes& bytes = state_->head;
    std::memcpy(bytes.data(), magic.data(), magic.size());
    const std::span<std::byte> all(bytes);
    put<std::uint16_t>(all.subspan(version_at), FileHead::current_version);
    put<std::uint16_t>(all.subspan(kind_at), static_cast<std::uint16_t>(head.kind));
    put<std::uint32_t>(all.subspan(reserved_at), 0);
    std::ranges::copy(head.parameters, bytes.begin() + parameters_at);
    std::ranges::copy(head.key_id, bytes.begin() + key_id_at);
    state_->file.write(bytes);
}

SectionWriter::~SectionWriter() = default;

void SectionWriter::section(std::string_view tag, std::span<const std::byte> bytes) {
    begin(tag, bytes.size());
    write(bytes);
    end();
}

void SectionWriter::begin(std::string_view tag, std::uint64_t length) {
    if (state_->open) throw Error(ErrorKind::internal, fmt::format("section '{}' begun inside another", tag));
    if (tag.size() != tag_bytes)
        throw Error(ErrorKind::internal, fmt::format("section tag '{}' is not 4 characters", tag));
    std::array<std::byte, section_head_bytes> head{};
    std::memcpy(head.data(), tag.data(), tag_bytes);
    put<std::uint64_t>(std::span(head).subspan(tag_bytes), length);
    state_->put_body(head);
    state_->left = length;
    state_->open = true;
}

void SectionWriter::write(std::span<const std::byte> bytes) {
    if (!state_->open || bytes.size() > state_->left) {
        throw Error(ErrorKind::internal, "more bytes written than the section announced");
    }
    state_->put_body(bytes);
    state_->left -= bytes.size();
}

void SectionWriter::end() {
    if (!state_->open || state_->left != 0) {
        throw Error(ErrorKind::internal, fmt::format("section ended {} bytes early", state_->left));
    }
    state_->open = false;
}

void SectionWriter::commit() {
    if (state_->open) throw Error(ErrorKind::internal, "file committed inside a section");
    const auto length = std::span<std::byte>(state_->head).subspan(length_at);
    put<std::uint64_t>(length, state_->body);
    state_->hash.update(state_->head);
    state_->file.write(state_->hash.finish());
    state_->file.write_at(length_at, length);
    state_->file.commit();
}

// ---- reading

struct SectionReader::State {
    std::filesystem::path path;
    int descriptor = -1;
    std::uint64_t size = 0;      ///< of the whole file
    std::uint64_t body_end = 0;  ///< where the checksum starts
    std::uint64_t position = 0;  ///< next byte to read
    std::uint64_t section_end = 0;
    std::string section;  ///< empty between sections
    FileHead head;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (descriptor >= 0) ::close(descriptor);
    }

    [[noreturn]] void fail_at(std::string_view where, std::uint64_t offset, std::string_view message) const {
        throw Error(ErrorKind::format,
                    fmt::format("{}: {}, offset {}: {}", path.string(), where, offset, message));
    }
    [[noreturn]] void fail_io(std::string_view action) const {
        throw Error(ErrorKind::io, fmt::format("{}: cannot {}: {}", path.string(), action,
                                               std::generic_category().message(errno)));
    }
    /// Reads at an offset that the file's size bears out.
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
        while (!bytes.empty()) {
            const ssize_t count = ::pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail_io("read");
            if (count == 0) fail_at("file", offset, "the file became shorter while it was read");
            bytes = bytes.subspan(static_cast<std::size_t>(count));
            offset += static_cast<std::uint64_t>(count);
        }
    }
    /// The section that holds the end of a truncated file, found by walking what is left of it.
    [[nodiscard]] std::string cut_section() const {
        std::uint64_t at = head_bytes;
        std::string last = "head";
        for (;;) {
            if (size == at) return fmt::format("after section '{}'", last);
            if (size - at < section_head_bytes) return fmt::format("section head after '{}'", last);
            std::array<std::byte, section_head_bytes> bytes{};
            read_at(at, bytes);
            last = printable(std::span(bytes).first(tag_bytes));
            at += section_head_bytes;
            const auto length = get<std::uint64_t>(std::span(bytes).subspan(tag_bytes));
            if (length > size - at) return fmt::format("section '{}'", last);
            at += length;
        }
    }
    void open(FileKind expected);
    void check_magic(std::span<const std::byte> bytes) const;
    void check_checksum(std::span<const std::byte> head_copy) const;
};

void SectionReader::State::check_magic(std::span<const std::byte> bytes) const {
    const std::size_t known = std::min(bytes.size(), magic.size());
    if (bytes.empty()) fail_at("head", 0, "the file is empty");
    if (std::memcmp(bytes.data(), magic.data(), known) == 0) {
        if (bytes.size() < head_bytes)
            fail_at("head", size, fmt::format("truncated: {} of {} head bytes", size, head_bytes));
        return;
    }
    if (bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b}) {
        fail_at("head", 0, "the file is gzip-compressed; unpack it first");
    }
    if (bytes.size() >= 7 && std::memcmp(bytes.data(), "TOROID\n", 7) == 0) {
        fail_at("head", 6, "line ends were converted: the file was copied as text, copy it as binary");
    }
    fail_at("head", 0, "this is no Toroid file");
}

void SectionReader::State::check_checksum(std::span<const std::byte> head_copy) const {
    Hash hash;
    SecretVector<std::byte> buffer(std::size_t{1} << 18);
    for (std::uint64_t at = head_bytes; at < body_end;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), body_end - at));
        const auto piece = std::span(buffer).first(count);
        read_at(at, piece);
        hash.update(piece);
        at += count;
    }
    hash.update(head_copy);
    const auto expected = hash.finish();
    std::array<std::byte, checksum_bytes> found{};
    read_at(body_end, found);
    if (found != expected) fail_at("checksum", body_end, "the file is damaged: its checksum does not match");
}

void SectionReader::State::open(FileKind expected) {
    // Not blocking, so that a pipe without a writer is refused and not waited for.
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) fail_io("open");
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) fail_io("read");
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::io, path.string() + ": not an ordinary file");
    size = static_cast<std::uint64_t>(status.st_size);

    HeadBytes bytes{};
    const auto present =
        std::span(bytes).first(static_cast<std::size_t>(std::min<std::uint64_t>(size, head_bytes)));
    read_at(0, present);
    check_magic(present);
    const std::span<const std::byte> all(bytes);

    const auto version = get<std::uint16_t>(all.subspan(version_at));
    if (version > FileHead::current_version) {
        fail_at("head", version_at,
                fmt::format("format version {} is newer than this program, which reads up to version {}",
                            version, FileHead::current_version));
    }
    if (version != FileHead::current_version) {
        fail_at("head", version_at,
                fmt::format("format version {} is not supported; this program reads version {}", version,
                            FileHead::current_version));
    }
    const auto kind = get<std::uint16_t>(all.subspan(kind_at));
    if (kind != static_cast<std::uint16_t>(expected)) {
        fail_at("head", kind_at,
                fmt::format("this is {}, but {} is needed", describe(kind),
                            describe(static_cast<std::uint16_t>(expected))));
    }
    if (get<std::uint32_t>(all.subspan(reserved_at)) != 0)
        fail_at("head", reserved_at, "reserved bytes are not zero");
    const auto length = get<std::uint64_t>(all.subspan(length_at));
    constexpr std::uint64_t frame = head_bytes + checksum_bytes;
    if (length > std::numeric_limits<std::uint64_t>::max() - frame || length + frame > size) {
        fail_at(cut_section(), size,
                fmt::format("truncated: the head announces {} bytes of sections and a {}-byte checksum, "
                            "but the file ends here",
                            length, checksum_bytes));
    }
    body_end = head_bytes + length;
    if (body_end + checksum_bytes < size) {
        fail_at(
            "end", body_end + checksum_bytes,
            fmt::format("{} bytes follow the end of the file's content", size - body_end - checksum_bytes));
    }
    check_checksum(all);
    head.kind = expected;
    std::ranges::copy(all.subspan(parameters_at, head.parameters.size()), head.parameters.begin());
    std::ranges::copy(all.subspan(key_id_at, head.key_id.size()), head.key_id.begin());
    position = head_bytes;
}

std::optional<FileKind> kind_of_file(const std::filesystem::path& path) {
    const auto fail = [&] {
        throw Error(ErrorKind::io, fmt::format("{}: cannot open: {}", path.string(),
                                               std::generic_category().message(errno)));
    };
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) fail();
    // A pipe is left alone: whoever reads it next would miss what is taken here.
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) fail();
    std::array<char, kind_at + sizeof(std::uint16_t)> head{};
    if (!file.read(head.data(), head.size())) return std::nullopt;
    if (std::string_view(head.data(), magic.size()) != magic) return std::nullopt;
    const auto number = get<std::uint16_t>(std::as_bytes(std::span(head)).subspan(kind_at));
    for (const FileKind kind :
         {FileKind::secret_key, FileKind::evaluation_key, FileKind::public_key, FileKind::ciphertexts}) {
        if (number == static_cast<std::uint16_t>(kind)) return kind;
    }
    return std::nullopt;
}

SectionReader::SectionReader(const std::filesystem::path& path, FileKind expected)
    : state_(std::make_unique<State>()) {
    state_->path = path;
    state_->open(expected);
}

SectionReader::~SectionReader() = default;

const FileHead& SectionReader::head() const noexcept {
    return state_->head;
}

std::uint64_t SectionReader::enter(std::string_view tag) {
    State& state = *state_;
    if (!state.section.empty()) leave();
    const std::uint64_t start = state.position;
    const std::string where = fmt::format("section '{}'", tag);
    if (state.body_end - start < section_head_bytes) state.fail_at(where, start, "the section is missing");
    std::array<std::byte, section_head_bytes> bytes{};
    state.read_at(start, bytes);
    const auto found = std::span(bytes).first(tag_bytes);
    if (tag.size() != tag_bytes || std::memcmp(found.data(), tag.data(), tag_bytes) != 0) {
        state.fail_at(where, start, fmt::format("section '{}' stands here instead", printable(found)));
    }
    const auto length = get<std::uint64_t>(std::span(bytes).subspan(tag_bytes));
    const std::uint64_t content = start + section_head_bytes;
    if (length > state.body_end - content) {
        state.fail_at(
            where, start + tag_bytes,
            fmt::format("length {} is more than the {} bytes that follow", length, state.body_end - content));
    }
    state.section = tag;
    state.position = content;
    state.section_end = content + length;
    return length;
}

void SectionReader::enter(std::string_view tag, std::uint64_t expected_length) {
    const std::uint64_t length = enter(tag);
    if (length != expected_length) {
        state_->fail_at(fmt::format("section '{}'", tag), state_->position - sizeof(std::uint64_t),
                        fmt::format("length {} where {} is right", length, expected_length));
    }
}

void SectionReader::read(std::span<std::byte> bytes) {
    State& state = *state_;
    if (state.section.empty()) throw Error(ErrorKind::internal, "read outside a section");
    const std::uint64_t left = state.section_end - state.position;
    if (bytes.size() > left)
        fail(fmt::format("{} bytes are needed, but the section has {} left", bytes.size(), left));
    state.read_at(state.position, bytes);
    state.position += bytes.size();
}

std::vector<std::byte> SectionReader::read_all(std::string_view tag, std::uint64_t limit) {
    const std::uint64_t length = enter(tag);
    if (length > limit) fail(fmt::format("length {} is more than the {} allowed here", length, limit));
    std::vector<std::byte> bytes(static_cast<std::size_t>(length));
    read(bytes);
    leave();
    return bytes;
}

void SectionReader::leave() {
    State& state = *state_;
    if (state.position != state.section_end) {
        fail(
            fmt::format("{} unexpected bytes at the end of the section", state.section_end - state.position));
    }
    state.section.clear();
}

void SectionReader::finish() {
    State& state = *state_;
    if (!state.section.empty()) leave();
    if (state.position != state.body_end) {
        state.fail_at("end", state.position,
                      fmt::format("{} bytes follow the last section", state.body_end - state.position));
    }
}

void SectionReader::fail(const std::string& message) const {
    state_->fail_at(
        state_->section.empty() ? "between sections" : fmt::format("section '{}'", state_->section),
        state_->position, message);
}

}  // namespace toroid::base
