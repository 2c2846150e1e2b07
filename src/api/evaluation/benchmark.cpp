// SPDX-License-Identifier: Apache-2.0
#include "api/evaluation/benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/random_source.hpp"

namespace toroid::detail {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Uniform samples stand for encryptions: a gate costs the same whatever the phase.
scheme::LweArray random_samples(std::uint32_t count, int dimension) {
    scheme::LweArray samples(count, dimension);
    const auto random = base::system_random_sources().make();
    for (std::uint32_t i = 0; i < count; ++i) random->fill(std::as_writable_bytes(samples[i]));
    return samples;
}

}  // namespace

BenchmarkResult benchmark_gates(const backend::LoadedKey& key, const BenchmarkOptions& options) {
    BenchmarkResult result;
    result.batch = options.batch != 0 ? options.batch : std::max(key.full_batch(), std::uint32_t{1});
    const auto pool = key.make_pool(result.batch);
    const auto stream = key.make_stream();
    std::vector<std::uint32_t> slots(result.batch);
    std::iota(slots.begin(), slots.end(), 0U);
    pool->upload(slots, random_samples(result.batch, key.parameters().wire_dimension()));

    std::vector<base::GateRecord> gates(result.batch);
    std::vector<base::Operand> operands;
    for (std::uint32_t i = 0; i < result.batch; ++i) {
        gates[i].output = i;
        gates[i].first_operand = 2 * i;
        gates[i].operands_a = 2;
        gates[i].offset_a = 1;  // NAND(x, y) = sign(1/8 - x - y)
        operands.push_back({i, -1});
        operands.push_back({(i + 1) % result.batch, -1});
    }
    const backend::GateBatch batch{gates, operands};
    const auto run = [&](backend::StepSeconds* steps) {
        key.evaluate(batch, *pool, *stream, steps);
        stream->synchronize();
    };

    run(nullptr);  // the inputs of what is timed are outputs of this
    const auto start = Clock::now();
    do {
        run(nullptr);
        result.gates += result.batch;
        result.seconds = seconds_since(start);
        if (options.progress) {
            options.progress(static_cast<std::uint64_t>(1e3 * std::min(result.seconds, options.seconds)),
                             static_cast<std::uint64_t>(1e3 * options.seconds));
        }
    } while (result.seconds < options.seconds);
    result.milliseconds_per_gate = 1e3 * result.seconds / static_cast<double>(result.gates);

    const auto received = [&] {
        std::uint64_t sum = 0;
        for (const backend::DeviceWork& work : pool->work()) sum += work.received_bytes;
        return sum;
    };
    const std::uint64_t before = received();
    backend::StepSeconds steps;
    run(&steps);
    result.bytes_between_devices = received() - before;
    const double scale = 1e3 / result.batch;
    result.linear_milliseconds = steps.linear * scale;
    result.key_switch_milliseconds = steps.key_switch * scale;
    result.modulus_switch_milliseconds = steps.modulus_switch * scale;
    result.blind_rotation_milliseconds = steps.blind_rotation * scale;
    result.extraction_milliseconds = steps.extraction * scale;
    return result;
}

}  // namespace toroid::detail
