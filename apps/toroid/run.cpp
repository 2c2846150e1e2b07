// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "arguments.hpp"
#include "interruption.hpp"
#include "print.hpp"
#include "progress_bar.hpp"
#include "subcommands.hpp"
#include "toroid/evaluator.hpp"
#include "toroid/files.hpp"

namespace toroid::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
    CircuitArguments circuit;
    fs::path key;
    std::vector<fs::path> inputs;
    std::vector<std::string> clear;
    DeviceArguments device;
    std::uint32_t cycles = 1;
    bool only_last_cycle = false;
    std::string target = "2^-128";
    std::string report = "text";
    fs::path report_file;
    fs::path output;
    bool quiet = false;
};

Ciphertexts read_inputs(const Arguments& arguments, const EvaluationKey& key) {
    std::vector<Ciphertexts> parts;
    for (const fs::path& file : arguments.inputs) {
        parts.push_back(Ciphertexts::load(file, key.parameters()));
        if (parts.back().key_id() != key.key_id()) {
            throw Error(
                ErrorKind::key_mismatch,
                fmt::format("{}: encrypted under key {}, the evaluation key {} belongs to key {}",
                            file.string(), parts.back().key_id(), arguments.key.string(), key.key_id()));
        }
    }
    return parts.empty() ? Ciphertexts::none(key) : Ciphertexts::combine(parts);
}

void report(const Arguments& arguments, const RunReport& report) {
    const std::string text = arguments.report == "json" ? report.to_json() : report.to_text();
    if (!arguments.report_file.empty()) {
        write_text(arguments.report_file, text);
    } else if (arguments.report == "json") {
        print_text(text);
    } else if (!arguments.quiet) {
        print_note(text);
    }
}

void run(const Arguments& arguments) {
    // Everything that can be wrong is looked at before the long work.
    check_writable(arguments.output);
    if (!arguments.report_file.empty()) check_writable(arguments.report_file);
    refuse_secret_key(arguments.key);
    for (const fs::path& file : arguments.inputs) refuse_secret_key(file);
    RunOptions options;
    options.cycles = arguments.cycles;
    options.only_last_cycle = arguments.only_last_cycle;
    options.target_failure_log2 = parse_target(arguments.target);

    const Circuit circuit = arguments.circuit.read();
    const Values clear = parse_values(arguments.clear, circuit.interface().inputs(), Missing::allow);
    const EvaluationKey key = EvaluationKey::load(arguments.key);
    const Ciphertexts inputs = read_inputs(arguments, key);
    check_run(key, circuit, inputs, clear, options);

    const InterruptionGuard guard;
    const Evaluator evaluator(key, arguments.device.choice);
    check_interrupted();
    const RunResult result = [&] {
        ProgressBar bar(fmt::format("running {} on {}", circuit.name(), evaluator.device()), "bootstraps",
                        arguments.quiet);
        options.progress = bar.callback();
        return evaluator.run(circuit, inputs, clear, options);
    }();
    check_interrupted();
    result.outputs.save(arguments.output);
    report(arguments, result.report);
}

}  // namespace

void add_run(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("run", "Run a circuit on encrypted inputs; never needs the secret key");
    const auto arguments = std::make_shared<Arguments>();
    arguments->circuit.add(*command);
    command->add_option("--key", arguments->key, "Evaluation key")->type_name("FILE")->required();
    command
        ->add_option("--inputs", arguments->inputs,
                     "Ciphertext files, of one or several parties under one key")
        ->type_name("FILE");
    command
        ->add_option("--clear", arguments->clear, "Inputs of the server's own, not encrypted: NAME=VALUE...")
        ->type_name("NAME=VALUE");
    arguments->device.add(*command);
    command->add_option("--cycles", arguments->cycles, "Clock cycles")
        ->type_name("N")
        ->check(CLI::Range(1U, 1U << 31))
        ->capture_default_str();
    command->add_flag("--last-cycle", arguments->only_last_cycle, "Keep the outputs of the last cycle only");
    command
        ->add_option("--target-failure", arguments->target,
                     "Refuse gates and outputs that are wrong with more than this probability")
        ->type_name("2^-N")
        ->capture_default_str();
    command
        ->add_option("--report", arguments->report,
                     "Form of the run report: text (to standard error) or json (to standard output)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->add_option("--report-file", arguments->report_file, "Write the run report here")
        ->type_name("FILE");
    command->add_option("-o,--output", arguments->output, "Ciphertext file of the outputs")
        ->type_name("FILE")
        ->required();
    command->add_flag("-q,--quiet", arguments->quiet, "No progress and no text report");
    command->footer(
        "Examples:\n"
        "  toroid run adder.v --key keys/evaluation.key --inputs inputs.ct -o outputs.ct\n"
        "  toroid run match.blif --key evaluation.key --inputs alice.ct bob.ct --clear threshold=40 -o "
        "out.ct\n"
        "  toroid run filter.json --key evaluation.key --inputs samples.ct --cycles 16 --report json -o "
        "out.ct");
    command->callback([arguments] { run(*arguments); });
}

}  // namespace toroid::cli
