// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "interruption.hpp"
#include "print.hpp"
#include "toroid/files.hpp"

namespace toroid::cli {
namespace {

constexpr unsigned most_threads = 4096;

const std::map<std::string, Transform> transforms{
    {"auto", Transform::automatic}, {"fft", Transform::fft}, {"ntt", Transform::ntt}};

/// Aligned columns "name  value"; a list of values where there is one a cycle.
std::string values_table(const Values& values, const std::vector<Port>& ports, bool hex) {
    std::size_t widest = 0;
    for (const Port& port : ports) widest = std::max(widest, port.name.size());
    std::string text;
    for (const Port& port : ports) {
        std::string list;
        for (const Bits& bits : values.at(port.name)) {
            list += (list.empty() ? "" : " ") + (hex ? to_hex(bits) : to_decimal(bits, port.is_signed));
        }
        text += fmt::format("{:<{}}  {}\n", port.name, widest, list);
    }
    return text;
}

std::string values_hex_json(const Values& values, const std::vector<Port>& ports) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const Port& port : ports) {
        const std::vector<Bits>& steps = values.at(port.name);
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const Bits& bits : steps) list.push_back(to_hex(bits));
        json[port.name] = steps.size() == 1 ? list.front() : list;
    }
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

void CircuitArguments::add(CLI::App& command, const std::string& more_help) {
    command
        .add_option(
            "circuit", files,
            std::string(
                "Circuit: Bristol (.txt, .bristol), BLIF, .bench, AIGER (.aig, .aag), Yosys "
                "JSON, .toroid, each also as\n"
                ".gz; or a program: C (.c), C++ (.cc, .cpp, .cxx), Verilog (.v, .sv), of one or several "
                "files, XLS IR (.ir)") +
                more_help)
        ->required()
        ->type_name("FILE");
    command
        .add_option("--top", top,
                    "Function of C, C++ or XLS IR, or top module of Verilog, if there are several")
        ->type_name("NAME");
    command
        .add_option("-I,--include", include_folders,
                    "C, C++, Verilog: where included files are too; may be repeated")
        ->type_name("DIRECTORY")
        ->allow_extra_args(false);
    command
        .add_option("-D,--define", defines,
                    "C, C++, Verilog: a macro, of value 1 if none is given; may be repeated")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
    command.add_flag("--strict", strict, "Take warnings about the circuit as errors");
}

std::vector<std::string> CircuitArguments::take_items() {
    const auto is_item = [](const std::filesystem::path& file) {
        std::error_code ignored;
        return file.string().find('=') != std::string::npos && !std::filesystem::exists(file, ignored);
    };
    const auto items = std::stable_partition(files.begin(), files.end(), std::not_fn(is_item));
    std::vector<std::string> taken;
    for (auto item = items; item != files.end(); ++item) taken.push_back(item->string());
    files.erase(items, files.end());
    return taken;
}

Circuit CircuitArguments::read() const {
    CompileReport report;
    return compile({}, report);
}

Circuit CircuitArguments::compile(CompileOptions options, CompileReport& report) const {
    if (files.empty()) throw Error(ErrorKind::usage, "no circuit given");
    for (const std::filesystem::path& file : files) refuse_secret_key(file);
    options.top = top;
    options.strict = strict;
    options.include_folders = include_folders;
    options.defines = defines;
    options.checkpoint = check_interrupted;
    const InterruptionGuard guard;
    Circuit circuit = Circuit::compile(files, options, report);
    check_interrupted();
    for (const Warning& warning : report.warnings) {
        print_note(fmt::format("{}: warning: {}\n", warning.place, warning.message));
    }
    return circuit;
}

void ParameterArguments::add(CLI::App& command) {
    CLI::Option* named =
        command.add_option("--params", name, "Named parameter set (toroid params list); default tfhe128")
            ->type_name("NAME");
    command.add_option("--params-file", file, "Parameter set of your own, as JSON")
        ->type_name("FILE")
        ->excludes(named);
}

ParameterSet ParameterArguments::choose() const {
    if (!file.empty()) return ParameterSet::load(file);
    return name.empty() ? ParameterSet::all().front() : ParameterSet::named(name);
}

void DeviceArguments::add(CLI::App& command) {
    command
        .add_option("--device", choice.name,
                    "Device (toroid devices), or auto for the best one present; an absent one is an error.\n"
                    "NAME:1 takes one card by number, NAME:0,1 several together, NAME:all every one")
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option(
            "--transform", choice.transform,
            "fft (FP64, rounds) or ntt (exact) for the products of blind rotation; auto: the device's\n"
            "own choice; the same keys run under both")
        ->type_name("NAME")
        ->transform(CLI::CheckedTransformer(transforms).description("auto, fft or ntt"))
        ->default_str("auto");
    add_threads(command);
}

void DeviceArguments::add_threads(CLI::App& command) {
    command.add_option("--threads", choice.threads, "Threads of the CPU; 0: all this process may use")
        ->type_name("N")
        ->check(CLI::Range(0U, most_threads))
        ->capture_default_str();
}

void ValueArguments::add(CLI::App& command) {
    command
        .add_option(
            "value", items,
            "NAME=VALUE: decimal, 0x hexadecimal, 0b binary, true or false; a comma-separated list is one\n"
            "value a clock cycle")
        ->type_name("NAME=VALUE");
    command.add_option("--values", file, "Values as JSON: {\"a\": 5, \"b\": \"0x1f\", \"c\": [1, 0, 1]}")
        ->type_name("FILE");
}

Values ValueArguments::read(const std::vector<Port>& ports, Missing missing) const {
    if (file.empty()) return parse_values(items, ports, missing);
    if (items.empty()) return parse_values(read_text(file), ports, missing, file.string());
    Values values = parse_values(read_text(file), ports, Missing::allow, file.string());
    for (auto& [name, steps] : parse_values(items, ports, Missing::allow)) {
        if (!values.emplace(name, std::move(steps)).second) {
            throw Error(ErrorKind::value,
                        fmt::format("'{}' is given both in {} and on the command line", name, file.string()));
        }
    }
    for (const Port& port : ports) {
        if (missing == Missing::refuse && !values.contains(port.name)) {
            throw Error(ErrorKind::value, fmt::format("no value for '{}'", port.name));
        }
    }
    return values;
}

void PrintArguments::add(CLI::App& command) {
    command.add_option("-o,--output", output, "Write here instead of to standard output")->type_name("FILE");
    command.add_option("--format", format, "json or table")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"json", "table"}))
        ->capture_default_str();
    command.add_flag("--hex", hex, "Hexadecimal values");
}

void PrintArguments::print(const Values& values, const std::vector<Port>& ports) const {
    std::string text;
    if (format == "table") {
        text = values_table(values, ports, hex);
    } else {
        text = hex ? values_hex_json(values, ports) : format_values(values, ports);
    }
    if (text.empty() || text.back() != '\n') text += '\n';
    if (output.empty()) {
        print_text(text);
    } else {
        write_text(output, text);
    }
}

double parse_target(std::string text) {
    const std::string given = text;
    if (text.starts_with("2^")) text.erase(0, 2);
    char* end = nullptr;
    const double log2 = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(log2) || log2 > 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("--target-failure {}: give a probability as 2^-128", given));
    }
    return log2;
}

void refuse_secret_key(const std::filesystem::path& path) {
    if (file_kind(path) != "secret key") return;
    throw Error(ErrorKind::format,
                fmt::format("{} is a secret key: nothing here needs it, so keep it on its owner's machine; "
                            "evaluation takes the evaluation key",
                            path.string()));
}

}  // namespace toroid::cli
