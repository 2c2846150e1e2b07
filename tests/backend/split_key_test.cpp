// SPDX-License-Identifier: Apache-2.0
// One key over several devices, with devices that only add: what must be right is who computes what from
// which copy.
#include "backend/split_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "backend/fake_device.hpp"
#include "support/seed.hpp"

namespace toroid::backend {
namespace {

/// A split key over fake devices and a single one that does the same, both on random slots.
struct Bench {
    std::vector<std::shared_ptr<FakeState>> states;
    std::unique_ptr<SplitKey> key;
    FakeKey single{std::make_shared<FakeState>()};
    std::unique_ptr<CiphertextPool> pool;
    std::unique_ptr<CiphertextPool> expected;
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Stream> single_stream;
    std::uint32_t slots;

    Bench(unsigned devices, std::uint32_t count, std::uint32_t full_batch = 1) : slots(count) {
        std::vector<KeyPart> parts;
        for (unsigned i = 0; i < devices; ++i) {
            states.push_back(std::make_shared<FakeState>());
            parts.push_back(
                {"fake:" + std::to_string(i), std::make_unique<FakeKey>(states.back(), full_batch)});
        }
        key = std::make_unique<SplitKey>(std::move(parts));
        pool = key->make_pool(slots);
        expected = single.make_pool(slots);
        stream = key->make_stream();
        single_stream = single.make_stream();
    }
    [[nodiscard]] std::vector<std::uint32_t> all() const {
        std::vector<std::uint32_t> numbers(slots);
        std::iota(numbers.begin(), numbers.end(), 0U);
        return numbers;
    }
    void upload_random(std::mt19937_64& random) {
        scheme::LweArray samples(slots, key->parameters().wire_dimension());
        for (std::uint32_t i = 0; i < slots; ++i) samples[i].back() = static_cast<std::uint32_t>(random());
        pool->upload(all(), samples);
        expected->upload(all(), samples);
    }
    void run(const GateBatch& batch) {
        key->evaluate(batch, *pool, *stream, nullptr);
        stream->synchronize();
        single.evaluate(batch, *expected, *single_stream, nullptr);
    }
    [[nodiscard]] std::vector<std::uint32_t> bodies(const CiphertextPool& of) const {
        const scheme::LweArray found = of.download(all());
        std::vector<std::uint32_t> out;
        for (std::uint32_t i = 0; i < slots; ++i) out.push_back(found[i].back());
        return out;
    }
    [[nodiscard]] bool right() const { return bodies(*pool) == bodies(*expected); }
    [[nodiscard]] std::uint64_t bootstraps(unsigned device) const { return states[device]->bootstraps; }
};

struct Gates {
    std::vector<base::GateRecord> records;
    std::vector<base::Operand> operands;
    [[nodiscard]] GateBatch batch() const { return {records, operands}; }
};

/// Gates of all forms with operands anywhere and different outputs anywhere: outputs overwrite operands.
Gates random_gates(std::uint32_t count, std::uint32_t slots, std::mt19937_64& random, bool linear = true) {
    Gates out;
    std::vector<std::uint32_t> outputs(slots);
    std::iota(outputs.begin(), outputs.end(), 0U);
    std::ranges::shuffle(outputs, random);
    for (std::uint32_t i = 0; i < count; ++i) {
        base::GateRecord gate;
        gate.output = outputs[i];
        gate.form = static_cast<base::GateForm>(linear ? random() % 3 : 1 + random() % 2);
        gate.first_operand = static_cast<std::uint32_t>(out.operands.size());
        gate.operands_a = static_cast<std::uint16_t>(1 + random() % 3);
        gate.offset_a = static_cast<std::int8_t>(random() % 8);
        if (gate.form == base::GateForm::pair) {
            gate.operands_b = static_cast<std::uint16_t>(random() % 3);
            gate.offset_b = static_cast<std::int8_t>(random() % 8);
        }
        for (int k = 0; k < gate.operands_a + gate.operands_b; ++k) {
            out.operands.push_back(
                {static_cast<std::uint32_t>(random() % slots), static_cast<std::int32_t>(random() % 5) - 2});
        }
        out.records.push_back(gate);
    }
    return out;
}

/// Case R1: batches of 0, 1, G - 1, G, G + 1 and 2 G + 1 gates and more on G devices.
TEST(SplitKey, AnyWidthOnAnyNumberOfDevicesGivesWhatOneGives) {
    auto random = tests::generator(41);
    for (unsigned devices = 1; devices <= 6; ++devices) {
        Bench bench(devices, 60);
        bench.upload_random(random);
        for (int round = 0; round < 10; ++round) {
            for (const std::uint32_t width :
                 {0U, 1U, devices - 1, devices, devices + 1, 2 * devices + 1, 50U}) {
                bench.run(random_gates(width, 60, random).batch());
                ASSERT_TRUE(bench.right()) << width << " gates on " << devices << " devices";
            }
            bench.pool->set_trivial(3, 5);
            bench.expected->set_trivial(3, 5);
        }
        for (unsigned device = 0; device < devices; ++device) EXPECT_GT(bench.bootstraps(device), 0U);
    }
}

TEST(SplitKey, FullBatchesBytesAndSecondsAddUp) {
    Bench bench(3, 30, 8);
    EXPECT_EQ(bench.key->full_batch(), 24U);
    EXPECT_EQ(bench.key->bytes(), 300U);
    EXPECT_EQ(bench.pool->bytes(), 3 * bench.expected->bytes());
    EXPECT_EQ(bench.pool->slots(), 30U);
    auto random = tests::generator(42);
    bench.upload_random(random);
    StepSeconds seconds;
    const Gates gates = random_gates(30, 30, random);
    bench.key->evaluate(gates.batch(), *bench.pool, *bench.stream, &seconds);
    EXPECT_EQ(seconds.linear, 30) << "the fake counts gates";
}

TEST(SplitKey, TheWorkOfEachDeviceIsCounted) {
    Bench bench(2, 64);
    auto random = tests::generator(43);
    bench.upload_random(random);
    std::uint64_t total = 0;
    for (int round = 0; round < 5; ++round) {
        const Gates gates = random_gates(64, 64, random);
        bench.run(gates.batch());
        for (const base::GateRecord& gate : gates.records)
            total += static_cast<std::uint64_t>(gate.bootstraps());
    }
    const std::vector<DeviceWork> work = bench.pool->work();
    ASSERT_EQ(work.size(), 2U);
    EXPECT_EQ(work[0].device, "fake:0");
    EXPECT_EQ(work[1].device, "fake:1");
    EXPECT_EQ(work[0].bootstraps + work[1].bootstraps, total);
    for (unsigned device = 0; device < 2; ++device) {
        EXPECT_EQ(work[device].bootstraps, bench.bootstraps(device));
        EXPECT_GT(work[device].received_bytes, 0U);
        EXPECT_EQ(work[device].received_through_host_bytes, work[device].received_bytes);
    }
    const std::uint64_t sample =
        4 * (static_cast<std::uint64_t>(bench.key->parameters().wire_dimension()) + 1);
    EXPECT_EQ(work[0].received_bytes % sample, 0U);
    EXPECT_TRUE(bench.expected->work().empty());
}

/// Lanes that never meet: nothing may travel, however long they run.
TEST(SplitKey, WhatStaysOnADeviceDoesNotMove) {
    constexpr std::uint32_t lanes = 64;
    Bench bench(4, lanes, 8);
    auto random = tests::generator(44);
    bench.upload_random(random);
    Gates gates;
    for (std::uint32_t i = 0; i < lanes; ++i) {
        base::GateRecord gate;
        gate.output = i;
        gate.first_operand = i;
        gate.operands_a = 1;
        gates.records.push_back(gate);
        gates.operands.push_back({i, 3});
    }
    for (int round = 0; round < 20; ++round) bench.run(gates.batch());
    EXPECT_TRUE(bench.right());
    for (const DeviceWork& work : bench.pool->work()) {
        EXPECT_EQ(work.received_bytes, 0U);
        EXPECT_EQ(work.bootstraps, 20U * lanes / 4);
    }
}

TEST(SplitKey, ConstantsNeverTravel) {
    Bench bench(3, 40);
    auto random = tests::generator(51);
    bench.upload_random(random);
    for (std::uint32_t slot = 0; slot < 10; ++slot) {
        bench.pool->set_trivial(slot, static_cast<int>(slot));
        bench.expected->set_trivial(slot, static_cast<int>(slot));
    }
    Gates gates = random_gates(30, 40, random, false);
    for (base::Operand& operand : gates.operands) operand.index %= 10;
    bench.run(gates.batch());
    EXPECT_TRUE(bench.right());
    for (const DeviceWork& work : bench.pool->work()) EXPECT_EQ(work.received_bytes, 0U);
}

TEST(SplitKey, ASmallBatchRunsOnOneDevice) {
    Bench bench(4, 200, 400);
    auto random = tests::generator(45);
    bench.upload_random(random);
    for (int round = 0; round < 5; ++round) bench.run(random_gates(90, 200, random, false).batch());
    EXPECT_TRUE(bench.right());
    int working = 0;
    for (unsigned device = 0; device < 4; ++device) working += bench.bootstraps(device) > 0 ? 1 : 0;
    EXPECT_LE(working, 2) << "uploads of 200 go to two devices, batches to where most operands are";
}

TEST(SplitKey, OutOfMemoryOnOneDeviceLeavesAllUsable) {
    auto random = tests::generator(46);
    for (unsigned failing = 0; failing < 3; ++failing) {
        Bench bench(3, 60);
        bench.upload_random(random);
        bench.run(random_gates(30, 60, random).batch());
        // Outputs in the upper half, so that the operands stay known.
        Gates gates = random_gates(30, 30, random, false);
        for (base::GateRecord& gate : gates.records) gate.output += 30;
        bench.states[failing]->out_of_memory = true;
        EXPECT_THROW(bench.run(gates.batch()), OutOfMemory);
        bench.states[failing]->out_of_memory = false;
        bench.run(gates.batch());
        EXPECT_TRUE(bench.right());
        for (int round = 0; round < 5; ++round) bench.run(random_gates(40, 60, random).batch());
        EXPECT_TRUE(bench.right());
    }
}

TEST(SplitKey, ACopyThatDoesNotComeIsMadeAgain) {
    auto random = tests::generator(47);
    Bench bench(2, 40);
    bench.upload_random(random);
    for (const auto& state : bench.states) state->link_out_of_memory = true;
    const Gates gates = random_gates(40, 40, random, false);
    EXPECT_THROW(bench.run(gates.batch()), OutOfMemory);
    EXPECT_EQ(bench.bootstraps(0) + bench.bootstraps(1), 0U) << "nothing runs without its operands";
    EXPECT_TRUE(bench.right()) << "nothing was written";
    for (const auto& state : bench.states) state->link_out_of_memory = false;
    bench.run(gates.batch());
    EXPECT_TRUE(bench.right());
}

TEST(SplitKey, APoolThatDoesNotFitOnOneDeviceIsRefused) {
    Bench bench(2, 10);
    bench.states[1]->pool_out_of_memory = true;
    EXPECT_THROW((void)bench.key->make_pool(10), OutOfMemory);
    bench.states[1]->pool_out_of_memory = false;
    EXPECT_EQ(bench.key->make_pool(10)->slots(), 10U);
}

ErrorKind kind_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.kind();
    }
    ADD_FAILURE() << "no error";
    return ErrorKind::usage;
}

/// Case R2: what belongs to other devices or keys is refused, and everything goes on.
TEST(SplitKey, PoolsAndStreamsOfOthersAreRefused) {
    Bench bench(2, 10);
    Bench three(3, 10);
    auto random = tests::generator(48);
    bench.upload_random(random);
    const Gates gates = random_gates(5, 10, random, false);
    const auto run = [&](CiphertextPool& pool, Stream& stream) {
        return kind_of([&] { bench.key->evaluate(gates.batch(), pool, stream, nullptr); });
    };
    EXPECT_EQ(run(*bench.expected, *bench.stream), ErrorKind::key_mismatch);
    EXPECT_EQ(run(*three.pool, *bench.stream), ErrorKind::device);
    EXPECT_EQ(run(*bench.pool, *three.stream), ErrorKind::device);
    EXPECT_EQ(run(*bench.pool, *bench.single_stream), ErrorKind::device);
    std::vector<KeyPart> parts;
    for (const char* name : {"fake:0", "fake:1"})
        parts.push_back({name, std::make_unique<FakeKey>(std::make_shared<FakeState>(), 1, 2)});
    const SplitKey other(std::move(parts));
    EXPECT_EQ(run(*other.make_pool(10), *bench.stream), ErrorKind::key_mismatch);
    bench.run(gates.batch());
    EXPECT_TRUE(bench.right());
}

TEST(SplitKey, PartsOfDifferentKeysAreRefused) {
    std::vector<KeyPart> parts;
    for (const int key : {1, 2}) {
        parts.push_back({"fake:" + std::to_string(key),
                         std::make_unique<FakeKey>(std::make_shared<FakeState>(), 1, key)});
    }
    EXPECT_EQ(kind_of([&] { SplitKey(std::move(parts)); }), ErrorKind::key_mismatch);
    EXPECT_EQ(kind_of([] { SplitKey(std::vector<KeyPart>()); }), ErrorKind::usage);
}

TEST(SplitKey, BadSlotsAndCountsAreRefused) {
    Bench bench(2, 10);
    const scheme::LweArray two(2, bench.key->parameters().wire_dimension());
    const std::vector<std::uint32_t> bad{3, 10};
    const std::vector<std::uint32_t> one{3};
    EXPECT_EQ(kind_of([&] { bench.pool->upload(bad, two); }), ErrorKind::internal);
    EXPECT_EQ(kind_of([&] { bench.pool->upload(one, two); }), ErrorKind::internal);
    EXPECT_EQ(kind_of([&] { (void)bench.pool->download(bad); }), ErrorKind::internal);
    EXPECT_EQ(kind_of([&] { bench.pool->set_trivial(10, 1); }), ErrorKind::internal);
    EXPECT_EQ(kind_of([&] {
                  bench.pool->upload(std::vector<std::uint32_t>{1, 2}, scheme::LweArray(2, 5));
              }),
              ErrorKind::key_mismatch);
    EXPECT_EQ(bench.pool->download({}).count(), 0U);
    EXPECT_EQ(bench.pool->download({}).dimension(), bench.key->parameters().wire_dimension());
}

TEST(SplitKey, ProbesReadWhatAnyDeviceHolds) {
    Bench bench(3, 40);
    auto random = tests::generator(49);
    bench.upload_random(random);
    bench.run(random_gates(40, 40, random).batch());
    const Gates gates = random_gates(20, 40, random);
    const auto rows = bench.key->probe_switched(gates.batch(), *bench.pool);
    EXPECT_EQ(rows, bench.single.probe_switched(gates.batch(), *bench.expected));
    EXPECT_EQ(bench.key->probe_accumulators(rows), bench.single.probe_accumulators(rows));
    EXPECT_TRUE(bench.key->probe_accumulators({}).empty());
    EXPECT_EQ(kind_of([&] { (void)bench.key->probe_accumulators(std::vector<std::uint16_t>(3)); }),
              ErrorKind::internal);
}

}  // namespace
}  // namespace toroid::backend
