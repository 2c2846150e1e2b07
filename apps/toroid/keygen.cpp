// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "arguments.hpp"
#include "interruption.hpp"
#include "print.hpp"
#include "progress_bar.hpp"
#include "subcommands.hpp"
#include "toroid/client.hpp"
#include "toroid/files.hpp"

namespace toroid::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
    ParameterArguments parameters;
    DeviceArguments device;
    fs::path directory;
    fs::path secret;
    fs::path evaluation;
    fs::path public_key;
    bool allow_comparison = false;
    bool quiet = false;

    void complete_names() {
        if (!directory.empty()) {
            if (secret.empty()) secret = directory / "secret.key";
            if (evaluation.empty()) evaluation = directory / "evaluation.key";
            if (public_key.empty()) public_key = directory / "public.key";
        }
        if (secret.empty() || evaluation.empty()) {
            throw Error(ErrorKind::usage, "give --out DIRECTORY, or both --secret and --evaluation");
        }
    }
};

void check_free(const fs::path& path) {
    check_writable(path);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(path, ignored))) {
        throw Error(ErrorKind::io, fmt::format("{}: there is such a file already; keys are never overwritten",
                                               path.string()));
    }
}

/// Removes what was written, unless all of it was.
class WrittenKeys {
 public:
    ~WrittenKeys() {
        std::error_code ignored;
        for (const fs::path& path : paths_) fs::remove(path, ignored);
    }
    void add(const fs::path& path) { paths_.push_back(path); }
    void keep() { paths_.clear(); }

 private:
    std::vector<fs::path> paths_;
};

void make_keys(Arguments& arguments) {
    arguments.complete_names();
    const ParameterSet parameters = arguments.parameters.choose();
    if (!arguments.directory.empty()) {
        std::error_code error;
        fs::create_directories(arguments.directory, error);
        if (error) {
            throw Error(ErrorKind::io, fmt::format("{}: {}", arguments.directory.string(), error.message()));
        }
    }
    for (const fs::path& path : {arguments.secret, arguments.evaluation}) check_free(path);
    if (!arguments.public_key.empty()) check_free(arguments.public_key);

    const InterruptionGuard guard;
    const SecretKey secret = SecretKey::generate(parameters, arguments.allow_comparison);
    ProgressBar bar("generating keys", "samples", arguments.quiet);
    const EvaluationKey evaluation =
        secret.make_evaluation_key(arguments.device.choice.threads, bar.callback());
    WrittenKeys written;
    const auto save = [&](const fs::path& path, const auto& key) {
        check_interrupted();
        key.save(path);
        written.add(path);
    };
    save(arguments.evaluation, evaluation);
    if (!arguments.public_key.empty()) save(arguments.public_key, secret.make_public_key());
    save(arguments.secret, secret);
    check_interrupted();
    written.keep();
    if (arguments.quiet) return;
    print_note(fmt::format("key {} of parameter set {}: {} (keep it secret), {}{}{}\n", secret.key_id(),
                           parameters.name(), arguments.secret.string(), arguments.evaluation.string(),
                           arguments.public_key.empty() ? "" : ", ", arguments.public_key.string()));
}

}  // namespace

void add_keygen(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("keygen", "Make a secret key, its evaluation key and its public key");
    const auto arguments = std::make_shared<Arguments>();
    arguments->parameters.add(*command);
    command
        ->add_option("-o,--out", arguments->directory,
                     "Directory for secret.key (readable by you alone), evaluation.key and public.key")
        ->type_name("DIRECTORY");
    command->add_option("--secret", arguments->secret, "Secret key file")->type_name("FILE");
    command->add_option("--evaluation", arguments->evaluation, "Evaluation key file, for the server")
        ->type_name("FILE");
    command->add_option("--public", arguments->public_key, "Public key file, for whoever may encrypt")
        ->type_name("FILE");
    command->add_flag("--allow-comparison", arguments->allow_comparison,
                      "Allow a set that is meant for comparisons only and is not safe to use");
    arguments->device.add_threads(*command);
    command->add_flag("-q,--quiet", arguments->quiet, "No progress");
    command->footer(
        "Examples:\n"
        "  toroid keygen --out keys\n"
        "  toroid keygen --params tfhe128-wide --secret my.key --evaluation server.key");
    command->callback([arguments] { make_keys(*arguments); });
}

}  // namespace toroid::cli
