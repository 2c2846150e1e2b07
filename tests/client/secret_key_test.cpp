// SPDX-License-Identifier: Apache-2.0
#include "client/secret_key.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <type_traits>

#include "scheme/sampling.hpp"
#include "support/damaged_files.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::client {
namespace {

static_assert(!std::is_copy_constructible_v<SecretKey> && !std::is_copy_assignable_v<SecretKey>);
static_assert(std::is_nothrow_move_constructible_v<SecretKey>);

scheme::Parameters toy() {
    return scheme::Parameters(tests::toy_literal());
}

void read(const std::filesystem::path& path) {
    (void)SecretKey::load(path);
}

ErrorKind kind_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.kind();
    }
    ADD_FAILURE() << "no error";
    return ErrorKind::internal;
}

class SecretKeys : public testing::Test {
 protected:
    tests::SeededSources sources{0x5ec};
    tests::TemporaryFolder folder;
};

TEST_F(SecretKeys, HaveTheSetsDistributions) {
    for (const auto& parameters : scheme::named_parameters()) {
        const SecretKey key = SecretKey::generate(parameters, sources, true);
        const auto& literal = parameters.literal();
        EXPECT_EQ(key.lwe().size(), static_cast<std::size_t>(parameters.n()));
        EXPECT_EQ(key.glwe().size(), static_cast<std::size_t>(parameters.extracted_dimension()));
        EXPECT_TRUE(scheme::is_key_of(literal.lwe.key, literal.lwe.block, key.lwe()));
        EXPECT_TRUE(scheme::is_key_of(literal.glwe.key, 1, key.glwe()));
        const auto nonzero =
            static_cast<double>(std::ranges::count_if(key.lwe(), [](int s) { return s != 0; }));
        const double mean =
            static_cast<double>(parameters.n()) /
            (literal.lwe.key == scheme::KeyDistribution::block_binary ? literal.lwe.block + 1 : 2);
        EXPECT_NEAR(nonzero, mean, 6 * std::sqrt(mean)) << parameters.name();
        const bool key_switch_first = literal.order == scheme::GateOrder::key_switch_first;
        EXPECT_EQ(key.wire().data(), key_switch_first ? key.glwe().data() : key.lwe().data());
    }
}

TEST_F(SecretKeys, OfComparisonSetsMustBeAskedFor) {
    for (const auto& parameters : scheme::named_parameters()) {
        const auto make = [&] { (void)SecretKey::generate(parameters, sources); };
        if (parameters.comparison_only())
            EXPECT_EQ(kind_of(make), ErrorKind::parameters) << parameters.name();
        else
            EXPECT_NO_THROW(make()) << parameters.name();
    }
}

TEST_F(SecretKeys, OfTwoForksDiffer) {
    auto& random = base::system_random_sources();
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const SecretKey key = SecretKey::generate(toy(), random, true);
        const auto written = ::write(ends[1], key.glwe().data(), key.glwe().size());
        ::_exit(written == static_cast<ssize_t>(key.glwe().size()) ? 0 : 1);
    }
    const SecretKey key = SecretKey::generate(toy(), random, true);
    std::vector<std::int8_t> other(key.glwe().size());
    ASSERT_EQ(::read(ends[0], other.data(), other.size()), static_cast<ssize_t>(other.size()));
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_FALSE(std::ranges::equal(key.glwe(), other));
}

TEST_F(SecretKeys, SwitchCoreDumpsOff) {
    const SecretKey key = SecretKey::generate(toy(), sources, true);
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_CORE, &limit), 0);
    EXPECT_EQ(limit.rlim_cur, 0U);
    EXPECT_EQ(limit.rlim_max, 0U);
}

TEST_F(SecretKeys, AreWipedFromMemory) {
    // Reading freed memory through the kernel is no undefined behaviour of this program.
    const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) GTEST_SKIP() << "/proc/self/mem cannot be opened";
    std::array<std::byte, 8192> before{};
    std::array<std::byte, 8192> after{};
    auto literal = tests::toy_literal();
    literal.glwe.ring_dimension = 1024;
    std::optional<SecretKey> key = SecretKey::generate(scheme::Parameters(literal), sources, true);
    const auto place = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(key->glwe().data()));
    const std::size_t length = key->glwe().size();
    ASSERT_LE(length, before.size());
    ASSERT_EQ(::pread(memory, before.data(), length, place), static_cast<ssize_t>(length));
    EXPECT_EQ(std::memcmp(before.data(), key->glwe().data(), length), 0);
    key.reset();
    const ssize_t count = ::pread(memory, after.data(), length, place);
    ::close(memory);
    if (count < 0) return;  // given back to the system
    // The allocator keeps its own notes in the first bytes of free memory.
    std::size_t surviving = 0;
    for (std::size_t i = 64; i < length; ++i)
        if (before[i] != std::byte{0} && before[i] == after[i]) ++surviving;
    EXPECT_EQ(surviving, 0U);
}

TEST_F(SecretKeys, MoveWithoutLeavingACopy) {
    SecretKey key = SecretKey::generate(toy(), sources, true);
    const auto* const place = key.glwe().data();
    const SecretKey moved = std::move(key);
    EXPECT_EQ(moved.glwe().data(), place);
    EXPECT_TRUE(key.glwe().empty());  // NOLINT(bugprone-use-after-move)
}

TEST_F(SecretKeys, FilesHoldTheWholeKey) {
    for (const auto distribution : {scheme::KeyDistribution::binary, scheme::KeyDistribution::block_binary}) {
        auto literal = tests::toy_literal();
        literal.lwe.key = distribution;
        literal.lwe.block = distribution == scheme::KeyDistribution::binary ? 1 : 3;
        const SecretKey key = SecretKey::generate(scheme::Parameters(literal), sources, true);
        const auto path = folder / ("key" + std::to_string(literal.lwe.block));
        key.save(path);
        const SecretKey loaded = SecretKey::load(path);
        EXPECT_EQ(loaded.key_id(), key.key_id());
        EXPECT_EQ(loaded.parameters().fingerprint(), key.parameters().fingerprint());
        EXPECT_TRUE(std::ranges::equal(loaded.lwe(), key.lwe()));
        EXPECT_TRUE(std::ranges::equal(loaded.glwe(), key.glwe()));
    }
}

TEST_F(SecretKeys, FilesAreForTheOwnerOnly) {
    const mode_t old_mask = ::umask(0);
    const SecretKey key = SecretKey::generate(toy(), sources, true);
    key.save(folder / "key");
    ::umask(old_mask);
    struct stat status {};
    ASSERT_EQ(::stat((folder / "key").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(SecretKeys, FilesAreNeverOverwritten) {
    const SecretKey key = SecretKey::generate(toy(), sources, true);
    key.save(folder / "key");
    const auto before = tests::read_bytes(folder / "key");
    const SecretKey other = SecretKey::generate(toy(), sources, true);
    EXPECT_EQ(kind_of([&] { other.save(folder / "key"); }), ErrorKind::io);
    EXPECT_EQ(tests::read_bytes(folder / "key"), before);
    // Not through a link either, even one that leads nowhere.
    std::filesystem::create_symlink(folder / "elsewhere", folder / "link");
    EXPECT_EQ(kind_of([&] { other.save(folder / "link"); }), ErrorKind::io);
    EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));
    EXPECT_EQ(kind_of([&] { read(folder / "absent"); }), ErrorKind::io);
}

TEST_F(SecretKeys, DamagedFilesAreRefused) {
    SecretKey::generate(toy(), sources, true).save(folder / "key");
    tests::expect_refuses_damage(tests::read_bytes(folder / "key"), read);
}

TEST_F(SecretKeys, ForeignCoefficientsAreRefused) {
    auto literal = tests::toy_literal();
    literal.lwe.key = scheme::KeyDistribution::block_binary;
    literal.lwe.block = 3;
    SecretKey::generate(scheme::Parameters(literal), sources, true).save(folder / "key");
    const auto valid = tests::read_bytes(folder / "key");
    const auto with = [&](std::size_t section, std::vector<std::uint8_t> values) {
        auto file = valid;
        const auto place = tests::sections_of(valid).at(section);
        for (std::size_t i = 0; i < values.size(); ++i) file[place.content + i] = std::byte{values[i]};
        tests::seal(file);
        return file;
    };
    EXPECT_THAT(tests::refusal_of(with(1, {2}), read), testing::HasSubstr("LWES"));
    EXPECT_THAT(tests::refusal_of(with(1, {1, 1, 0}), read), testing::HasSubstr("LWES"));
    EXPECT_THAT(tests::refusal_of(with(1, {255}), read), testing::HasSubstr("LWES"));
    EXPECT_THAT(tests::refusal_of(with(2, {2}), read), testing::HasSubstr("GLWS"));
    tests::write_bytes(folder / "sound", with(1, {0, 1, 0}));
    EXPECT_NO_THROW(read(folder / "sound"));
}

TEST_F(SecretKeys, AreNoEvaluationKeys) {
    SecretKey::generate(toy(), sources, true).save(folder / "key");
    try {
        (void)scheme::EvaluationKey::load(folder / "key");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::format);
        EXPECT_THAT(error.what(), testing::HasSubstr("secret key"));
    }
}

}  // namespace
}  // namespace toroid::client
