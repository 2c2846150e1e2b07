// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "print.hpp"
#include "subcommands.hpp"
#include "toroid/error.hpp"
#include "toroid/version.hpp"

namespace toroid::cli {
namespace {

void build(CLI::App& app) {
    app.set_version_flag("--version", "toroid " + std::string(version()));
    app.require_subcommand(1);
    add_keygen(app);
    add_compile(app);
    add_encrypt(app);
    add_run(app);
    add_decrypt(app);
    add_simulate(app);
    add_inspect(app);
    add_params(app);
    add_devices(app);
    add_bench(app);
    add_completion(app);
    app.footer(
        "Example:\n"
        "  toroid keygen --out keys\n"
        "  toroid compile adder.v -o adder.toroid --interface adder.json\n"
        "  toroid encrypt --key keys/secret.key --interface adder.json a=5 b=7 -o inputs.ct\n"
        "  toroid run adder.toroid --key keys/evaluation.key --inputs inputs.ct -o outputs.ct\n"
        "  toroid decrypt --key keys/secret.key outputs.ct\n\n" +
        exit_code_help());
}

int fail(ErrorKind kind, const std::string& message) {
    print_note(fmt::format("toroid: {}\n", message));
    if (kind == ErrorKind::interrupted && interrupting_signal() != 0) return 128 + interrupting_signal();
    return exit_code(kind);
}

int run(int count, char** arguments) {
    end_tidily_on_signals();
    CLI::App app{"Runs ordinary programs on encrypted data.", "toroid"};
    try {
        build(app);
        app.parse(count, arguments);
        return 0;
    } catch (const CLI::ParseError& error) {
        // Help and version are no errors; all else is the documented usage error.
        return app.exit(error) == 0 ? 0 : exit_code(ErrorKind::usage);
    } catch (const Error& error) {
        return fail(error.kind(), error.what());
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::out_of_memory, "out of memory");
    } catch (const std::exception& error) {
        return fail(ErrorKind::internal, fmt::format("internal error: {}", error.what()));
    }
}

}  // namespace
}  // namespace toroid::cli

int main(int count, char** arguments) {
    return toroid::cli::run(count, arguments);
}
