// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "arguments.hpp"
#include "subcommands.hpp"
#include "toroid/files.hpp"

namespace toroid::cli {
namespace {

struct Arguments {
    CircuitArguments circuit;
    std::filesystem::path file;
    std::uint32_t cycles = 1;
    PrintArguments print;
};

void simulate(Arguments& arguments) {
    if (!arguments.print.output.empty()) check_writable(arguments.print.output);
    const ValueArguments values{arguments.circuit.take_items(), arguments.file};
    const Circuit circuit = arguments.circuit.read();
    const Values inputs = values.read(circuit.interface().inputs(), Missing::refuse);
    arguments.print.print(circuit.simulate(inputs, arguments.cycles), circuit.interface().outputs());
}

}  // namespace

void add_simulate(CLI::App& app) {
    CLI::App* command = app.add_subcommand("simulate", "Run a circuit on plain values");
    const auto arguments = std::make_shared<Arguments>();
    arguments->circuit.add(*command,
                           ", followed by input values NAME=VALUE (a list NAME=V,V is one a clock cycle)");
    command->add_option("--values", arguments->file, "Inputs as JSON")->type_name("FILE");
    command->add_option("--cycles", arguments->cycles, "Clock cycles")
        ->type_name("N")
        ->check(CLI::Range(1U, 1U << 31))
        ->capture_default_str();
    arguments->print.add(*command);
    command->footer(
        "Examples:\n"
        "  toroid simulate adder.v a=5 b=-3\n"
        "  toroid simulate counter.blif enable=1,1,0 --cycles 3 --format table");
    command->callback([arguments] { simulate(*arguments); });
}

}  // namespace toroid::cli
