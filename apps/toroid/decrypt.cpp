// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "arguments.hpp"
#include "subcommands.hpp"
#include "toroid/client.hpp"
#include "toroid/files.hpp"

namespace toroid::cli {
namespace {

struct Arguments {
    std::filesystem::path secret;
    std::filesystem::path ciphertexts;
    PrintArguments print;
};

void decrypt(const Arguments& arguments) {
    if (!arguments.print.output.empty()) check_writable(arguments.print.output);
    const SecretKey key = SecretKey::load(arguments.secret);
    const Ciphertexts ciphertexts = Ciphertexts::load(arguments.ciphertexts, key.parameters());
    std::vector<Port> ports;
    for (const Ciphertexts::Entry& entry : ciphertexts.entries()) ports.push_back(entry.port);
    arguments.print.print(key.decrypt(ciphertexts), ports);
}

}  // namespace

void add_decrypt(CLI::App& app) {
    CLI::App* command = app.add_subcommand("decrypt", "Decrypt the outputs of a run");
    const auto arguments = std::make_shared<Arguments>();
    command->add_option("--key", arguments->secret, "Secret key")->type_name("FILE")->required();
    command->add_option("ciphertexts", arguments->ciphertexts, "Ciphertext file; it knows names and types")
        ->type_name("FILE")
        ->required();
    arguments->print.add(*command);
    command->footer(
        "Examples:\n"
        "  toroid decrypt --key keys/secret.key outputs.ct\n"
        "  toroid decrypt --key keys/secret.key outputs.ct --format table --hex");
    command->callback([arguments] { decrypt(*arguments); });
}

}  // namespace toroid::cli
