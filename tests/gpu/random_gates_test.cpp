// SPDX-License-Identifier: Apache-2.0
// Random gates in number against plaintext, batch by batch, each feeding on the batch before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "gpu/mixed_batch.hpp"
#include "support/seed.hpp"

namespace toroid::tests {

Instance gpu_instance(const scheme::Parameters& parameters) {
    const char* device = std::getenv("TOROID_GPU_DEVICE");
    return {device != nullptr && *device != '\0' ? device : "cuda", parameters};
}

std::size_t wrong_bits(const Bits& found, const Bits& expected, std::size_t first) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected[first + i] ? 1U : 0U;
    return wrong;
}

namespace {

std::string environment_or(const char* name, const std::string& fallback) {
    const char* text = std::getenv(name);
    return text != nullptr && *text != '\0' ? text : fallback;
}

TEST(GpuRandomGates, AgreeWithPlaintext) {
    const std::string set = environment_or("TOROID_GPU_SET", "tfhe128-fast");
    const std::uint64_t gates_wanted = std::stoull(environment_or("TOROID_GPU_GATES", "30000"));
    const Instance instance = gpu_instance(scheme::named_parameters(set));
    TOROID_REQUIRE_INSTANCE(instance);
    constexpr std::uint32_t inputs = 1024;
    constexpr std::uint32_t batch = 8448;
    Workbench bench(instance, inputs + 2 * batch);
    auto random = generator(900);
    Wires wires{random_bits(inputs + 2 * batch, random), std::vector<double>(inputs + 2 * batch, 1.0)};
    std::ranges::fill_n(wires.variances.begin(), inputs, bench.noise().fresh);
    bench.encrypt(0, Bits(wires.bits.begin(), wires.bits.begin() + inputs));
    GateDraw draw(bench.noise(), random);
    std::uint64_t gates = 0;
    std::uint64_t wrong = 0;
    for (std::uint32_t round = 0; gates < gates_wanted; ++round) {
        const std::uint32_t before = inputs + round % 2 * batch;
        const std::uint32_t to = inputs + (round + 1) % 2 * batch;
        const auto choose = [&]() -> std::uint32_t {
            const bool fresh = round == 0 || random() % 2 == 0;
            return static_cast<std::uint32_t>(fresh ? random() % inputs : before + random() % batch);
        };
        BatchBuilder builder;
        for (std::uint32_t i = 0; i < batch; ++i) draw.add(builder, wires, choose, to + i, wires);
        bench.run(builder.batch());
        wrong += wrong_bits(bench.decrypt(slot_range(to, batch)), wires.bits, to);
        gates += batch;
    }
    EXPECT_EQ(wrong, 0U) << "of " << gates << " gates";
    // Free gates are among the kinds, but most must have been bootstrapped.
    EXPECT_GE(draw.bootstraps(), gates / 2);
    RecordProperty("gates", std::to_string(gates));
    RecordProperty("bootstraps", std::to_string(draw.bootstraps()));
}

/// A batch of every size the launch arithmetic might stumble on; the set's other order has the other kernels.
class GpuBatchSizes : public testing::TestWithParam<std::string> {};

TEST_P(GpuBatchSizes, AgreeWithPlaintext) {
    const Instance instance = gpu_instance(scheme::named_parameters(GetParam()));
    TOROID_REQUIRE_INSTANCE(instance);
    constexpr std::uint32_t inputs = 64;
    for (const std::uint32_t batch : {0U, 1U, 21845U, 21846U, 65535U, 65536U, 65537U, 200000U}) {
        Workbench bench(instance, inputs + batch);
        auto random = generator(910 + batch);
        Wires wires{random_bits(inputs + batch, random), std::vector<double>(inputs + batch, 1.0)};
        std::ranges::fill_n(wires.variances.begin(), inputs, bench.noise().fresh);
        bench.encrypt(0, Bits(wires.bits.begin(), wires.bits.begin() + inputs));
        GateDraw draw(bench.noise(), random);
        const auto choose = [&] { return static_cast<std::uint32_t>(random() % inputs); };
        BatchBuilder builder;
        for (std::uint32_t i = 0; i < batch; ++i) draw.add(builder, wires, choose, inputs + i, wires);
        bench.run(builder.batch());
        EXPECT_EQ(wrong_bits(bench.decrypt(slot_range(inputs, batch)), wires.bits, inputs), 0U)
            << "of " << batch << " gates";
    }
}

/// Outputs over operands of gates in other chunks: everything is read before anything is written.
TEST_P(GpuBatchSizes, OutputsOverOperandsOfOtherChunks) {
    const Instance instance = gpu_instance(scheme::named_parameters(GetParam()));
    TOROID_REQUIRE_INSTANCE(instance);
    constexpr std::uint32_t count = 40000;
    Workbench bench(instance, count);
    auto random = generator(920);
    const Wires before{random_bits(count, random), std::vector<double>(count, bench.noise().fresh)};
    bench.encrypt(0, before.bits);
    Wires after = before;
    GateDraw draw(bench.noise(), random);
    const auto choose = [&] { return static_cast<std::uint32_t>(random() % count); };
    std::vector<std::uint32_t> targets = slot_range(0, count);
    std::ranges::shuffle(targets, random);
    BatchBuilder builder;
    for (const std::uint32_t target : targets) draw.add(builder, before, choose, target, after);
    bench.run(builder.batch());
    EXPECT_EQ(wrong_bits(bench.decrypt(slot_range(0, count)), after.bits, 0), 0U);
}

INSTANTIATE_TEST_SUITE_P(Sets, GpuBatchSizes, testing::Values("tfhe128-fast", "tfhepp-blockbinary"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace toroid::tests
