// SPDX-License-Identifier: Apache-2.0
// More memory than the device has, and what does not belong to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "gpu/mixed_batch.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::tests {
namespace {

const scheme::Parameters& set() {
    static const scheme::Parameters parameters = reduced(scheme::named_parameters("tfhe128-fast"), 64);
    return parameters;
}

/// NAND of slots 0 and 1 into `count` slots from 2 on, which must all be `expected`.
void expect_nand(Workbench& bench, std::uint32_t count, bool expected) {
    BatchBuilder gates;
    for (std::uint32_t i = 0; i < count; ++i) gates.add(gate_kind("NAND"), std::array{0U, 1U}, 2 + i);
    bench.run(gates.batch());
    EXPECT_EQ(bench.decrypt(slot_range(2, count)), Bits(count, expected));
}

TEST(GpuMemory, APoolThatDoesNotFitIsRefusedWithBothNumbers) {
    TOROID_REQUIRE_INSTANCE(gpu_instance(set()));
    Workbench bench(gpu_instance(set()), 40);
    bench.encrypt(0, {true, true});
    constexpr std::uint32_t most_slots = 0xFFFFFFFFU;
    try {
        const auto pool = bench.key().make_pool(most_slots);
        FAIL() << "a pool of " << pool->bytes() << " bytes was made";
    } catch (const OutOfMemory& error) {
        EXPECT_GT(error.needed_bytes(), std::uint64_t{most_slots} * 4);
        EXPECT_GT(error.needed_bytes(), error.free_bytes());
        EXPECT_GT(error.free_bytes(), 0U);
        EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(error.free_bytes() >> 20)));
        EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(error.needed_bytes() >> 20)));
    }
    expect_nand(bench, 30, false);
}

/// Cards that a pool spreads over; one taken several times (NAME:INDEX#1, ...) is one.
std::size_t cards(const backend::CiphertextPool& pool) {
    std::set<std::string> names;
    for (const backend::DeviceWork& work : pool.work())
        names.insert(work.device.substr(0, work.device.find('#')));
    return std::max<std::size_t>(1, names.size());
}

TEST(GpuMemory, ABatchWhoseScratchDoesNotFitIsRefusedAndTheKeyStaysUsable) {
    TOROID_REQUIRE_INSTANCE(gpu_instance(set()));
    constexpr std::uint32_t gates = 400000;
    Workbench bench(gpu_instance(set()), 2 + gates);
    bench.encrypt(0, {true, false});
    std::uint64_t free_bytes = 0;
    try {
        (void)bench.key().make_pool(0xFFFFFFFFU);
    } catch (const OutOfMemory& error) {
        free_bytes = error.free_bytes();
    }
    ASSERT_GT(free_bytes, 0U);
    const std::uint64_t slot_bytes = bench.pool().bytes() / (2 + gates) / cards(bench.pool());
    constexpr std::uint64_t left = 72 << 20;  // the engine keeps 64 MiB free itself
    auto filler = bench.key().make_pool(static_cast<std::uint32_t>((free_bytes - left) / slot_bytes));
    // A chain of gates over their neighbours' operands: all switched samples must be kept.
    BatchBuilder chain;
    for (std::uint32_t i = 0; i < gates; ++i) {
        chain.add(gate_kind("NAND"), std::array{i, i + 1}, i == 0 ? 2 + gates - 1 : i + 1);
    }
    EXPECT_THROW(bench.run(chain.batch()), OutOfMemory);
    filler.reset();
    expect_nand(bench, 1000, true);
}

TEST(GpuMemory, PoolsAndStreamsOfAnotherBackendAreRefused) {
    TOROID_REQUIRE_INSTANCE(gpu_instance(set()));
    Workbench bench(gpu_instance(set()), 40);
    Workbench host({"cpu", set()}, 40);
    Workbench other_key(gpu_instance(set()), 40, 1);
    bench.encrypt(0, {true, true});
    BatchBuilder gates;
    gates.add(gate_kind("NAND"), std::array{0U, 1U}, 2);
    const auto kind_of = [&](backend::CiphertextPool& pool, backend::Stream& stream) {
        try {
            bench.key().evaluate(gates.batch(), pool, stream);
        } catch (const Error& error) {
            return error.kind();
        }
        return ErrorKind::usage;
    };
    EXPECT_EQ(kind_of(host.pool(), bench.stream()), ErrorKind::key_mismatch);
    EXPECT_EQ(kind_of(other_key.pool(), bench.stream()), ErrorKind::key_mismatch);
    EXPECT_EQ(kind_of(bench.pool(), host.stream()), ErrorKind::device);
    expect_nand(bench, 30, false);
}

/// Two keys of two sets, two streams each, all on threads of their own.
TEST(GpuStreams, TwoKeysWithTwoStreamsEach) {
    const scheme::Parameters other = reduced(scheme::named_parameters("tfhepp-blockbinary"), 64);
    TOROID_REQUIRE_INSTANCE(gpu_instance(set()));
    TOROID_REQUIRE_INSTANCE(gpu_instance(other));
    constexpr std::uint32_t count = 3000;
    constexpr int rounds = 6;
    struct Lane {
        std::unique_ptr<Workbench> bench;
        std::vector<BatchBuilder> batches;
        Bits expected;
    };
    std::vector<Lane> lanes(4);
    auto random = generator(930);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        Lane& lane = lanes[i];
        lane.bench = std::make_unique<Workbench>(gpu_instance(i % 2 == 0 ? set() : other), count);
        Wires wires{random_bits(count, random), std::vector<double>(count, 1.0)};
        lane.bench->encrypt(0, wires.bits);
        GateDraw draw(lane.bench->noise(), random);
        for (int round = 0; round < rounds; ++round) {
            Wires after = wires;
            lane.batches.emplace_back();
            const auto choose = [&] { return static_cast<std::uint32_t>(random() % count); };
            for (std::uint32_t to = 0; to < count; ++to)
                draw.add(lane.batches.back(), wires, choose, to, after);
            wires = after;
        }
        lane.expected = wires.bits;
    }
    std::vector<std::jthread> threads;
    for (Lane& lane : lanes) {
        threads.emplace_back([&lane] {
            for (const BatchBuilder& batch : lane.batches) {
                lane.bench->key().evaluate(batch.batch(), lane.bench->pool(), lane.bench->stream());
            }
            lane.bench->stream().synchronize();
        });
    }
    threads.clear();
    for (const Lane& lane : lanes) {
        EXPECT_EQ(wrong_bits(lane.bench->decrypt(slot_range(0, count)), lane.expected, 0), 0U)
            << lane.bench->parameters().name();
    }
}

}  // namespace
}  // namespace toroid::tests
