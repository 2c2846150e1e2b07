// SPDX-License-Identifier: Apache-2.0
// Whole public circuits on the CPU, on one GPU and on several: the same plaintexts, gate counts and key.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "circuit/netlist_reader.hpp"
#include "circuit/simulator.hpp"
#include "client/encryption.hpp"
#include "contract/key_cache.hpp"
#include "contract/workbench.hpp"
#include "gpu/mixed_batch.hpp"
#include "runtime/executor.hpp"
#include "runtime/refresh.hpp"
#include "scheme/noise_model.hpp"
#include "support/seed.hpp"
#include "support/shared_data.hpp"

namespace toroid::tests {
namespace {

/// TOROID_GPU_CIRCUIT_DEVICES, separated by blanks.
std::vector<std::string> circuit_devices() {
    const char* text = std::getenv("TOROID_GPU_CIRCUIT_DEVICES");
    std::vector<std::string> devices;
    std::istringstream list(text == nullptr ? "cpu cuda cuda:0,0" : text);
    for (std::string device; list >> device;) devices.push_back(device);
    return devices;
}

/// A circuit's input bits in a row, ports in order.
struct Problem {
    circuit::Circuit circuit;
    Bits inputs;

    [[nodiscard]] Bits expected() const {
        std::vector<std::uint64_t> words;
        for (const bool bit : inputs) words.push_back(bit ? 1 : 0);
        Bits out;
        for (const std::uint64_t word : circuit::Simulator(circuit).step(words))
            out.push_back((word & 1) != 0);
        return out;
    }
};

Problem read(const std::filesystem::path& file, std::uint64_t purpose) {
    Problem problem{circuit::read_netlist(file, {}), {}};
    auto random = generator(purpose);
    std::size_t bits = 0;
    for (const circuit::InputPort& port : problem.circuit.inputs) bits += port.signals.size();
    problem.inputs = random_bits(bits, random);
    return problem;
}

Bits run(const Problem& problem, const Instance& instance) {
    const TestKey& secrets = test_key(instance.parameters);
    const auto key = loaded_key(instance);
    const scheme::NoiseModel model(instance.parameters);
    const circuit::Circuit circuit =
        runtime::refresh_noisy_wires(problem.circuit, model, model.fresh, -40).circuit;
    const runtime::Plan plan = runtime::make_plan(circuit, {key->full_batch(), 0});
    SeededSources random(950);
    std::vector<scheme::LweArray> samples;
    std::vector<runtime::PortInput> inputs;
    samples.reserve(circuit.inputs.size());
    auto next = problem.inputs.begin();
    for (const circuit::InputPort& port : circuit.inputs) {
        const auto width = static_cast<std::uint32_t>(port.signals.size());
        samples.push_back(client::encrypt(secrets.secret, Bits(next, next + width), random).samples);
        inputs.push_back({.width = width, .steps = 1, .samples = &samples.back(), .clear = {}});
        next += width;
    }
    const runtime::Execution done = runtime::execute(plan, *key, inputs, {});
    EXPECT_EQ(done.bootstraps, plan.bootstraps);
    std::printf("%-12s %-14s %8llu bootstraps in %4llu batches: %7.3f s\n", problem.circuit.name.c_str(),
                instance.backend.c_str(), static_cast<unsigned long long>(done.bootstraps),
                static_cast<unsigned long long>(done.batches), done.seconds);
    std::uint64_t bootstraps = 0;
    for (const backend::DeviceWork& work : done.devices) {
        bootstraps += work.bootstraps;
        std::printf("    %-12s %8llu bootstraps, %10llu bytes received, %10llu through host memory\n",
                    work.device.c_str(), static_cast<unsigned long long>(work.bootstraps),
                    static_cast<unsigned long long>(work.received_bytes),
                    static_cast<unsigned long long>(work.received_through_host_bytes));
    }
    if (!done.devices.empty()) {
        EXPECT_EQ(bootstraps, done.bootstraps);
    }
    return client::decrypt(secrets.secret, done.outputs);
}

class GpuCircuits : public testing::TestWithParam<std::string> {};

TEST_P(GpuCircuits, EqualOnEveryDevice) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    const Problem problem = read(shared / "circuits/bristol-fashion" / (GetParam() + ".txt"), 940);
    const Bits expected = problem.expected();
    for (const std::string& device : circuit_devices()) {
        const Instance instance{device, scheme::named_parameters("tfhe128-fast")};
        TOROID_REQUIRE_INSTANCE(instance);
        EXPECT_EQ(run(problem, instance), expected) << device;
    }
}

INSTANTIATE_TEST_SUITE_P(Bristol, GpuCircuits, testing::Values("aes_128", "mult64", "zero_equal"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace toroid::tests
