// SPDX-License-Identifier: Apache-2.0
#include "toroid/evaluator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "api/evaluation/benchmark.hpp"
#include "api/evaluation/device_choice.hpp"
#include "api/evaluation/run_preparation.hpp"
#include "runtime/estimate.hpp"
#include "runtime/executor.hpp"
#include "runtime/peak_memory.hpp"
#include "runtime/plan.hpp"
#include "runtime/refresh.hpp"
#include "scheme/noise_model.hpp"

namespace toroid {
namespace {

using detail::Access;

/// The variance as the file keeps it, rounded up.
float rounded_up(double variance) {
    const auto rounded = static_cast<float>(variance);
    return double{rounded} < variance ? std::nextafter(rounded, std::numeric_limits<float>::infinity())
                                      : rounded;
}

/// Outputs are bound to no interface: they may be inputs of any circuit with ports of their names and types.
scheme::CiphertextBundle bundle_outputs(const detail::PreparedRun& run, const backend::LoadedKey& key,
                                        const runtime::Execution& done) {
    scheme::CiphertextBundle bundle{key.parameters().fingerprint(), key.key_id(), {}, {}};
    const std::size_t bits = run.noise.output_variance.size();
    std::size_t first = 0;
    for (const circuit::OutputPort& port : run.circuit.outputs) {
        scheme::CiphertextEntry entry;
        entry.name = port.name;
        entry.width = static_cast<std::uint32_t>(port.bits.size());
        entry.steps = done.kept_cycles;
        entry.is_signed = port.is_signed;
        entry.origin = scheme::Origin::evaluated;
        entry.samples = scheme::LweArray(std::size_t{entry.steps} * entry.width, done.outputs.dimension());
        for (std::size_t step = 0; step < entry.steps; ++step) {
            for (std::size_t bit = 0; bit < entry.width; ++bit) {
                std::ranges::copy(done.outputs[step * bits + first + bit],
                                  entry.samples[step * entry.width + bit].begin());
            }
        }
        for (std::size_t bit = 0; bit < entry.width; ++bit) {
            entry.variance = std::max(entry.variance, rounded_up(run.noise.output_variance[first + bit]));
        }
        first += entry.width;
        bundle.entries.push_back(std::move(entry));
    }
    return bundle;
}

}  // namespace

struct Evaluator::State {
    ParameterSet parameters;
    std::unique_ptr<backend::Backend> backend;
    std::unique_ptr<backend::LoadedKey> key;
    std::string name;  ///< as chosen
    std::string description;
    double load_seconds = 0;
};

Evaluator::Evaluator(const EvaluationKey& key, const DeviceChoice& device)
    : state_(new State{
          key.parameters(), detail::make_device(device, Access::of(key.parameters())), nullptr, {}, {}, 0}) {
    const auto start = std::chrono::steady_clock::now();
    state_->key = state_->backend->load(Access::of(key));
    state_->load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state_->name = device.name == "auto" ? std::string(state_->backend->name()) : device.name;
    state_->description = state_->backend->description();
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

const std::string& Evaluator::device() const noexcept {
    return state_->description;
}

void Evaluator::check(const Circuit& circuit, const Ciphertexts& inputs, const Values& clear,
                      const RunOptions& options) const {
    (void)detail::prepare_run(state_->key->parameters(), state_->key->key_id(), circuit, inputs, clear,
                              options);
}

RunResult Evaluator::run(const Circuit& circuit, const Ciphertexts& inputs, const Values& clear,
                         const RunOptions& options) const {
    const backend::LoadedKey& key = *state_->key;
    const detail::PreparedRun run =
        detail::prepare_run(key.parameters(), key.key_id(), circuit, inputs, clear, options);
    const runtime::Plan plan = runtime::make_plan(run.circuit, {key.full_batch(), 0});
    const runtime::Execution done =
        runtime::execute(plan, key, run.inputs, {options.cycles, options.only_last_cycle, options.progress});

    RunReport report;
    report.circuit = circuit.name();
    report.parameters = state_->parameters.name();
    report.key_id = base::hex(key.key_id());
    report.device = state_->description;
    for (const backend::DeviceWork& work : done.devices) {
        report.devices.push_back(
            {work.device, work.bootstraps, work.received_bytes, work.received_through_host_bytes});
    }
    if (report.devices.empty()) report.devices.push_back({state_->name, done.bootstraps, 0, 0});
    report.cycles = options.cycles;
    report.gates = plan.gates.size();
    report.bootstraps_in_circuit = run.circuit.bootstraps();
    report.bootstraps_done = done.bootstraps;
    report.levels = plan.depth;
    report.batches = done.batches;
    report.load_seconds = state_->load_seconds;
    report.seconds = done.seconds;
    report.bootstraps_per_second = done.seconds > 0 ? static_cast<double>(done.bootstraps) / done.seconds : 0;
    report.key_bytes = key.bytes();
    report.pool_bytes = done.pool_bytes;
    report.peak_memory_bytes = runtime::peak_memory_bytes();
    report.failure = detail::to_figures(run.noise);
    report.failure.refreshes = run.refreshes;
    report.target_failure_log2 = options.target_failure_log2;
    return {Access::wrap(bundle_outputs(run, key, done)), std::move(report)};
}

BenchmarkResult Evaluator::benchmark(const BenchmarkOptions& options) const {
    BenchmarkResult result = detail::benchmark_gates(*state_->key, options);
    result.device = state_->description;
    result.parameters = state_->parameters.name();
    return result;
}

void check_device(const DeviceChoice& device, const ParameterSet& parameters) {
    (void)detail::make_device(device, Access::of(parameters));
}

void check_run(const EvaluationKey& key, const Circuit& circuit, const Ciphertexts& inputs,
               const Values& clear, const RunOptions& options) {
    const scheme::EvaluationKey& inner = Access::of(key);
    (void)detail::prepare_run(inner.parameters(), inner.key_id(), circuit, inputs, clear, options);
}

Estimate estimate(const Circuit& circuit, const ParameterSet& parameters, const DeviceChoice& device,
                  std::uint32_t cycles) {
    const scheme::Parameters& set = Access::of(parameters);
    const auto chosen = detail::make_device(device, set);
    Estimate estimate;
    estimate.device = chosen->description();
    estimate.seconds_per_bootstrap = chosen->seconds_per_bootstrap(set);
    estimate.parallel_width = chosen->parallel_width(set);
    const scheme::NoiseModel model(set);
    const runtime::RefreshedCircuit run = runtime::refresh_noisy_wires(
        Access::of(circuit), model, model.fresh, RunOptions{}.target_failure_log2);
    const runtime::Plan plan = runtime::make_plan(run.circuit, {estimate.parallel_width, 0});
    estimate.seconds =
        runtime::estimate_seconds(plan, estimate.seconds_per_bootstrap, estimate.parallel_width, cycles);
    return estimate;
}

}  // namespace toroid
