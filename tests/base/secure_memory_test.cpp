// SPDX-License-Identifier: Apache-2.0
#include "base/secure_memory.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>

#include "base/aligned_vector.hpp"
#include "base/random_source.hpp"

// The thread sanitizer brings its own allocation functions and admits no others.
#if defined(__SANITIZE_THREAD__)
#define TOROID_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TOROID_THREAD_SANITIZER 1
#endif
#endif

namespace {

/// Looks at memory in the moment it is given back.
[[maybe_unused]] thread_local const std::function<void(const void* pointer)>* on_release = nullptr;

[[maybe_unused]] void released(const void* pointer) {
    if (on_release != nullptr) (*on_release)(pointer);
}

}  // namespace

#ifdef TOROID_THREAD_SANITIZER
#define TOROID_REQUIRE_A_LOOK_AT_FREED_MEMORY() \
    GTEST_SKIP() << "the thread sanitizer owns the allocation functions"
#else
#define TOROID_REQUIRE_A_LOOK_AT_FREED_MEMORY()
// The whole test program allocates through these, so that a test can see what stands in freed memory.
void* operator new(std::size_t size) {
    if (void* const pointer = std::malloc(size == 0 ? 1 : size)) return pointer;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto bytes = static_cast<std::size_t>(alignment);
    if (void* const pointer = std::aligned_alloc(bytes, (size / bytes + 1) * bytes)) return pointer;
    throw std::bad_alloc();
}
void operator delete(void* pointer) noexcept {
    released(pointer);
    std::free(pointer);
}
void operator delete(void* pointer, std::size_t) noexcept {
    operator delete(pointer);
}
void operator delete(void* pointer, std::align_val_t) noexcept {
    operator delete(pointer);
}
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept {
    operator delete(pointer);
}
#endif

namespace toroid::base {
namespace {

/// Runs `release` and returns how many of the `size` bytes at `watched` were not zero when it was freed; -1
/// if it was not freed at all.
template <typename Release>
long bytes_left_in(const void* watched, std::size_t size, Release&& release) {
    long left = -1;
    const std::function<void(const void*)> look = [&](const void* pointer) {
        if (pointer != watched) return;
        const auto* const bytes = static_cast<const unsigned char*>(pointer);
        left = std::count_if(bytes, bytes + size, [](unsigned char byte) { return byte != 0; });
    };
    on_release = &look;
    release();
    on_release = nullptr;
    return left;
}

TEST(SecretVector, IsWipedWhenFreed) {
    TOROID_REQUIRE_A_LOOK_AT_FREED_MEMORY();
    for (const std::size_t count : {1U, 17U, 5000U}) {
        auto secret = std::make_unique<SecretVector<std::uint32_t>>(count, 0xdeadbeefU);
        EXPECT_EQ(bytes_left_in(secret->data(), 4 * count, [&] { secret.reset(); }), 0) << count;
    }
}

TEST(SecretVector, IsWipedWhenItMovesToAGreaterBlock) {
    TOROID_REQUIRE_A_LOOK_AT_FREED_MEMORY();
    SecretVector<std::uint8_t> secret(100, 0xaa);
    EXPECT_EQ(bytes_left_in(secret.data(), 100, [&] { secret.resize(20000, 0xbb); }), 0);
    EXPECT_EQ(secret.front(), 0xaa);
    EXPECT_EQ(secret.back(), 0xbb);
}

TEST(SecretVector, AnOrdinaryVectorFailsTheSameLook) {
    TOROID_REQUIRE_A_LOOK_AT_FREED_MEMORY();
    // Proof that bytes_left_in sees what it claims to see.
    auto open = std::make_unique<AlignedVector<std::uint8_t>>(1000, 0xaa);
    EXPECT_EQ(bytes_left_in(open->data(), 1000, [&] { open.reset(); }), 1000);
}

TEST(SecretVector, IsAlignedForSimd) {
    for (const std::size_t count : {1U, 100U, 10000U}) {
        const SecretVector<double> secret(count);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(secret.data()) % 64, 0U);
        const AlignedVector<double> open(count);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(open.data()) % 64, 0U);
    }
}

TEST(SecretVector, RefusesALengthThatOverflows) {
    WipingAllocator<std::uint64_t> allocator;
    EXPECT_THROW(static_cast<void>(allocator.allocate(static_cast<std::size_t>(-1) / 4)),
                 std::bad_array_new_length);
    CacheLineAllocator<std::uint64_t> aligned;
    EXPECT_THROW(static_cast<void>(aligned.allocate(static_cast<std::size_t>(-1) / 4)),
                 std::bad_array_new_length);
}

TEST(Wipe, OverwritesAll) {
    std::vector<std::byte> bytes(1000, std::byte{0x5a});
    wipe(std::span(bytes).subspan(10, 900));
    EXPECT_EQ(std::ranges::count(bytes, std::byte{0}), 900);
    wipe({});
}

TEST(SystemRandomSources, AreWipedWhenDestroyed) {
    TOROID_REQUIRE_A_LOOK_AT_FREED_MEMORY();
    auto source = system_random_sources().make();
    static_cast<void>(source->next_u64());
    // About a kilobyte of key and buffer; only the object's own counters and its table pointer may remain.
    const long left = bytes_left_in(source.get(), 1000, [&] { source.reset(); });
    EXPECT_GE(left, 0);
    EXPECT_LE(left, 16);
}

TEST(ForbidCoreDumps, SwitchesThemOff) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        forbid_core_dumps();
        rlimit limit{1, 1};
        getrlimit(RLIMIT_CORE, &limit);
        _exit(limit.rlim_cur == 0 && limit.rlim_max == 0 && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace toroid::base
