// SPDX-License-Identifier: Apache-2.0
#include "backend/host_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "math/torus.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

const scheme::Parameters& set() {
    return scheme::named_parameters("tfhe128");
}

base::KeyId key_id(int number) {
    base::KeyId id{};
    id[0] = static_cast<std::byte>(number);
    return id;
}

/// A key that is nothing but an identity.
class Identity : public LoadedKey {
 public:
    Identity(scheme::Parameters parameters, const base::KeyId& id)
        : parameters_(std::move(parameters)), id_(id) {}
    [[nodiscard]] const scheme::Parameters& parameters() const noexcept override { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept override { return id_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override { return 0; }
    [[nodiscard]] std::unique_ptr<CiphertextPool> make_pool(std::uint32_t) const override { return nullptr; }
    [[nodiscard]] std::unique_ptr<Stream> make_stream() const override { return nullptr; }
    void evaluate(const GateBatch&, CiphertextPool&, Stream&, StepSeconds*) const override {}
    [[nodiscard]] std::uint32_t full_batch() const noexcept override { return 1; }
    [[nodiscard]] std::vector<std::uint16_t> probe_switched(const GateBatch&,
                                                            const CiphertextPool&) const override {
        return {};
    }
    [[nodiscard]] std::vector<std::uint32_t> probe_accumulators(
        std::span<const std::uint16_t>) const override {
        return {};
    }

 private:
    scheme::Parameters parameters_;
    base::KeyId id_;
};

/// A pool on some other device.
class ForeignPool : public CiphertextPool {
 public:
    [[nodiscard]] std::uint32_t slots() const noexcept override { return 0; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override { return 0; }
    void upload(std::span<const std::uint32_t>, const scheme::LweArray&) override {}
    [[nodiscard]] scheme::LweArray download(std::span<const std::uint32_t>) const override { return {}; }
    void set_trivial(std::uint32_t, int) override {}
};

void expect_kind(ErrorKind kind, const std::function<void()>& action) {
    try {
        action();
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
    }
}

scheme::LweArray random_samples(std::size_t count, int dimension) {
    auto random = tests::generator();
    scheme::LweArray samples(count, dimension);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::uint32_t& word : samples[i]) word = static_cast<std::uint32_t>(random());
    }
    return samples;
}

TEST(HostPool, KeepsWhatWasUploadedInOrder) {
    HostPool pool(set(), key_id(1), 5);
    EXPECT_EQ(pool.slots(), 5U);
    EXPECT_EQ(pool.dimension(), set().wire_dimension());
    EXPECT_GE(pool.bytes(), 5U * 4U * static_cast<unsigned>(pool.dimension() + 1));
    const auto samples = random_samples(3, pool.dimension());
    pool.upload(std::array{4U, 0U, 2U}, samples);
    const auto back = pool.download(std::array{2U, 4U, 1U, 0U, 2U});
    ASSERT_EQ(back.count(), 5U);
    EXPECT_TRUE(std::ranges::equal(back[0], samples[2]));
    EXPECT_TRUE(std::ranges::equal(back[1], samples[0]));
    EXPECT_TRUE(std::ranges::all_of(back[2], [](std::uint32_t word) { return word == 0; }));
    EXPECT_TRUE(std::ranges::equal(back[3], samples[1]));
    EXPECT_TRUE(std::ranges::equal(back[4], samples[2]));
}

TEST(HostPool, SlotsBeginOnCacheLines) {
    HostPool pool(set(), key_id(1), 3);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool[slot].data()) % 64, 0U);
    }
    EXPECT_EQ(static_cast<std::size_t>(pool[1].data() - pool[0].data()), pool.stride());
}

TEST(HostPool, TrivialSampleIsTheBodyAlone) {
    HostPool pool(set(), key_id(1), 2);
    pool.upload(std::array{0U, 1U}, random_samples(2, pool.dimension()));
    pool.set_trivial(1, -1);
    const auto back = pool.download(std::array{1U});
    EXPECT_EQ(back[0].back(), math::from_eighths(-1));
    EXPECT_TRUE(
        std::ranges::all_of(back[0].first(back[0].size() - 1), [](std::uint32_t w) { return w == 0; }));
}

TEST(HostPool, RefusesBadSlotsAndSamples) {
    HostPool pool(set(), key_id(1), 2);
    const int dimension = pool.dimension();
    expect_kind(ErrorKind::internal, [&] { pool.upload(std::array{2U}, random_samples(1, dimension)); });
    expect_kind(ErrorKind::internal, [&] { pool.upload(std::array{0U}, random_samples(2, dimension)); });
    expect_kind(ErrorKind::key_mismatch,
                [&] { pool.upload(std::array{0U}, random_samples(1, dimension - 1)); });
    expect_kind(ErrorKind::internal, [&] { (void)pool.download(std::array{0U, 2U}); });
    expect_kind(ErrorKind::internal, [&] { pool.set_trivial(2, 1); });
}

TEST(HostPool, BelongsToOneKeyOfOneSet) {
    HostPool pool(set(), key_id(1), 2);
    EXPECT_EQ(&HostPool::of(pool, Identity(set(), key_id(1))), &pool);
    expect_kind(ErrorKind::key_mismatch, [&] { (void)HostPool::of(pool, Identity(set(), key_id(2))); });
    const Identity other_set(scheme::named_parameters("tfhe128-wide"), key_id(1));
    expect_kind(ErrorKind::key_mismatch, [&] { (void)HostPool::of(pool, other_set); });
    ForeignPool foreign;
    expect_kind(ErrorKind::key_mismatch, [&] { (void)HostPool::of(foreign, Identity(set(), key_id(1))); });
}

TEST(HostPool, OutOfMemoryIsSaidBeforeAnythingIsAllocated) {
    try {
        // 16 TiB: more than any machine this is tested on, less than an address space.
        const HostPool pool(set(), key_id(1), std::numeric_limits<std::uint32_t>::max());
        GTEST_SKIP() << "this machine has the memory";
    } catch (const OutOfMemory& error) {
        EXPECT_EQ(error.needed_bytes(), (std::uint64_t{1} << 32) * 1040 * 4 - 1040 * 4);
        EXPECT_LT(error.free_bytes(), error.needed_bytes());
    }
}

}  // namespace
}  // namespace toroid::backend
