// SPDX-License-Identifier: Apache-2.0
// Microseconds per bootstrapped gate of the GPU backend against the batch size, for every named set.
//
// A batch holds gates of mixed kinds with operands and signs drawn at random; their inputs are outputs of
// earlier bootstraps. A time is that of one whole call: batch to the device, linear part, key switch, modulus
// switch, blind rotation, extraction, wait. Every batch is decrypted and checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/registry.hpp"
#include "backend_gpu/gpu_backend.hpp"
#include "client/encryption.hpp"
#include "client/secret_key.hpp"

namespace toroid {
namespace {

struct Options {
    std::string device = "cuda";
    std::vector<std::string> sets;
    std::vector<std::uint32_t> batches{1, 8, 32, 132, 264, 528, 1056, 2112, 8448};
    int repeats = 9;
    std::uint64_t seed = 1;
    bool json = false;
};

struct Result {
    std::string set;
    std::uint32_t batch = 0;
    double us_per_gate = 0;  ///< median
    double best_us_per_gate = 0;
    double us_per_mux = 0;  ///< median, batches of as many multiplexers
    /// Calls given one after another without a wait between them: the time that a circuit sees.
    double us_per_gate_in_a_row = 0;
    backend::StepSeconds steps{};  ///< of one gate
};

/// A batch that reads slots [from, from + count) and writes [to, to + count), and its truth.
class RandomBatch {
 public:
    RandomBatch(std::uint32_t from, std::uint32_t to, std::uint32_t count, std::mt19937_64& random)
        : from_(from), to_(to), count_(count), random_(random) {}

    /// One bootstrap each: two inputs (AND, OR and all with negations, XOR, XNOR) or three (MAJ3, XOR3).
    void add_mixed() {
        constexpr std::array shapes{std::array{1, 1, 0, 1},  std::array{1, 1, 0, -1}, std::array{2, 2, 0, 2},
                                    std::array{2, 2, 0, -2}, std::array{1, 1, 1, 0},  std::array{2, 2, 2, 0}};
        for (std::uint32_t i = 0; i < count_; ++i) {
            const auto& shape = shapes[random_() % shapes.size()];
            begin(i, base::GateForm::bootstrap, shape[3]);
            for (const int weight : {shape[0], shape[1], shape[2]}) {
                if (weight != 0) add_operand(pick(), random_() % 2 == 0 ? weight : -weight);
            }
            gates_.back().operands_a =
                static_cast<std::uint16_t>(operands_.size() - gates_.back().first_operand);
        }
    }
    /// s ? a : b = sign(s + a - 1/8) + sign(-s + b - 1/8) + 1/8.
    void add_multiplexers() {
        for (std::uint32_t i = 0; i < count_; ++i) {
            begin(i, base::GateForm::pair, -1);
            const std::uint32_t selector = pick();
            add_operand(selector, 1);
            add_operand(pick(), 1);
            add_operand(selector, -1);
            add_operand(pick(), 1);
            gates_.back().operands_a = gates_.back().operands_b = 2;
            gates_.back().offset_b = -1;
            gates_.back().post_offset = 1;
        }
    }
    [[nodiscard]] backend::GateBatch view() const { return {.gates = gates_, .operands = operands_}; }
    /// The values of the outputs when slots hold `bits`.
    [[nodiscard]] std::vector<bool> truth(const std::vector<bool>& bits) const {
        std::vector<bool> out;
        const auto sign = [&](std::span<const base::Operand> term, int offset) {
            int eighths = offset;
            for (const base::Operand& operand : term)
                eighths += bits[operand.index - from_] ? operand.weight : -operand.weight;
            const int turn = ((eighths % 8) + 8) % 8;
            return turn > 0 && turn < 4;
        };
        for (const base::GateRecord& gate : gates_) {
            bool value = sign(gate.term_a(operands_), gate.offset_a);
            if (gate.form == base::GateForm::pair) value |= sign(gate.term_b(operands_), gate.offset_b);
            out.push_back(value);
        }
        return out;
    }

 private:
    void begin(std::uint32_t i, base::GateForm form, int offset) {
        base::GateRecord gate;
        gate.output = to_ + i;
        gate.first_operand = static_cast<std::uint32_t>(operands_.size());
        gate.form = form;
        gate.offset_a = static_cast<std::int8_t>(offset);
        gates_.push_back(gate);
    }
    void add_operand(std::uint32_t slot, int weight) {
        operands_.push_back({.index = slot, .weight = weight});
    }
    /// Operands of one gate differ where the batch is large enough: a repeated one would change its weight.
    std::uint32_t pick() {
        next_ =
            (next_ + 1 + static_cast<std::uint32_t>(random_() % (count_ < 8 ? 1 : count_ / 8))) % inputs();
        return from_ + next_;
    }
    [[nodiscard]] std::uint32_t inputs() const { return std::max(count_, 4U); }

    std::uint32_t from_;
    std::uint32_t to_;
    std::uint32_t count_;
    std::uint32_t next_ = 0;
    std::mt19937_64& random_;
    std::vector<base::GateRecord> gates_;
    std::vector<base::Operand> operands_;
};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

std::vector<std::uint32_t> slots_from(std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> slots(count);
    std::iota(slots.begin(), slots.end(), first);
    return slots;
}

class Bench {
 public:
    Bench(const backend::LoadedKey& key, const client::SecretKey& secret, const Options& options)
        : key_(key), secret_(secret), options_(options), random_(options.seed) {}

    Result measure(std::uint32_t batch) {
        const std::uint32_t inputs = std::max(batch, 4U);
        const auto pool = key_.make_pool(2 * inputs + batch);
        const auto stream = key_.make_stream();
        std::vector<bool> bits(inputs);
        for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = random_() % 2 == 1;
        pool->upload(slots_from(0, inputs),
                     client::encrypt(secret_, bits, base::system_random_sources()).samples);
        RandomBatch refresh(0, inputs, inputs, random_);
        refresh.add_mixed();
        bits = refresh.truth(bits);
        key_.evaluate(refresh.view(), *pool, *stream);
        RandomBatch mixed(inputs, 2 * inputs, batch, random_);
        mixed.add_mixed();
        RandomBatch multiplexers(inputs, 2 * inputs, batch, random_);
        multiplexers.add_multiplexers();
        const auto run = [&](const RandomBatch& gates, backend::StepSeconds* seconds) {
            const double start = now();
            key_.evaluate(gates.view(), *pool, *stream, seconds);
            stream->synchronize();
            return now() - start;
        };
        const auto check = [&](const RandomBatch& gates, const std::string& what) {
            run(gates, nullptr);
            const auto found = client::decrypt(secret_, pool->download(slots_from(2 * inputs, batch)));
            if (found != gates.truth(bits)) {
                throw std::runtime_error(fmt::format("{}: a batch of {} {} decrypts to wrong bits",
                                                     key_.parameters().name(), batch, what));
            }
        };
        check(multiplexers, "multiplexers");
        std::vector<double> mux_times;
        for (int i = 0; i < options_.repeats; ++i) mux_times.push_back(run(multiplexers, nullptr));
        check(mixed, "mixed gates");
        std::vector<double> times;
        for (int i = 0; i < options_.repeats; ++i) times.push_back(run(mixed, nullptr));
        const double start = now();
        for (int i = 0; i < options_.repeats; ++i) key_.evaluate(mixed.view(), *pool, *stream);
        stream->synchronize();
        const double in_a_row = (now() - start) / options_.repeats;
        Result result{.set = key_.parameters().name(), .batch = batch};
        run(mixed, &result.steps);
        for (double* step : {&result.steps.linear, &result.steps.key_switch, &result.steps.modulus_switch,
                             &result.steps.blind_rotation, &result.steps.extraction}) {
            *step *= 1e6 / batch;
        }
        result.us_per_gate = 1e6 * median(times) / batch;
        result.best_us_per_gate = 1e6 * *std::ranges::min_element(times) / batch;
        result.us_per_mux = 1e6 * median(mux_times) / batch;
        result.us_per_gate_in_a_row = 1e6 * in_a_row / batch;
        return result;
    }

 private:
    const backend::LoadedKey& key_;
    const client::SecretKey& secret_;
    const Options& options_;
    std::mt19937_64 random_;
};

nlohmann::json to_json(const Result& r) {
    return {{"set", r.set},
            {"batch", r.batch},
            {"us_per_gate", r.us_per_gate},
            {"us_per_gate_best", r.best_us_per_gate},
            {"us_per_gate_in_a_row", r.us_per_gate_in_a_row},
            {"us_per_mux", r.us_per_mux},
            {"batch_ms", r.us_per_gate * r.batch / 1e3},
            {"step_us_per_gate",
             {{"linear", r.steps.linear},
              {"key_switch", r.steps.key_switch},
              {"modulus_switch", r.steps.modulus_switch},
              {"blind_rotation", r.steps.blind_rotation},
              {"extraction", r.steps.extraction}}}};
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Microseconds per bootstrapped gate on a GPU");
    app.add_option("--set", options.sets, "Parameter sets (default: every named one)")->delimiter(',');
    app.add_option("--batch", options.batches, "Gates a batch")
        ->delimiter(',')
        ->check(CLI::Range(1, 10'000'000));
    app.add_option("--device", options.device, "cuda, cuda:1, cuda:0,1, cuda:all");
    app.add_option("--repeats", options.repeats, "Repeats, of which the median counts")
        ->check(CLI::Range(1, 1000));
    app.add_option("--seed", options.seed, "Seed of gates and inputs");
    std::string transform = "auto";
    app.add_option("--transform", transform, "auto, fft or ntt")
        ->check(CLI::IsMember({"auto", "fft", "ntt"}));
    app.add_flag("--json", options.json, "Print JSON");
    CLI11_PARSE(app, argc, argv);
    if (options.sets.empty()) {
        for (const scheme::Parameters& parameters : scheme::named_parameters())
            options.sets.push_back(parameters.name());
    }
    const backend::Registry devices({backend_gpu::entry()});
    const auto backend = devices.make(options.device, {.transform = backend::transform_named(transform)});
    nlohmann::json document{{"device", backend->description()}, {"repeats", options.repeats}};
    if (!options.json) {
        fmt::print(
            "{}\nus per gate: median of {} calls of one whole batch of mixed gates\n\n{:<22}{:>7}{:>10}"
            "{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
            backend->description(), options.repeats, "set", "batch", "us/gate", "best", "in a row", "us/MUX",
            "ms/batch", "switch", "rotation");
    }
    base::ThreadPool pool;
    for (const std::string& name : options.sets) {
        const scheme::Parameters& parameters = scheme::named_parameters(name);
        if (const std::string reason = backend->unsupported_reason(parameters); !reason.empty()) {
            document["unsupported"][name] = reason;
            if (!options.json) fmt::print("{:<22} not supported: {}\n", name, reason);
            continue;
        }
        const auto secret = client::SecretKey::generate(parameters, base::system_random_sources(), true);
        const auto evaluation = client::make_evaluation_key(secret, base::system_random_sources(), pool, {});
        const auto key = backend->load(evaluation);
        Bench bench(*key, secret, options);
        for (const std::uint32_t batch : options.batches) {
            const Result r = bench.measure(batch);
            document["results"].push_back(to_json(r));
            if (options.json) continue;
            fmt::print("{:<22}{:>7}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}\n", r.set,
                       r.batch, r.us_per_gate, r.best_us_per_gate, r.us_per_gate_in_a_row, r.us_per_mux,
                       r.us_per_gate * r.batch / 1e3, r.steps.key_switch, r.steps.blind_rotation);
        }
    }
    if (options.json) fmt::print("{}\n", document.dump(2));
    return 0;
}

}  // namespace
}  // namespace toroid

int main(int argc, char** argv) {
    try {
        return toroid::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "gate_gpu: {}\n", error.what());
        return 1;
    }
}
