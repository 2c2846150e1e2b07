// SPDX-License-Identifier: Apache-2.0
// Whole gates of every instruction set: integer steps equal to the reference backend's, results that decrypt.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "backend_cpu/cpu_backend.hpp"
#include "backend_cpu/cpu_key.hpp"
#include "backend_cpu/instruction_set.hpp"
#include "backend_cpu/rotation_key.hpp"
#include "backend_reference/reference_backend.hpp"
#include "client/encryption.hpp"
#include "client/secret_key.hpp"
#include "scheme/cost_model.hpp"
#include "support/expect_error.hpp"
#include "support/seed.hpp"
#include "support/toy_parameters.hpp"

namespace toroid::tests {
namespace {

using backend_cpu::KernelTable;
using scheme::Parameters;

/// Both gate orders, both word sizes, block and binary keys, at a ring of 64: nothing secure, everything
/// quick.
std::vector<Parameters> toy_sets() {
    std::vector<Parameters> out;
    scheme::ParametersLiteral literal = toy_literal("binary_16");
    out.emplace_back(literal);
    literal = toy_literal("block_16");
    literal.lwe.dimension = 14;
    literal.lwe.key = scheme::KeyDistribution::block_binary;
    literal.lwe.block = 2;
    out.emplace_back(literal);
    literal = toy_literal("bootstrap_first_32");
    literal.order = scheme::GateOrder::bootstrap_first;
    literal.glwe.key = scheme::KeyDistribution::binary;
    literal.key_switch = {.gadget = {.base_log = 3, .levels = 5}, .modulus_log = 32};
    out.emplace_back(literal);
    return out;
}

struct Bench {
    Bench(const Parameters& parameters, const KernelTable& kernels, unsigned threads)
        : random(5),
          secret(client::SecretKey::generate(parameters, random, true)),
          pool(threads),
          evaluation(client::make_evaluation_key(secret, random, pool, {})),
          cpu(backend_cpu::make_backend(kernels, {.threads = threads})),
          key(cpu->load(evaluation)) {}

    /// `slots` slots of uniformly random words.
    [[nodiscard]] scheme::LweArray random_samples(std::size_t count) {
        auto words = generator(51);
        scheme::LweArray out(count, evaluation.parameters().wire_dimension());
        for (std::size_t i = 0; i < count; ++i) {
            for (std::uint32_t& word : out[i]) word = static_cast<std::uint32_t>(words());
        }
        return out;
    }

    SeededSources random;
    client::SecretKey secret;
    base::ThreadPool pool;
    scheme::EvaluationKey evaluation;
    std::unique_ptr<backend::Backend> cpu;
    std::unique_ptr<backend::LoadedKey> key;
};

/// Every form, several weights, operands shared between gates, outputs that are operands of other gates.
struct MixedBatch {
    explicit MixedBatch(std::uint32_t count) {
        auto random = generator(52);
        for (std::uint32_t i = 0; i < count; ++i) {
            base::GateRecord gate;
            gate.output = i;
            gate.form = static_cast<base::GateForm>(i % 3);
            gate.first_operand = static_cast<std::uint32_t>(operands.size());
            gate.operands_a = static_cast<std::uint16_t>(1 + random() % 3);
            gate.offset_a = static_cast<std::int8_t>(random() % 8);
            if (gate.form == base::GateForm::pair) {
                gate.operands_b = 2;
                gate.offset_b = -1;
                gate.post_offset = 1;
            }
            for (int j = 0; j < gate.operands_a + gate.operands_b; ++j) {
                const auto index = static_cast<std::uint32_t>(random() % count);
                operands.push_back({.index = index, .weight = static_cast<std::int32_t>(random() % 5) - 2});
            }
            gates.push_back(gate);
        }
    }
    [[nodiscard]] backend::GateBatch view() const { return {.gates = gates, .operands = operands}; }
    std::vector<base::GateRecord> gates;
    std::vector<base::Operand> operands;
};

std::vector<std::uint32_t> all_slots(std::size_t count) {
    std::vector<std::uint32_t> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint32_t>(i);
    return out;
}

class CpuKeyTest : public testing::TestWithParam<std::tuple<const KernelTable*, Parameters>> {
 protected:
    void SetUp() override {
        if (const std::string absent = backend_cpu::absence_reason(kernels()); !absent.empty())
            GTEST_SKIP() << absent;
    }
    [[nodiscard]] const KernelTable& kernels() const { return *std::get<0>(GetParam()); }
    [[nodiscard]] const Parameters& parameters() const { return std::get<1>(GetParam()); }
};

TEST_P(CpuKeyTest, SwitchedSamplesEqualTheReference) {
    Bench bench(parameters(), kernels(), 2);
    const auto reference = backend_reference::entry().make({})->load(bench.evaluation);
    constexpr std::uint32_t count = 45;
    const MixedBatch batch(count);
    const auto cpu_pool = bench.key->make_pool(count);
    const auto reference_pool = reference->make_pool(count);
    const auto samples = bench.random_samples(count);
    cpu_pool->upload(all_slots(count), samples);
    reference_pool->upload(all_slots(count), samples);
    EXPECT_EQ(bench.key->probe_switched(batch.view(), *cpu_pool),
              reference->probe_switched(batch.view(), *reference_pool));
}

TEST_P(CpuKeyTest, AccumulatorsStayNextToTheReference) {
    Bench bench(parameters(), kernels(), 1);
    const auto reference = backend_reference::entry().make({})->load(bench.evaluation);
    auto random = generator(53);
    const auto ring = static_cast<std::uint32_t>(parameters().N());
    for (const std::size_t count : {1, 3, 21}) {
        std::vector<std::uint16_t> switched(count * (static_cast<std::size_t>(parameters().n()) + 1));
        for (std::uint16_t& exponent : switched) exponent = static_cast<std::uint16_t>(random() % (2 * ring));
        EXPECT_EQ(bench.key->probe_accumulators(switched), reference->probe_accumulators(switched)) << count;
    }
    expect_error(ErrorKind::internal, {"whole number"},
                 [&] { static_cast<void>(bench.key->probe_accumulators(std::vector<std::uint16_t>(3))); });
    std::vector<std::uint16_t> wild(static_cast<std::size_t>(parameters().n()) + 1);
    wild[1] = static_cast<std::uint16_t>(2 * ring);
    expect_error(ErrorKind::internal, {"exponent"},
                 [&] { static_cast<void>(bench.key->probe_accumulators(wild)); });
}

/// The transforms' errors vanish in the rounding at this size, so whole gates equal the reference's word for
/// word.
TEST_P(CpuKeyTest, GatesEqualTheReferenceAlsoInPlace) {
    Bench bench(parameters(), kernels(), 3);
    const auto reference = backend_reference::entry().make({})->load(bench.evaluation);
    constexpr std::uint32_t count = 50;
    const MixedBatch batch(count);
    const auto samples = bench.random_samples(count);
    std::vector<scheme::LweArray> results;
    backend::StepSeconds seconds;
    for (const backend::LoadedKey* key : {bench.key.get(), reference.get()}) {
        const auto pool = key->make_pool(count);
        const auto stream = key->make_stream();
        pool->upload(all_slots(count), samples);
        key->evaluate(batch.view(), *pool, *stream, key == bench.key.get() ? &seconds : nullptr);
        stream->synchronize();
        results.push_back(pool->download(all_slots(count)));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        EXPECT_TRUE(std::ranges::equal(results[0][i], results[1][i])) << "gate " << i;
    }
    EXPECT_GT(seconds.linear, 0);
    EXPECT_GT(seconds.key_switch, 0);
    EXPECT_GT(seconds.blind_rotation, 0);
    EXPECT_GT(seconds.extraction, 0);
}

TEST_P(CpuKeyTest, CallsFromSeveralThreadsQueue) {
    Bench bench(parameters(), kernels(), 2);
    constexpr std::uint32_t count = 10;
    const MixedBatch batch(count);
    const auto samples = bench.random_samples(count);
    std::vector<scheme::LweArray> results(3);
    std::vector<std::thread> callers;
    for (scheme::LweArray& result : results) {
        callers.emplace_back([&] {
            const auto pool = bench.key->make_pool(count);
            const auto stream = bench.key->make_stream();
            pool->upload(all_slots(count), samples);
            bench.key->evaluate(batch.view(), *pool, *stream);
            result = pool->download(all_slots(count));
        });
    }
    for (std::thread& caller : callers) caller.join();
    for (std::uint32_t i = 0; i < count; ++i) {
        EXPECT_TRUE(std::ranges::equal(results[0][i], results[1][i]));
        EXPECT_TRUE(std::ranges::equal(results[0][i], results[2][i]));
    }
}

INSTANTIATE_TEST_SUITE_P(All, CpuKeyTest,
                         testing::Combine(testing::ValuesIn(backend_cpu::compiled_kernels()),
                                          testing::ValuesIn(toy_sets())),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)->name) + "_" +
                                    std::get<1>(info.param).name();
                         });

TEST(CpuBackend, EveryNamedSetHasAShapeOfItsOwn) {
    for (const Parameters& parameters : scheme::named_parameters()) {
        for (const KernelTable* kernels : backend_cpu::compiled_kernels()) {
            EXPECT_NE(backend_cpu::rotation_kernels(*kernels, parameters).shape, backend_cpu::run_time_shape)
                << parameters.name();
        }
    }
}

/// The Fourier form and the key-switching key. Two comparison sets have key-switching keys of more than a
/// fifth of their Fourier form by themselves.
TEST(CpuBackend, ALoadedKeyIsLittleMoreThanItsFourierForm) {
    for (const Parameters& parameters : scheme::named_parameters()) {
        const scheme::CostModel cost(parameters);
        const auto fourier = static_cast<double>(cost.fourier_key_bytes);
        EXPECT_EQ(backend_cpu::LoadedRotationKey::bytes(parameters), cost.fourier_key_bytes);
        const double whole =
            fourier + static_cast<double>(backend_cpu::LoadedSwitchingKey::bytes(parameters));
        EXPECT_LE(whole / fourier, parameters.comparison_only() ? 1.24 : 1.2) << parameters.name();
        EXPECT_LE(static_cast<double>(backend_cpu::LoadedSwitchingKey::bytes(parameters)),
                  1.03 * static_cast<double>(cost.key_switching_key_bytes));
    }
}

TEST(CpuBackend, RingsWithoutATransformAreRefused) {
    scheme::ParametersLiteral literal = toy_literal("tiny");
    literal.glwe.ring_dimension = 32;
    const Parameters parameters(literal);
    const auto cpu = backend_cpu::make_backend(backend_cpu::choose_kernels("portable"), {.threads = 1});
    EXPECT_NE(cpu->unsupported_reason(parameters).find("32"), std::string::npos);
    SeededSources random(6);
    base::ThreadPool pool(1);
    const auto secret = client::SecretKey::generate(parameters, random, true);
    const auto evaluation = client::make_evaluation_key(secret, random, pool, {});
    expect_error(ErrorKind::parameters, {"32"}, [&] { static_cast<void>(cpu->load(evaluation)); });
}

TEST(CpuBackend, PredictsSecondsThatFallWithThreads) {
    const KernelTable& kernels = backend_cpu::choose_kernels(std::nullopt);
    const auto& parameters = scheme::named_parameters("tfhepp-concrete");
    const auto one = backend_cpu::make_backend(kernels, {.threads = 1});
    const auto many = backend_cpu::make_backend(kernels, {.threads = 32});
    const double seconds = one->seconds_per_bootstrap(parameters);
    EXPECT_GT(seconds, 1e-5);
    EXPECT_LT(seconds, 1);
    // Each backend measures for itself, so on a busy machine the ratio is only roughly that of the threads.
    EXPECT_GT(seconds, 3 * many->seconds_per_bootstrap(parameters));
}

}  // namespace
}  // namespace toroid::tests
