// SPDX-License-Identifier: Apache-2.0
// Several streams, threads, keys and sets in one process (case K7).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/encryption.hpp"
#include "contract/workbench.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

/// Runs the bodies on threads of their own; the first exception is rethrown.
void run_in_threads(const std::vector<std::function<void()>>& bodies) {
    std::vector<std::exception_ptr> failures(bodies.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        threads.emplace_back([&, i] {
            try {
                bodies[i]();
            } catch (...) {
                failures[i] = std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

/// A little circuit of its own for each bench: `lanes` values hashed over and over by gates.
class Chain {
 public:
    Chain(Workbench& bench, std::uint32_t lanes, std::uint64_t purpose)
        : bench_(bench), lanes_(lanes), random_(generator(purpose)), bits_(random_bits(lanes, random_)) {
        bench.encrypt(0, bits_);
    }
    void step() {
        const std::array<std::string, 3> names{"NAND", "XOR", "MUX"};
        gates_ = {};
        Bits next = bits_;
        for (std::uint32_t i = 0; i < lanes_; ++i) {
            const GateKind& kind = gate_kind(names[random_() % names.size()]);
            std::vector<std::uint32_t> slots;
            Bits row;
            for (std::uint32_t j = 0; j < kind.arity(); ++j) {
                slots.push_back(static_cast<std::uint32_t>((i + j * j + 1) % lanes_));
                row.push_back(bits_[slots.back()]);
            }
            gates_.add(kind, slots, i);
            next[i] = kind.truth(row);
        }
        bench_.run(gates_.batch());
        bits_ = next;
    }
    [[nodiscard]] bool right() const { return bench_.decrypt(slot_range(0, lanes_)) == bits_; }

 private:
    Workbench& bench_;
    std::uint32_t lanes_;
    std::mt19937_64 random_;
    Bits bits_;
    BatchBuilder gates_;
};

class Concurrency : public testing::TestWithParam<Instance> {};

TEST_P(Concurrency, TwoStreamsOfOneKeyOnTwoThreads) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    Workbench one(GetParam(), 5);
    Workbench two = one.sibling(7);
    Chain first(one, 5, 200);
    Chain second(two, 7, 201);
    const auto work = [](Chain& chain) {
        for (int i = 0; i < 4; ++i) chain.step();
    };
    run_in_threads({[&] { work(first); }, [&] { work(second); }});
    EXPECT_TRUE(first.right());
    EXPECT_TRUE(second.right());
}

TEST_P(Concurrency, TwoKeysAndTwoSetsInterleaved) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const Instance other{GetParam().backend, reduced(scheme::named_parameters("tfhe128-fast"), 6)};
    std::vector<Workbench> benches;
    benches.reserve(4);
    for (const Instance& instance : {GetParam(), other}) {
        for (const std::uint64_t key : {0U, 1U}) benches.emplace_back(instance, 4, key);
    }
    std::vector<Chain> chains;
    for (std::size_t i = 0; i < benches.size(); ++i) chains.emplace_back(benches[i], 4, 210 + i);
    for (int round = 0; round < 2; ++round) {
        for (Chain& chain : chains) chain.step();
        run_in_threads({[&] { chains[0].step(); }, [&] { chains[3].step(); }});
        run_in_threads({[&] { chains[2].step(); }, [&] { chains[1].step(); }});
    }
    for (const Chain& chain : chains) EXPECT_TRUE(chain.right());
}

TEST_P(Concurrency, FreedKeysLeaveNothingBehind) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    // Loads and frees in turn, so that addresses are reused; nothing may be remembered under one of them.
    const Instance other{GetParam().backend, reduced(scheme::named_parameters("tfhe128-fast"), 6)};
    for (int round = 0; round < 6; ++round) {
        const Instance& instance = round % 3 == 2 ? other : GetParam();
        const TestKey& secrets = test_key(instance.parameters, static_cast<std::uint64_t>(round % 2));
        const auto key = test_backend(instance.backend).load(secrets.evaluation);
        const auto pool = key->make_pool(3);
        const auto stream = key->make_stream();
        const Bits bits{round % 2 == 0, true};
        SeededSources random(static_cast<std::uint64_t>(220 + round));
        pool->upload(std::array{0U, 1U}, client::encrypt(secrets.secret, bits, random).samples);
        BatchBuilder gates;
        gates.add(gate_kind("NAND"), std::array{0U, 1U}, 2);
        key->evaluate(gates.batch(), *pool, *stream);
        stream->synchronize();
        EXPECT_EQ(client::decrypt(secrets.secret, pool->download(std::array{2U}))[0], !bits[0]) << round;
    }
}

INSTANTIATE_TEST_SUITE_P(Reduced, Concurrency, testing::ValuesIn(reduced_instances(4)), instance_name);
INSTANTIATE_TEST_SUITE_P(Full, Concurrency, testing::ValuesIn(full_instances({"tfhe128"})), instance_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Concurrency);

}  // namespace
}  // namespace toroid::tests
