// SPDX-License-Identifier: Apache-2.0
// Adds two numbers that the adding side never sees:  add_encrypted adder.blif 9 5
//
// Both sides run here in one program. In real life the owner keeps `secret` and `values`, and sends the evaluation
// key and the ciphertexts to the server as files (save and load), which links toroid::evaluation alone.
#include <cstdlib>
#include <iostream>
#include <string>
#include <toroid/toroid.hpp>

namespace {

toroid::Ciphertexts serve(const toroid::EvaluationKey& key, const toroid::Circuit& circuit,
                          const toroid::Ciphertexts& inputs) {
    const toroid::Evaluator evaluator(key);
    const toroid::RunResult result = evaluator.run(circuit, inputs);
    std::cout << result.report.bootstraps_done << " bootstraps on " << result.report.device << '\n';
    return result.outputs;
}

void add(const std::string& circuit_file, const std::string& a, const std::string& b) {
    const toroid::Circuit circuit = toroid::Circuit::read(circuit_file);
    const toroid::Interface& interface = circuit.interface();

    // The owner: makes keys and encrypts.
    const auto secret = toroid::SecretKey::generate(toroid::ParameterSet::all().front());
    const toroid::EvaluationKey evaluation_key = secret.make_evaluation_key();
    const toroid::Values values =
        toroid::parse_values({"a=" + a, "b=" + b}, interface.inputs(), toroid::Missing::refuse);
    const toroid::Ciphertexts inputs = secret.encrypt(interface, values);

    // The server: adds without being able to read anything.
    const toroid::Ciphertexts outputs = serve(evaluation_key, circuit, inputs);

    // The owner again.
    const toroid::Values decrypted = secret.decrypt(outputs);
    const std::int64_t sum = toroid::to_integer(decrypted.at("sum").front(), false);
    std::cout << a << " + " << b << " = " << sum << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: add_encrypted adder.blif A B\n";
        return EXIT_FAILURE;
    }
    try {
        add(argv[1], argv[2], argv[3]);
    } catch (const toroid::Error& error) {
        std::cerr << "error: " << error.what() << '\n';
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
