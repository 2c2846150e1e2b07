// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <system_error>

#include "toroid/error.hpp"

namespace toroid::base {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
/// Enough for a rename; the kernel's own limit for one path.
constexpr std::size_t path_bytes = 4096;

[[noreturn]] void fail(const fs::path& path, std::string_view action, int code) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot {}: {}", path.string(), action,
                                           std::generic_category().message(code)));
}

/// The names of open temporary files where a signal handler can read them: fixed memory, no lock. A slot goes
/// free -> claimed -> live -> claimed -> free, and its text is written only while claimed.
class TemporaryNames {
 public:
    static constexpr int none = -1;

    int add(const std::string& path) noexcept {
        if (path.size() >= path_bytes) return none;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            Use expected = Use::free;
            if (!slots_[i].use.compare_exchange_strong(expected, Use::claimed)) continue;
            std::memcpy(slots_[i].path.data(), path.c_str(), path.size() + 1);
            slots_[i].use.store(Use::live);
            return static_cast<int>(i);
        }
        return none;
    }
    void remove(int slot) noexcept {
        if (slot != none) slots_[static_cast<std::size_t>(slot)].use.store(Use::free);
    }
    void unlink_all() noexcept {
        for (Slot& slot : slots_) {
            if (slot.use.load() == Use::live) ::unlink(slot.path.data());
        }
    }

 private:
    enum class Use : std::uint8_t { free, claimed, live };
    struct Slot {
        std::atomic<Use> use{Use::free};
        std::array<char, path_bytes> path{};
    };
    static_assert(std::atomic<Use>::is_always_lock_free);
    std::array<Slot, 64> slots_;
};
TemporaryNames temporary_names;

std::string random_suffix() {
    if (sodium_init() < 0) throw Error(ErrorKind::internal, "libsodium cannot be initialised");
    std::array<unsigned char, 8> bytes{};
    randombytes_buf(bytes.data(), bytes.size());
    std::string text;
    for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

/// Moves without ever replacing; returns 0 or an errno value.
int rename_exclusively(const char* from, const char* to) {
    if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // The file system lacks the flag; a hard link is exclusive too.
    if (::link(from, to) != 0) return errno;
    ::unlink(from);
    return 0;
}

void sync_folder(const fs::path& folder) noexcept {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    // The data is safe already; some file systems cannot sync a folder, which is no failure of the write.
    static_cast<void>(::fsync(descriptor));
    ::close(descriptor);
}

}  // namespace

struct AtomicFileWriter::State {
    fs::path target;
    fs::path temporary;  ///< empty when the target is a device or pipe, written in place
    FileMode mode = FileMode::ordinary;
    int descriptor = -1;
    int slot = TemporaryNames::none;
    std::vector<std::byte> buffer;

    [[nodiscard]] fs::path folder() const {
        return target.has_parent_path() ? target.parent_path() : fs::path(".");
    }

    void write_raw(std::span<const std::byte> bytes) const {
        while (!bytes.empty()) {
            const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail(target, "write", errno);
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        }
    }
    void flush() {
        write_raw(buffer);
        wipe_buffer();
    }
    /// Secret keys pass through here.
    void wipe_buffer() {
        if (mode == FileMode::owner_only) sodium_memzero(buffer.data(), buffer.size());
        buffer.clear();
    }
    void discard() noexcept {
        wipe_buffer();
        if (descriptor >= 0) ::close(descriptor);
        descriptor = -1;
        if (!temporary.empty()) ::unlink(temporary.c_str());
        temporary.clear();
        temporary_names.remove(slot);
        slot = TemporaryNames::none;
    }
};

AtomicFileWriter::AtomicFileWriter(fs::path target, FileMode mode) : state_(std::make_unique<State>()) {
    State& state = *state_;
    state.mode = mode;
    state.target = std::move(target);
    if (state.target.empty()) throw Error(ErrorKind::io, "cannot write a file without a name");
    struct stat status {};
    bool replaces = false;
    if (mode == FileMode::owner_only) {
        if (::lstat(state.target.c_str(), &status) == 0) fail(state.target, "create", EEXIST);
    } else if (::stat(state.target.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) fail(state.target, "write", EISDIR);
        if (!S_ISREG(status.st_mode)) {
            state.descriptor = ::open(state.target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
            if (state.descriptor < 0) fail(state.target, "write", errno);
            state.buffer.reserve(buffer_bytes);
            return;
        }
        replaces = true;
        std::error_code error;
        const fs::path resolved = fs::canonical(state.target, error);
        if (!error) state.target = resolved;
    }
    state.buffer.reserve(buffer_bytes);
    const mode_t bits = mode == FileMode::owner_only ? 0600 : 0666;
    for (int attempt = 0; state.descriptor < 0; ++attempt) {
        // The name must not grow past the file system's limit, so the target's own name is not in it.
        state.temporary = state.folder() / (".toroid-" + random_suffix() + ".tmp");
        state.descriptor =
            ::open(state.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, bits);
        if (state.descriptor < 0 && (errno != EEXIST || attempt == 16)) {
            const int code = errno;
            state.temporary.clear();
            fail(state.target, "create", code);
        }
    }
    // A file that its owner has closed to others stays so; a file system without modes is no obstacle.
    if (replaces) static_cast<void>(::fchmod(state.descriptor, status.st_mode & 0777));
    std::error_code error;
    const fs::path absolute = fs::absolute(state.temporary, error);
    state.slot = temporary_names.add(error ? state.temporary.string() : absolute.string());
}

AtomicFileWriter::~AtomicFileWriter() {
    state_->discard();
}

void AtomicFileWriter::write(std::span<const std::byte> bytes) {
    State& state = *state_;
    if (state.descriptor < 0)
        throw Error(ErrorKind::internal, state.target.string() + ": written after commit");
    if (bytes.size() >= buffer_bytes) {
        state.flush();
        state.write_raw(bytes);
        return;
    }
    if (state.buffer.size() + bytes.size() > buffer_bytes) state.flush();
    state.buffer.insert(state.buffer.end(), bytes.begin(), bytes.end());
}

void AtomicFileWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    State& state = *state_;
    if (state.descriptor < 0)
        throw Error(ErrorKind::internal, state.target.string() + ": written after commit");
    state.flush();
    while (!bytes.empty()) {
        const ssize_t count =
            ::pwrite(state.descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(state.target, "write", errno);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
}

void AtomicFileWriter::commit() {
    State& state = *state_;
    if (state.descriptor < 0) throw Error(ErrorKind::internal, state.target.string() + ": committed twice");
    state.flush();
    // Pipes and terminals cannot be synced (EINVAL); everything else must reach the disk before the rename.
    if (::fsync(state.descriptor) != 0 && errno != EINVAL && errno != EROFS)
        fail(state.target, "write", errno);
    const int descriptor = state.descriptor;
    state.descriptor = -1;
    if (::close(descriptor) != 0 && errno != EINTR) fail(state.target, "write", errno);
    if (state.temporary.empty()) return;
    int code = 0;
    if (state.mode == FileMode::owner_only) {
        code = rename_exclusively(state.temporary.c_str(), state.target.c_str());
    } else if (::rename(state.temporary.c_str(), state.target.c_str()) != 0) {
        code = errno;
    }
    if (code != 0) fail(state.target, "create", code);
    state.temporary.clear();
    temporary_names.remove(state.slot);
    state.slot = TemporaryNames::none;
    sync_folder(state.folder());
}

void remove_temporary_files() noexcept {
    temporary_names.unlink_all();
}

std::vector<std::byte> read_file(const fs::path& path, std::uint64_t limit) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path, "open", errno);
    const struct Closer {
        int descriptor;
        ~Closer() { ::close(descriptor); }
    } closer{descriptor};
    const auto too_long = [&](std::string_view found) {
        throw Error(ErrorKind::format,
                    fmt::format("{}: {} bytes, more than the {} allowed here", path.string(), found, limit));
    };
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) fail(path, "read", errno);
    if (S_ISDIR(status.st_mode)) fail(path, "read", EISDIR);
    if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > limit) {
        too_long(fmt::format("{}", status.st_size));
    }
    std::vector<std::byte> bytes;
    if (S_ISREG(status.st_mode)) bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
    // Read to the end and not to st_size: pipes and /proc report none, and a file may grow.
    for (;;) {
        const std::size_t used = bytes.size();
        bytes.resize(std::max<std::size_t>(used + 65536, bytes.capacity()));
        const ssize_t count = ::read(descriptor, bytes.data() + used, bytes.size() - used);
        const int code = errno;
        bytes.resize(used + (count > 0 ? static_cast<std::size_t>(count) : 0));
        if (count < 0 && code == EINTR) continue;
        if (count < 0) fail(path, "read", code);
        if (bytes.size() > limit) too_long(fmt::format("at least {}", bytes.size()));
        if (count == 0) return bytes;
    }
}

void write_file(const fs::path& path, std::span<const std::byte> bytes, FileMode mode) {
    AtomicFileWriter writer(path, mode);
    writer.write(bytes);
    writer.commit();
}

void write_file(const fs::path& path, const std::string& text, FileMode mode) {
    write_file(path, std::as_bytes(std::span(text)), mode);
}

}  // namespace toroid::base
