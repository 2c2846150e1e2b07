// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "arguments.hpp"
#include "subcommands.hpp"
#include "toroid/files.hpp"

namespace toroid::cli {
namespace {

struct Arguments {
    CircuitArguments circuit;
    std::filesystem::path output;
    std::filesystem::path interface;
};

void compile(const Arguments& arguments) {
    if (arguments.output.empty() && arguments.interface.empty()) {
        throw Error(ErrorKind::usage,
                    "give -o FILE for the circuit, --interface FILE for its interface, or both");
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
    const Circuit circuit = arguments.circuit.read();
    if (!arguments.output.empty()) circuit.save(arguments.output);
    if (!arguments.interface.empty()) circuit.interface().save(arguments.interface);
}

}  // namespace

void add_compile(CLI::App& app) {
    CLI::App* command = app.add_subcommand("compile", "Make a circuit from Verilog or a netlist");
    const auto arguments = std::make_shared<Arguments>();
    arguments->circuit.add(*command);
    command->add_option("-o,--output", arguments->output, "Circuit, as .toroid or .blif")->type_name("FILE");
    command
        ->add_option("--interface", arguments->interface,
                     "Interface file, all that a client needs to encrypt")
        ->type_name("FILE");
    command->footer(
        "Examples:\n"
        "  toroid compile adder.v -o adder.toroid --interface adder.json\n"
        "  toroid compile top.v parts.v --top main --strict -o main.blif");
    command->callback([arguments] { compile(*arguments); });
}

}  // namespace toroid::cli
