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
    std::filesystem::path public_key;
    std::filesystem::path interface;
    ValueArguments values;
    bool partial = false;
    std::filesystem::path output;
};

void encrypt(const Arguments& arguments) {
    check_writable(arguments.output);
    const Interface interface = Interface::load(arguments.interface);
    const Values values =
        arguments.values.read(interface.inputs(), arguments.partial ? Missing::allow : Missing::refuse);
    if (values.empty() && arguments.partial) throw Error(ErrorKind::value, "no value to encrypt was given");
    const Ciphertexts ciphertexts = arguments.secret.empty()
                                        ? PublicKey::load(arguments.public_key).encrypt(interface, values)
                                        : SecretKey::load(arguments.secret).encrypt(interface, values);
    ciphertexts.save(arguments.output);
}

}  // namespace

void add_encrypt(CLI::App& app) {
    CLI::App* command = app.add_subcommand("encrypt", "Encrypt the inputs of a circuit");
    const auto arguments = std::make_shared<Arguments>();
    CLI::Option* secret =
        command->add_option("--key", arguments->secret, "Secret key: small ciphertext files")
            ->type_name("FILE");
    command->add_option("--public-key", arguments->public_key, "Public key of whoever shall decrypt")
        ->type_name("FILE")
        ->excludes(secret);
    command->add_option("--interface", arguments->interface, "Interface file of the circuit (toroid compile)")
        ->type_name("FILE")
        ->required();
    arguments->values.add(*command);
    command->add_flag("--partial", arguments->partial, "Encrypt some inputs; others come from elsewhere");
    command->add_option("-o,--output", arguments->output, "Ciphertext file")->type_name("FILE")->required();
    command->footer(
        "Examples:\n"
        "  toroid encrypt --key keys/secret.key --interface adder.json a=5 b=-3 -o inputs.ct\n"
        "  toroid encrypt --public-key keys/public.key --interface adder.json --partial --values mine.json "
        "-o mine.ct");
    command->callback([arguments] {
        if (arguments->secret.empty() && arguments->public_key.empty()) {
            throw Error(ErrorKind::usage, "give --key or --public-key");
        }
        encrypt(*arguments);
    });
}

}  // namespace toroid::cli
