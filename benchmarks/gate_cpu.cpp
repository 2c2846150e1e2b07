// SPDX-License-Identifier: Apache-2.0
// Milliseconds per bootstrapped gate of the CPU backend, beside the floor that its multiply-adds set on this
// machine.
//
// Each measurement is a batch of NANDs whose inputs are outputs of earlier bootstraps, so that masks are
// random and nothing is skipped; every result is decrypted and checked.
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend_cpu/cpu_backend.hpp"
#include "backend_cpu/instruction_set.hpp"
#include "client/encryption.hpp"
#include "client/secret_key.hpp"
#include "scheme/cost_model.hpp"

namespace toroid {
namespace {

struct Options {
    std::vector<std::string> sets;
    std::vector<unsigned> threads;
    std::uint32_t batch = 0;
    int repeats = 7;
    std::string transform = "auto";
    bool json = false;
};

struct Result {
    std::string set;
    unsigned threads = 0;
    std::uint32_t batch = 0;
    double median_ms = 0;  ///< wall-clock time of the batch over its gates
    double best_ms = 0;    ///< the fastest repeat
    double cpu_ms = 0;  ///< processor time over gates, the least of all repeats: tells a loaded machine apart
    double rotation_ms = 0;  ///< processor share: seconds summed over threads, over gates
    double key_switch_ms = 0;
    double single_ms = 0;  ///< latency of one gate alone, best
    double floor_ms = 0;  ///< multiply-adds of a blind rotation over the rate measured on all threads at once
    double key_mib = 0;
};

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Double multiply-adds a second of all threads together, each in registers.
double machine_rate(const backend_cpu::KernelTable& kernels, unsigned threads) {
    base::ThreadPool pool(threads);
    std::vector<double> rates(threads);
    pool.for_each(threads, [&](std::size_t task, unsigned) {
        rates[task] = backend_cpu::multiply_adds_per_second(kernels);
    });
    double sum = 0;
    for (const double rate : rates) sum += rate;
    return sum;
}

/// NANDs of slots [from, from + count) in pairs of different gates, into [to, to + count).
struct NandBatch {
    NandBatch(std::uint32_t from, std::uint32_t to, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            base::GateRecord gate;
            gate.output = to + i;
            gate.first_operand = static_cast<std::uint32_t>(operands.size());
            gate.operands_a = 2;
            gate.offset_a = 1;
            operands.push_back({.index = from + i, .weight = -1});
            operands.push_back({.index = from + (i * 7 + 3) % count, .weight = -1});
            gates.push_back(gate);
        }
    }
    [[nodiscard]] backend::GateBatch view() const { return {.gates = gates, .operands = operands}; }
    std::vector<base::GateRecord> gates;
    std::vector<base::Operand> operands;
};

std::vector<bool> nand(const std::vector<bool>& in) {
    std::vector<bool> out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = !(in[i] && in[(i * 7 + 3) % in.size()]);
    return out;
}

void check(const std::vector<bool>& got, const std::vector<bool>& expected, const std::string& set) {
    const auto wrong = std::ranges::mismatch(got, expected);
    if (wrong.in1 != got.end()) {
        throw std::runtime_error(
            fmt::format("{}: gate {} of the batch decrypts to the wrong bit", set, wrong.in1 - got.begin()));
    }
}

Result measure(const scheme::Parameters& parameters, const client::SecretKey& secret,
               const scheme::EvaluationKey& evaluation, unsigned threads, const Options& options) {
    const backend_cpu::KernelTable& kernels = backend_cpu::choose_kernels_by_environment();
    const auto backend = backend_cpu::make_backend(
        kernels, {.threads = threads, .transform = backend::transform_named(options.transform)});
    const auto key = backend->load(evaluation);
    Result result{.set = parameters.name(), .threads = threads};
    result.batch = options.batch != 0 ? options.batch : 2 * key->full_batch();
    result.key_mib = static_cast<double>(key->bytes()) / (1 << 20);

    const std::uint32_t batch = result.batch;
    const auto pool = key->make_pool(3 * batch);
    const auto stream = key->make_stream();
    std::vector<std::uint32_t> first_slots(batch);
    std::vector<std::uint32_t> last_slots(batch);
    std::vector<bool> bits(batch);
    for (std::uint32_t i = 0; i < batch; ++i) {
        first_slots[i] = i;
        last_slots[i] = 2 * batch + i;
        bits[i] = i % 3 == 0;
    }
    pool->upload(first_slots, client::encrypt(secret, bits, base::system_random_sources()).samples);
    const NandBatch before(0, batch, batch);
    const NandBatch measured(batch, 2 * batch, batch);
    const auto run = [&](const backend::GateBatch& gates, backend::StepSeconds* seconds) {
        key->evaluate(gates, *pool, *stream, seconds);
        stream->synchronize();
    };
    run(before.view(), nullptr);
    run(measured.view(), nullptr);
    check(client::decrypt(secret, pool->download(last_slots)), nand(nand(bits)), result.set);

    std::vector<double> walls;
    double processor = 1e9;
    double rate = 0;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
        rate = std::max(rate, machine_rate(kernels, threads));
        const double processor_start = processor_seconds();
        const double start = wall_seconds();
        run(measured.view(), nullptr);
        walls.push_back(wall_seconds() - start);
        processor = std::min(processor, processor_seconds() - processor_start);
    }
    std::ranges::sort(walls);
    result.median_ms = 1e3 * walls[walls.size() / 2] / batch;
    result.best_ms = 1e3 * walls.front() / batch;
    result.cpu_ms = 1e3 * processor / batch;

    backend::StepSeconds best;
    best.blind_rotation = 1e9;
    double single = 1e9;
    const NandBatch one(batch, 2 * batch, 1);
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
        backend::StepSeconds seconds;
        run(measured.view(), &seconds);
        if (seconds.blind_rotation < best.blind_rotation) best = seconds;
        const double start = wall_seconds();
        run(one.view(), nullptr);
        single = std::min(single, wall_seconds() - start);
    }
    result.rotation_ms = 1e3 * best.blind_rotation / batch;
    result.key_switch_ms = 1e3 * best.key_switch / batch;
    result.single_ms = 1e3 * single;
    result.floor_ms = 1e3 * scheme::CostModel(parameters).blind_rotation_fma / rate;
    check(client::decrypt(secret, pool->download(last_slots)), nand(nand(bits)), result.set);
    return result;
}

void print_table(const std::vector<Result>& results) {
    fmt::print("{:<22}{:>8}{:>7}{:>10}{:>9}{:>9}{:>10}{:>9}{:>9}{:>9}{:>8}{:>9}\n", "set", "threads", "batch",
               "ms/gate", "best", "cpu", "rotation", "switch", "single", "floor", "x floor", "key MiB");
    for (const Result& r : results) {
        fmt::print(
            "{:<22}{:>8}{:>7}{:>10.3f}{:>9.3f}{:>9.3f}{:>10.3f}{:>9.3f}{:>9.3f}{:>9.3f}{:>8.2f}{:>9.1f}\n",
            r.set, r.threads, r.batch, r.median_ms, r.best_ms, r.cpu_ms, r.rotation_ms, r.key_switch_ms,
            r.single_ms, r.floor_ms, r.median_ms / r.floor_ms, r.key_mib);
    }
}

void print_json(const std::vector<Result>& results, const std::string& instruction_set) {
    nlohmann::json document;
    document["instruction_set"] = instruction_set;
    for (const Result& r : results) {
        document["results"].push_back({{"set", r.set},
                                       {"threads", r.threads},
                                       {"batch", r.batch},
                                       {"ms_per_gate_median", r.median_ms},
                                       {"ms_per_gate_best", r.best_ms},
                                       {"processor_ms_per_gate", r.cpu_ms},
                                       {"blind_rotation_ms", r.rotation_ms},
                                       {"key_switch_ms", r.key_switch_ms},
                                       {"single_gate_ms", r.single_ms},
                                       {"floor_ms", r.floor_ms},
                                       {"key_mib", r.key_mib}});
    }
    fmt::print("{}\n", document.dump(2));
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Milliseconds per bootstrapped gate on this machine's CPU");
    app.add_option("--set", options.sets, "Parameter sets (default: every named one)")->delimiter(',');
    app.add_option("--threads", options.threads, "Numbers of threads (default: 1 and all)")->delimiter(',');
    app.add_option("--batch", options.batch, "Gates a batch (default: twice what fills the threads)");
    app.add_option("--repeats", options.repeats, "Repeats, of which the median counts")
        ->check(CLI::Range(1, 1000));
    app.add_option("--transform", options.transform, "auto, fft or ntt")
        ->check(CLI::IsMember({"auto", "fft", "ntt"}));
    app.add_flag("--json", options.json, "Print JSON");
    CLI11_PARSE(app, argc, argv);
    if (options.sets.empty()) {
        for (const scheme::Parameters& parameters : scheme::named_parameters())
            options.sets.push_back(parameters.name());
    }
    base::ThreadPool pool;
    if (options.threads.empty()) {
        options.threads.push_back(1);
        if (pool.threads() > 1) options.threads.push_back(pool.threads());
    }
    const std::string instruction_set = backend_cpu::choose_kernels_by_environment().description;
    if (!options.json) {
        fmt::print(
            "Instruction set {}. ms/gate: median of {} batches, key switch included; rotation and switch: "
            "share "
            "of each\nstep, summed over threads; single: one gate alone; floor: FP64 multiply-adds of the "
            "blind "
            "rotation over the\nmultiply-add rate of these threads, measured in the same run.\n\n",
            instruction_set, options.repeats);
    }
    std::vector<Result> results;
    for (const std::string& name : options.sets) {
        const scheme::Parameters& parameters = scheme::named_parameters(name);
        const auto secret = client::SecretKey::generate(parameters, base::system_random_sources(), true);
        const auto evaluation = client::make_evaluation_key(secret, base::system_random_sources(), pool, {});
        for (const unsigned threads : options.threads) {
            results.push_back(measure(parameters, secret, evaluation, threads, options));
        }
    }
    if (options.json) {
        print_json(results, instruction_set);
    } else {
        print_table(results);
    }
    return 0;
}

}  // namespace
}  // namespace toroid

int main(int argc, char** argv) {
    try {
        return toroid::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "gate_cpu: {}\n", error.what());
        return 1;
    }
}
