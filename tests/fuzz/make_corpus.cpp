// SPDX-License-Identifier: Apache-2.0
// make_fuzz_corpus FOLDER CIRCUIT.blif: writes one valid file of each kind that the program can write, as the
// starting point of the fuzz targets.
#include <array>
#include <cstdio>
#include <exception>
#include <string>

#include "base/file.hpp"
#include "circuit/circuit_builder.hpp"
#include "circuit/interface.hpp"
#include "circuit/netlist_reader.hpp"
#include "client/encryption.hpp"
#include "client/secret_key.hpp"
#include "fuzz/fuzz_parameters.hpp"
#include "scheme/ciphertext_bundle.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

namespace fs = std::filesystem;

fs::path place(const fs::path& folder, const std::string& reader, const std::string& name) {
    fs::create_directories(folder / reader);
    return folder / reader / name;
}

void write_text(const fs::path& path, const std::string& text) {
    base::write_file(path, text, base::FileMode::ordinary);
}

/// A circuit with every form of gate, and a register.
circuit::Circuit every_form() {
    circuit::CircuitBuilder builder("forms");
    const auto x = builder.add_input("x", 4, true);
    const circuit::Literal state = builder.add_register("state", true);
    const circuit::Literal carry = builder.majority(x[0], x[1], x[2]);
    const std::array<circuit::WeightedLiteral, 4> operands{{{x[0], 1}, {x[1], 1}, {x[2], 1}, {carry, -2}}};
    const circuit::Literal sum = builder.linear_form(operands, 0);
    builder.set_next(state, builder.mux(x[3], sum, !carry));
    builder.add_output("y", {builder.xor_gate(state, x[3]), sum, !carry});
    return builder.finish();
}

void make_circuits(const fs::path& folder, const fs::path& file) {
    const circuit::Circuit circuit = circuit::read_netlist(file, {});
    write_text(place(folder, "native_circuit", "adder"), circuit::write_native(circuit));
    write_text(place(folder, "native_circuit", "forms"), circuit::write_native(every_form()));
    write_text(place(folder, "blif", "adder"), circuit::write_blif(circuit));
    write_text(place(folder, "interface_json", "adder"),
               circuit::interface_to_json(circuit::interface_of(circuit)));
}

void make_keys(const fs::path& folder) {
    const scheme::Parameters& parameters = fuzz_parameters();
    SeededSources random;
    base::ThreadPool pool(1);
    const auto key = client::SecretKey::generate(parameters, random, true);
    key.save(place(folder, "secret_key", "key"));
    client::make_evaluation_key(key, random, pool, {}).save(place(folder, "evaluation_key", "key"));
    const auto public_key = client::make_public_key(key, random);
    public_key.save(place(folder, "public_key", "key"));
    write_text(place(folder, "parameters_json", "toy"), scheme::parameters_to_json(parameters));
    write_text(place(folder, "parameters_json", "named"),
               scheme::parameters_to_json(scheme::named_parameters().front()));

    scheme::CiphertextBundle bundle;
    bundle.parameters = parameters.fingerprint();
    bundle.key_id = key.key_id();
    const std::vector<bool> bits{true, false, true, true};
    const auto seeded = client::encrypt(key, bits, random);
    scheme::CiphertextEntry entry{.name = "a", .width = 4, .samples = seeded.samples, .seed = seeded.seed};
    bundle.entries.push_back(entry);
    entry = {.name = "b",
             .width = 2,
             .steps = 2,
             .is_signed = true,
             .origin = scheme::Origin::public_key,
             .samples = public_key.encrypt(bits, random),
             .seed = std::nullopt};
    bundle.entries.push_back(entry);
    bundle.save(place(folder, "ciphertexts", "two"));
}

}  // namespace
}  // namespace toroid::tests

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    try {
        toroid::tests::make_circuits(argv[1], argv[2]);
        toroid::tests::make_keys(argv[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_fuzz_corpus: %s\n", error.what());
        return 1;
    }
    return 0;
}
