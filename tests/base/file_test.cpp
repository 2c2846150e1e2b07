// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace toroid::base {
namespace {

using tests::expect_error;
using tests::slurp;
using tests::spill;
using tests::TemporaryFolder;

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

mode_t mode_of(const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
}

std::filesystem::path only_entry(const TemporaryFolder& folder) {
    EXPECT_EQ(folder.entries(), 1U);
    return std::filesystem::directory_iterator(folder.path())->path();
}

class Umask {
 public:
    explicit Umask(mode_t mask) : before_(::umask(mask)) {}
    ~Umask() { ::umask(before_); }
    Umask(const Umask&) = delete;
    Umask& operator=(const Umask&) = delete;

 private:
    mode_t before_;
};

TEST(AtomicFileWriter, TheTargetAppearsWholeAtCommit) {
    const TemporaryFolder folder;
    spill(folder / "out", "old");
    AtomicFileWriter writer(folder / "out", FileMode::ordinary);
    writer.write(bytes_of("new "));
    EXPECT_EQ(slurp(folder / "out"), "old");
    const std::string large(3000000, 'x');
    writer.write(bytes_of(large));
    writer.write(bytes_of("end"));
    writer.write_at(1, bytes_of("EW"));
    writer.commit();
    EXPECT_EQ(slurp(folder / "out"), "nEW " + large + "end");
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFileWriter, WithoutCommitNothingIsLeft) {
    const TemporaryFolder folder;
    spill(folder / "out", "old");
    try {
        AtomicFileWriter writer(folder / "out", FileMode::ordinary);
        writer.write(bytes_of(std::string(2000000, 'x')));
        EXPECT_EQ(folder.entries(), 2U);
        throw std::runtime_error("something else fails");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(folder.entries(), 1U);
    EXPECT_EQ(slurp(folder / "out"), "old");
}

TEST(AtomicFileWriter, ModesFollowTheUmaskOrAreOwnerOnly) {
    const TemporaryFolder folder;
    const Umask mask(0022);
    write_file(folder / "ordinary", std::string("a"), FileMode::ordinary);
    EXPECT_EQ(mode_of(folder / "ordinary"), 0644U);
    {
        const Umask open_mask(0);
        write_file(folder / "open", std::string("a"), FileMode::ordinary);
        EXPECT_EQ(mode_of(folder / "open"), 0666U);
        write_file(folder / "secret", std::string("a"), FileMode::owner_only);
        EXPECT_EQ(mode_of(folder / "secret"), 0600U);
    }
    ::chmod((folder / "ordinary").c_str(), 0640);
    write_file(folder / "ordinary", std::string("b"), FileMode::ordinary);
    EXPECT_EQ(slurp(folder / "ordinary"), "b");
    EXPECT_EQ(mode_of(folder / "ordinary"), 0640U);
}

TEST(AtomicFileWriter, ASecretsTemporaryFileIsOwnerOnlyFromTheFirstByte) {
    const TemporaryFolder folder;
    const Umask open_mask(0);
    AtomicFileWriter writer(folder / "secret", FileMode::owner_only);
    EXPECT_EQ(mode_of(only_entry(folder)), 0600U);
    writer.write(bytes_of(std::string(2000000, 's')));
    EXPECT_EQ(mode_of(only_entry(folder)), 0600U);
    writer.commit();
    EXPECT_EQ(only_entry(folder).filename(), "secret");
    EXPECT_EQ(mode_of(folder / "secret"), 0600U);
}

TEST(AtomicFileWriter, ASecretNeverOverwrites) {
    const TemporaryFolder folder;
    spill(folder / "secret", "precious");
    expect_error(ErrorKind::io, {(folder / "secret").string(), "exists"},
                 [&] { AtomicFileWriter(folder / "secret", FileMode::owner_only); });
    ASSERT_EQ(::symlink("nowhere", (folder / "link").c_str()), 0);
    expect_error(ErrorKind::io, {"link", "exists"},
                 [&] { AtomicFileWriter(folder / "link", FileMode::owner_only); });
    // The file appears while the key is being written.
    AtomicFileWriter writer(folder / "late", FileMode::owner_only);
    writer.write(bytes_of("key"));
    spill(folder / "late", "precious too");
    expect_error(ErrorKind::io, {(folder / "late").string(), "exists"}, [&] { writer.commit(); });
    EXPECT_EQ(slurp(folder / "secret"), "precious");
    EXPECT_EQ(slurp(folder / "late"), "precious too");
}

TEST(AtomicFileWriter, FollowsASymbolicLink) {
    const TemporaryFolder folder;
    spill(folder / "real", "old");
    ASSERT_EQ(::symlink("real", (folder / "link").c_str()), 0);
    write_file(folder / "link", std::string("new"), FileMode::ordinary);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(slurp(folder / "real"), "new");
}

TEST(AtomicFileWriter, WritesAPipeInPlace) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::string read;
    std::jthread reader([&] { read = slurp(folder / "pipe"); });
    write_file(folder / "pipe", std::string("through"), FileMode::ordinary);
    reader.join();
    EXPECT_EQ(read, "through");
    EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(AtomicFileWriter, AFullDiskIsReportedWithThePath) {
    if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    expect_error(ErrorKind::io, {"/dev/full", "No space left"},
                 [] { write_file("/dev/full", std::string("a"), FileMode::ordinary); });
    expect_error(ErrorKind::io, {"/dev/full", "No space left"},
                 [] { write_file("/dev/full", std::string(5000000, 'a'), FileMode::ordinary); });
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFileWriter, AFailureInTheMiddleLeavesTheOldFile) {
    // A file size limit fails like a full disk, but beside a real target.
    const TemporaryFolder folder;
    spill(folder / "out", "old");
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1500000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    expect_error(ErrorKind::io, {(folder / "out").string(), "too large"}, [&] {
        AtomicFileWriter writer(folder / "out", FileMode::ordinary);
        for (int i = 0; i < 8; ++i) writer.write(bytes_of(std::string(300000, 'x')));
        writer.commit();
    });
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(slurp(folder / "out"), "old");
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFileWriter, FoldersThatCannotHoldTheFileAreNamed) {
    const TemporaryFolder folder;
    expect_error(ErrorKind::io, {"missing/out", "No such file"},
                 [&] { AtomicFileWriter(folder.path() / "missing" / "out", FileMode::ordinary); });
    expect_error(ErrorKind::io, {folder.path().string(), "directory"},
                 [&] { AtomicFileWriter(folder.path(), FileMode::ordinary); });
    spill(folder / "plain", "");
    expect_error(ErrorKind::io, {"plain/out"},
                 [&] { AtomicFileWriter(folder.path() / "plain" / "out", FileMode::owner_only); });
    expect_error(ErrorKind::io, {"name"}, [] { AtomicFileWriter("", FileMode::ordinary); });
}

TEST(AtomicFileWriter, AReadOnlyFolderIsReported) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "locked");
    std::filesystem::permissions(folder / "locked", std::filesystem::perms(0555));
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    const uid_t user = geteuid();
    // The superuser may write anywhere, so step down for the attempt.
    ASSERT_TRUE(user != 0 || seteuid(65534) == 0);
    expect_error(ErrorKind::io, {"locked/out", "Permission denied"},
                 [&] { AtomicFileWriter(folder.path() / "locked" / "out", FileMode::ordinary); });
    ASSERT_EQ(seteuid(user), 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder / "locked"));
}

TEST(AtomicFileWriter, LongNamesWork) {
    const TemporaryFolder folder;
    const std::string name(255, 'n');
    write_file(folder / name, std::string("a"), FileMode::owner_only);
    EXPECT_EQ(slurp(folder / name), "a");
}

TEST(AtomicFileWriter, UseAfterCommitIsRefused) {
    const TemporaryFolder folder;
    AtomicFileWriter writer(folder / "out", FileMode::ordinary);
    writer.commit();
    expect_error(ErrorKind::internal, {"out"}, [&] { writer.write(bytes_of("a")); });
    expect_error(ErrorKind::internal, {"out"}, [&] { writer.commit(); });
}

TEST(RemoveTemporaryFiles, RemovesThoseOfOpenWritersOnly) {
    const TemporaryFolder folder;
    write_file(folder / "done", std::string("kept"), FileMode::ordinary);
    AtomicFileWriter first(folder / "first", FileMode::ordinary);
    std::optional<AtomicFileWriter> second(std::in_place, folder / "second", FileMode::owner_only);
    EXPECT_EQ(folder.entries(), 3U);
    remove_temporary_files();
    EXPECT_EQ(only_entry(folder).filename(), "done");
    second.reset();
    expect_error(ErrorKind::io, {"first"}, [&] { first.commit(); });
    EXPECT_EQ(only_entry(folder).filename(), "done");
}

TEST(RemoveTemporaryFiles, WorksFromASignalHandlerInAnotherFolder) {
    const TemporaryFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    AtomicFileWriter writer("relative", FileMode::ordinary);
    std::filesystem::current_path(before);
    EXPECT_EQ(folder.entries(), 1U);
    const auto handler = std::signal(SIGUSR1, [](int) { remove_temporary_files(); });
    std::raise(SIGUSR1);
    std::signal(SIGUSR1, handler);
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(RemoveTemporaryFiles, ManyWritersFindRoom) {
    const TemporaryFolder folder;
    std::vector<std::unique_ptr<AtomicFileWriter>> writers;
    for (int i = 0; i < 100; ++i) {
        writers.push_back(std::make_unique<AtomicFileWriter>(folder / std::to_string(i), FileMode::ordinary));
    }
    for (auto& writer : writers) writer->commit();
    EXPECT_EQ(folder.entries(), 100U);
}

TEST(ReadFile, ReadsFilesAndPipesUpToTheLimit) {
    const TemporaryFolder folder;
    for (const std::size_t size : {0U, 1U, 65535U, 65536U, 65537U, 300000U}) {
        std::string text(size, 'x');
        if (size > 0) text.back() = 'y';
        spill(folder / "in", text);
        const auto bytes = read_file(folder / "in", size);
        ASSERT_EQ(bytes.size(), size);
        EXPECT_EQ(std::memcmp(bytes.data(), text.data(), size), 0);
        if (size > 0) {
            expect_error(ErrorKind::format, {"in", std::to_string(size), std::to_string(size - 1)},
                         [&] { static_cast<void>(read_file(folder / "in", size - 1)); });
        }
    }
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::jthread writer([&] { spill(folder / "pipe", std::string(100000, 'p')); });
    EXPECT_EQ(read_file(folder / "pipe", 100000).size(), 100000U);
    writer.join();
    EXPECT_FALSE(read_file("/proc/self/status", 1 << 20).empty()) << "files of no announced size";
    expect_error(ErrorKind::format, {"/dev/zero", "1000"},
                 [] { static_cast<void>(read_file("/dev/zero", 1000)); });
}

TEST(ReadFile, NamesWhatItCannotRead) {
    const TemporaryFolder folder;
    expect_error(ErrorKind::io, {(folder / "missing").string(), "No such file"},
                 [&] { static_cast<void>(read_file(folder / "missing", 10)); });
    expect_error(ErrorKind::io, {folder.path().string(), "directory"},
                 [&] { static_cast<void>(read_file(folder.path(), 10)); });
}

}  // namespace
}  // namespace toroid::base
