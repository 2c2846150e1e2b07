// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "arguments.hpp"
#include "print.hpp"
#include "subcommands.hpp"
#include "toroid/files.hpp"

namespace toroid::cli {
namespace {

const std::map<std::string, Optimize> objectives = {{"none", Optimize::none},
                                                    {"size", Optimize::size},
                                                    {"depth", Optimize::depth},
                                                    {"balanced", Optimize::balanced},
                                                    {"auto", Optimize::automatic}};
const std::map<std::string, TargetDevice> target_devices = {{"cpu", TargetDevice::cpu},
                                                            {"cuda", TargetDevice::cuda}};

struct Arguments {
    CircuitArguments circuit;
    ParameterArguments parameters;
    std::string optimize = "auto";
    std::string device = "cpu";
    std::string target = "2^-128";
    std::vector<std::string> fixed_inputs;
    std::uint32_t loop_bound = 0;
    std::uint32_t verify = 64;
    bool explain = false;
    bool quiet = false;
    std::filesystem::path output;
    std::filesystem::path interface;
};

void check_outputs(const Arguments& arguments) {
    if (arguments.output.empty() && arguments.interface.empty() && !arguments.explain) {
        throw Error(ErrorKind::usage,
                    "give -o FILE for the circuit, --interface FILE for its interface, --explain, or several "
                    "of these");
    }
    if (!arguments.output.empty()) {
        const std::string ending = arguments.output.extension().string();
        if (ending != ".toroid" && ending != ".blif") {
            throw Error(ErrorKind::usage,
                        arguments.output.string() + ": a circuit is written as .toroid or .blif");
        }
        check_writable(arguments.output);
    }
    if (!arguments.interface.empty()) check_writable(arguments.interface);
}

std::vector<ParameterSet> parameter_sets(const ParameterArguments& arguments) {
    if (arguments.name != "auto") return {arguments.choose()};
    std::vector<ParameterSet> sets = ParameterSet::all();
    std::erase_if(sets, [](const ParameterSet& set) { return set.figures().comparison_only; });
    return sets;
}

std::string summary(const Circuit& circuit, const CompileReport& report) {
    std::string text =
        fmt::format("{}: {} bootstraps, depth {}", circuit.name(), report.bootstraps, report.depth);
    if (report.bootstraps != report.bootstraps_read || report.depth != report.depth_read) {
        text += fmt::format(" (read: {}, depth {})", report.bootstraps_read, report.depth_read);
    }
    if (report.optimize != Optimize::none) {
        const auto what =
            std::ranges::find(objectives, report.optimize, [](const auto& item) { return item.second; });
        text +=
            fmt::format("; optimised ({}) with W <= {} of {}", what == objectives.end() ? "" : what->first,
                        report.weight_limit, report.parameters);
    }
    if (!report.verified_against.empty()) {
        text += fmt::format("; verified on {} vectors against {}", report.verified_vectors,
                            report.verified_against);
    }
    return text + "\n";
}

std::string explanation(const CompileReport& report) {
    std::uint64_t all = 0;
    for (const SourceCost& cost : report.costs) all += cost.bootstraps;
    std::string text = "bootstraps  share  place\n";
    for (const SourceCost& cost : report.costs) {
        const double share =
            static_cast<double>(cost.bootstraps) / static_cast<double>(std::max<std::uint64_t>(all, 1));
        text += fmt::format("{:>10}  {:>4.1f}%  {}\n", cost.bootstraps, 100 * share, cost.place);
    }
    text += fmt::format("{:>10}         in all\n", all);
    if (all != report.bootstraps)
        text +=
            fmt::format("{:>10}         after merging gates, of one line or of several\n", report.bootstraps);
    return text;
}

void compile(const Arguments& arguments) {
    check_outputs(arguments);
    CompileOptions options;
    options.optimize = objectives.at(arguments.optimize);
    options.device = target_devices.at(arguments.device);
    options.parameters = parameter_sets(arguments.parameters);
    options.target_failure_log2 = parse_target(arguments.target);
    options.fixed_inputs = arguments.fixed_inputs;
    options.loop_bound = arguments.loop_bound;
    options.verify = arguments.verify;
    options.explain = arguments.explain;
    CompileReport report;
    const Circuit circuit = arguments.circuit.compile(std::move(options), report);
    if (!arguments.output.empty()) circuit.save(arguments.output);
    if (!arguments.interface.empty()) circuit.interface().save(arguments.interface);
    if (arguments.explain) print_text(explanation(report));
    if (!arguments.quiet) print_note(summary(circuit, report));
}

void add_choices(CLI::App& command, const std::shared_ptr<Arguments>& arguments) {
    command
        .add_option(
            "--optimize", arguments->optimize,
            "none, size (bootstraps), depth, balanced (depth, with at most 5 % more bootstraps than the\n"
            "fewest), or auto: the fewest rounds on the device of --for")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"none", "size", "depth", "balanced", "auto"}))
        ->capture_default_str();
    command.add_option("--for", arguments->device, "cpu or cuda: whose width --optimize auto counts with")
        ->type_name("DEVICE")
        ->check(CLI::IsMember({"cpu", "cuda"}))
        ->capture_default_str();
    CLI::Option* named =
        command
            .add_option(
                "--params", arguments->parameters.name,
                "Parameter set whose keys will run the circuit (toroid params list), or auto for the one\n"
                "with the least bootstraps x time of a bootstrap; default tfhe128")
            ->type_name("NAME");
    command.add_option("--params-file", arguments->parameters.file, "Parameter set of your own, as JSON")
        ->type_name("FILE")
        ->excludes(named);
    command
        .add_option("--target-failure", arguments->target,
                    "No gate may be wrong with more than this probability under the parameter set")
        ->type_name("2^-N")
        ->capture_default_str();
    command
        .add_option(
            "--set", arguments->fixed_inputs,
            "Input that is clear when the circuit is compiled, and so no input of it; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command
        .add_option("--loop-bound", arguments->loop_bound,
                    "C, C++: how often a loop may run whose end depends on encrypted values")
        ->type_name("N")
        ->check(CLI::Range(1U, 1U << 20));
    command
        .add_option("--verify", arguments->verify,
                    "Compare the circuit with its source on N edge and random vectors; 0: do not")
        ->type_name("N")
        ->check(CLI::Range(0U, 1U << 20))
        ->capture_default_str();
    command.add_flag("--explain", arguments->explain, "Print where the bootstraps come from");
}

}  // namespace

void add_compile(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("compile", "Make a small circuit from C, C++, Verilog, XLS IR or a netlist");
    const auto arguments = std::make_shared<Arguments>();
    arguments->circuit.add(*command);
    add_choices(*command, arguments);
    command->add_option("-o,--output", arguments->output, "Circuit, as .toroid or .blif")->type_name("FILE");
    command
        ->add_option("--interface", arguments->interface,
                     "Interface file, all that a client needs to encrypt")
        ->type_name("FILE");
    command->add_flag("-q,--quiet", arguments->quiet, "No summary");
    command->footer(
        "Examples:\n"
        "  toroid compile distance.c -o distance.toroid --interface distance.json\n"
        "  toroid compile adder.v -o adder.toroid --interface adder.json\n"
        "  toroid compile top.v parts.v --top main --strict -o main.blif\n"
        "  toroid compile aes.txt --params auto --optimize auto --for cuda -o aes.toroid\n"
        "  toroid compile filter.v --set gain=12 --explain");
    command->callback([arguments] { compile(*arguments); });
}

}  // namespace toroid::cli
