// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "interruption.hpp"
#include "print.hpp"
#include "progress_bar.hpp"
#include "subcommands.hpp"
#include "toroid/client.hpp"
#include "toroid/evaluator.hpp"

namespace toroid::cli {
namespace {

struct Arguments {
    ParameterArguments parameters;
    std::filesystem::path key;
    DeviceArguments device;
    BenchmarkOptions options;
    bool json = false;
};

std::string to_json(const BenchmarkResult& result) {
    nlohmann::ordered_json json;
    json["device"] = result.device;
    json["parameters"] = result.parameters;
    json["batch"] = result.batch;
    json["gates"] = result.gates;
    json["seconds"] = result.seconds;
    json["milliseconds_per_gate"] = result.milliseconds_per_gate;
    json["gates_per_second"] = 1e3 / result.milliseconds_per_gate;
    json["bytes_between_devices"] = result.bytes_between_devices;
    json["step_milliseconds"] = {{"linear", result.linear_milliseconds},
                                 {"key_switch", result.key_switch_milliseconds},
                                 {"modulus_switch", result.modulus_switch_milliseconds},
                                 {"blind_rotation", result.blind_rotation_milliseconds},
                                 {"extraction", result.extraction_milliseconds}};
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string to_text(const BenchmarkResult& result) {
    std::string text = fmt::format(
        "{} on {}\n"
        "  {:.3f} ms a gate, {:.1f} gates/s ({} gates in {:.2f} s, {} a batch)\n"
        "  a gate's steps, summed over threads (ms): linear {:.3f}, key switch {:.3f}, modulus switch "
        "{:.3f},\n"
        "  blind rotation {:.3f}, extraction {:.3f}\n",
        result.parameters, result.device, result.milliseconds_per_gate, 1e3 / result.milliseconds_per_gate,
        result.gates, result.seconds, result.batch, result.linear_milliseconds,
        result.key_switch_milliseconds, result.modulus_switch_milliseconds,
        result.blind_rotation_milliseconds, result.extraction_milliseconds);
    if (result.bytes_between_devices > 0) {
        text += fmt::format("  {} bytes between devices in a batch\n", result.bytes_between_devices);
    }
    return text;
}

EvaluationKey key_for(const Arguments& arguments) {
    if (!arguments.key.empty()) {
        refuse_secret_key(arguments.key);
        return EvaluationKey::load(arguments.key);
    }
    const ParameterSet parameters = arguments.parameters.choose();
    check_device(arguments.device.choice, parameters);
    // A throw-away key, so a set that is for comparisons only is welcome here.
    const SecretKey secret = SecretKey::generate(parameters, true);
    ProgressBar bar("generating a key", "samples", false);
    return secret.make_evaluation_key(arguments.device.choice.threads, bar.callback());
}

void bench_gates(const Arguments& arguments) {
    const InterruptionGuard guard;
    const Evaluator evaluator(key_for(arguments), arguments.device.choice);
    BenchmarkOptions options = arguments.options;
    options.progress = [](std::uint64_t, std::uint64_t) { check_interrupted(); };
    const BenchmarkResult result = evaluator.benchmark(options);
    print_text(arguments.json ? to_json(result) : to_text(result));
}

}  // namespace

void add_bench(CLI::App& app) {
    CLI::App* command = app.add_subcommand("bench", "Measure a device");
    command->require_subcommand(1);
    CLI::App* gates =
        command->add_subcommand("gates", "Time of one gate, in batches of NAND gates in a chain");
    const auto arguments = std::make_shared<Arguments>();
    arguments->parameters.add(*gates);
    gates->add_option("--key", arguments->key, "Evaluation key; else one is made for the measurement")
        ->type_name("FILE")
        ->excludes(gates->get_option("--params"))
        ->excludes(gates->get_option("--params-file"));
    arguments->device.add(*gates);
    gates->add_option("--batch", arguments->options.batch, "Gates a batch; 0: what fills the device")
        ->type_name("N")
        ->check(CLI::Range(0U, 1U << 20))
        ->capture_default_str();
    gates->add_option("--seconds", arguments->options.seconds, "Measure for at least this long")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
    gates->add_flag("--json", arguments->json, "As JSON");
    const std::string examples =
        "Examples:\n"
        "  toroid bench gates\n"
        "  toroid bench gates --device cpu --threads 1 --params tfhe128-fast --batch 64 --json";
    command->footer(examples);
    gates->footer(examples);
    gates->callback([arguments] { bench_gates(*arguments); });
}

}  // namespace toroid::cli
