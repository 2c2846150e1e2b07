// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "print.hpp"
#include "subcommands.hpp"
#include "toroid/evaluator.hpp"

namespace toroid::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    CircuitArguments circuit;
    ParameterArguments parameters;
    DeviceArguments device;
    std::uint32_t cycles = 1;
    bool json = false;
};

struct Findings {
    Circuit circuit;
    ParameterSet parameters;
    CircuitFigures figures;
    FailureFigures failure;
    Estimate estimate;
};

Json log2_json(double log2) {
    return std::isinf(log2) ? Json() : Json(log2);
}

std::string probability(double log2) {
    return std::isinf(log2) ? "0" : fmt::format("2^{:.1f}", log2);
}

Json ports_json(const std::vector<Port>& ports) {
    Json list = Json::array();
    for (const Port& port : ports) {
        list.push_back({{"name", port.name}, {"width", port.width}, {"signed", port.is_signed}});
    }
    return list;
}

std::string to_json(const Findings& found, std::uint32_t cycles) {
    const Interface& interface = found.circuit.interface();
    Json json;
    json["circuit"] = found.circuit.name();
    json["interface"] = interface.fingerprint();
    json["inputs"] = ports_json(interface.inputs());
    json["outputs"] = ports_json(interface.outputs());
    json["sequential"] = interface.is_sequential();
    json["registers"] = found.figures.registers;
    json["gates"] = found.figures.gates;
    json["gates_by_kind"] = found.figures.gates_by_kind;
    json["bootstraps"] = found.figures.bootstraps;
    json["depth"] = found.figures.depth;
    json["width_by_level"] = found.figures.width_by_level;
    json["slots"] = found.figures.slots;
    json["cycles"] = cycles;
    json["parameters"] = found.parameters.name();
    json["largest_weight_norm"] = found.failure.largest_weight_norm;
    json["refreshes"] = found.failure.refreshes;
    json["worst_gate"] = found.failure.worst_gate;
    json["worst_gate_failure_log2"] = log2_json(found.failure.gate_log2);
    json["worst_output"] = found.failure.worst_output;
    json["worst_output_variance"] = found.failure.output_variance;
    json["worst_output_failure_log2"] = log2_json(found.failure.output_log2);
    json["circuit_failure_log2"] = log2_json(found.failure.circuit_log2);
    json["device"] = found.estimate.device;
    json["predicted_seconds_per_bootstrap"] = found.estimate.seconds_per_bootstrap;
    json["predicted_seconds"] = found.estimate.seconds;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void add_ports(std::string& text, std::string_view label, const std::vector<Port>& ports) {
    for (const Port& port : ports) {
        text += fmt::format("  {:<8}{} ({} bit{}{})\n", label, port.name, port.width,
                            port.width == 1 ? "" : "s", port.is_signed ? ", signed" : "");
    }
}

std::string widths_text(const std::vector<std::uint64_t>& widths) {
    constexpr std::size_t shown = 24;
    std::string text;
    for (std::size_t i = 0; i < widths.size() && i < shown; ++i) text += fmt::format(" {}", widths[i]);
    if (widths.size() > shown) text += fmt::format(" ... ({} levels; --json shows all)", widths.size());
    return text.empty() ? " none" : text;
}

std::string to_text(const Findings& found, std::uint32_t cycles) {
    const Interface& interface = found.circuit.interface();
    std::string text = fmt::format("circuit {}\n", found.circuit.name());
    add_ports(text, "input", interface.inputs());
    add_ports(text, "output", interface.outputs());
    text += fmt::format("  interface {}\n", interface.fingerprint());
    if (interface.is_sequential()) {
        text += fmt::format("  sequential, {} registers; figures are for one clock cycle\n",
                            found.figures.registers);
    }
    text +=
        fmt::format("gates {}, bootstraps {}, depth {}, {} ciphertexts held at once\n ", found.figures.gates,
                    found.figures.bootstraps, found.figures.depth, found.figures.slots);
    for (const auto& [kind, count] : found.figures.gates_by_kind) text += fmt::format(" {} {}", kind, count);
    text += fmt::format("\n  bootstraps by level:{}\n", widths_text(found.figures.width_by_level));
    text +=
        fmt::format("noise under {}, {} cycle{}\n", found.parameters.name(), cycles, cycles == 1 ? "" : "s");
    text += fmt::format("  largest weight norm {:.6g}\n", found.failure.largest_weight_norm);
    if (found.failure.refreshes > 0) {
        text += fmt::format("  a run adds {} bootstraps that refresh wires too noisy for their readers\n",
                            found.failure.refreshes);
    }
    if (!found.failure.worst_gate.empty()) {
        text += fmt::format("  {} fails with probability {}\n", found.failure.worst_gate,
                            probability(found.failure.gate_log2));
    }
    if (!found.failure.worst_output.empty()) {
        text += fmt::format("  {} decrypts wrongly with probability {}\n", found.failure.worst_output,
                            probability(found.failure.output_log2));
    }
    text += fmt::format("  the whole circuit fails with probability {}\n",
                        probability(found.failure.circuit_log2));
    text += fmt::format("predicted on {}: {:.3g} s ({:.3g} ms a bootstrap)\n", found.estimate.device,
                        found.estimate.seconds, 1e3 * found.estimate.seconds_per_bootstrap);
    return text;
}

void inspect(const Arguments& arguments) {
    const ParameterSet parameters = arguments.parameters.choose();
    const Circuit circuit = arguments.circuit.read();
    const Findings found{circuit, parameters, circuit.figures(),
                         circuit.failure(parameters, arguments.cycles),
                         estimate(circuit, parameters, arguments.device.choice, arguments.cycles)};
    print_text(arguments.json ? to_json(found, arguments.cycles) : to_text(found, arguments.cycles));
}

}  // namespace

void add_inspect(CLI::App& app) {
    CLI::App* command = app.add_subcommand(
        "inspect", "Show a circuit's interface, cost, noise and predicted time on a device");
    const auto arguments = std::make_shared<Arguments>();
    arguments->circuit.add(*command);
    arguments->parameters.add(*command);
    arguments->device.add(*command);
    command->add_option("--cycles", arguments->cycles, "Clock cycles, for time and failure probability")
        ->type_name("N")
        ->check(CLI::Range(1U, 1U << 31))
        ->capture_default_str();
    command->add_flag("--json", arguments->json, "As JSON");
    command->footer(
        "Examples:\n"
        "  toroid inspect adder.v\n"
        "  toroid inspect aes_128.txt --params tfhe128-fast --device cpu --threads 1 --json");
    command->callback([arguments] { inspect(*arguments); });
}

}  // namespace toroid::cli
