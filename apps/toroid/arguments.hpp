// SPDX-License-Identifier: Apache-2.0
// Groups of options that several subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "toroid/circuit.hpp"
#include "toroid/evaluator.hpp"
#include "toroid/parameters.hpp"
#include "toroid/values.hpp"

namespace toroid::cli {

/// CIRCUIT... --top --strict -I -D; where a subcommand wants, NAME=VALUE items among the circuits
struct CircuitArguments {
    std::vector<std::filesystem::path> files;
    std::string top;
    bool strict = false;
    std::vector<std::filesystem::path> include_folders;
    std::vector<std::string> defines;

    void add(CLI::App& command, const std::string& more_help = {});
    /// Takes the NAME=VALUE items out of the files.
    [[nodiscard]] std::vector<std::string> take_items();
    /// Reads the circuit as it is; warnings go to standard error. Error(interrupted) after a signal.
    [[nodiscard]] Circuit read() const;
    /// The same with these options, of which the circuit's own arguments are filled in here.
    [[nodiscard]] Circuit compile(CompileOptions options, CompileReport& report) const;
};

/// --params --params-file
struct ParameterArguments {
    std::string name;
    std::filesystem::path file;

    void add(CLI::App& command);
    [[nodiscard]] ParameterSet choose() const;
};

/// --device --threads --transform
struct DeviceArguments {
    DeviceChoice choice;

    void add(CLI::App& command);
    void add_threads(CLI::App& command);
};

/// NAME=VALUE... --values
struct ValueArguments {
    std::vector<std::string> items;
    std::filesystem::path file;

    void add(CLI::App& command);
    /// The values of both, each port once.
    [[nodiscard]] Values read(const std::vector<Port>& ports, Missing missing) const;
};

/// -o --format --hex
struct PrintArguments {
    std::filesystem::path output;
    std::string format = "json";
    bool hex = false;

    void add(CLI::App& command);
    /// To the output file, else to standard output.
    void print(const Values& values, const std::vector<Port>& ports) const;
};

/// "2^-64" or "-64": log2 of a probability.
[[nodiscard]] double parse_target(std::string text);

/// Error(format) if the file is a secret key: no evaluation takes one.
void refuse_secret_key(const std::filesystem::path& path);

}  // namespace toroid::cli
