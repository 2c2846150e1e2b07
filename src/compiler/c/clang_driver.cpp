// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/clang_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/file.hpp"
#include "compiler/c/toroid_header.hpp"
#include "compiler/process/child_process.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint64_t longest_log = std::uint64_t{1} << 26;
constexpr std::size_t most_errors_shown = 5;

// Without a visible threshold LLVM leaves calls; those it leaves are executed all the same. Scalar
// replacement and the loop forms are what the executor needs; instcombine finds minima, rotations and
// saturations. Loops get one way back while variables still lie in memory: later LLVM would make two nested
// loops of one that goes back in several ways, and their counters would be hard to follow.
constexpr std::string_view passes =
    "function(loop-simplify),internalize,globalopt,globaldce,cgscc(inline),globaldce,"
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa)";
constexpr std::string_view inline_threshold = "5000";

std::string read_text(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = base::read_file(path, longest_log);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_cpp(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    return ending == ".cc" || ending == ".cpp" || ending == ".cxx";
}

struct Message {
    std::string place;
    std::string text;
};

// "file:line:column: error: text" lines of one kind.
std::vector<Message> messages_of(const std::string& log, std::string_view kind) {
    std::vector<Message> result;
    std::istringstream lines(log);
    const std::string mark = fmt::format(": {}: ", kind);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find(mark);
        if (at != std::string::npos) result.push_back({line.substr(0, at), line.substr(at + mark.size())});
    }
    return result;
}

std::string all_errors(const std::string& log) {
    std::vector<Message> errors = messages_of(log, "fatal error");
    for (Message& message : messages_of(log, "error")) errors.push_back(std::move(message));
    std::string result;
    for (std::size_t i = 0; i < std::min(errors.size(), most_errors_shown); ++i) {
        const std::string place = errors[i].place.starts_with("clang") ? "" : errors[i].place + ": ";
        result += fmt::format("{}{}{}", i == 0 ? "" : "\n", place, errors[i].text);
    }
    if (errors.size() > most_errors_shown)
        result += fmt::format("\nand {} more errors", errors.size() - most_errors_shown);
    return result;
}

}  // namespace

bool is_c_source(const std::filesystem::path& file) {
    return file.extension() == ".c" || is_cpp(file);
}

ClangDriver::ClangDriver(const COptions& options, const std::filesystem::path& folder)
    : options_(options), folder_(folder) {
    if (options.files.empty()) throw Error(ErrorKind::usage, "no C or C++ file is given");
    for (const std::filesystem::path& file : options.files) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(file, error)) {
            throw Error(ErrorKind::io, fmt::format("cannot read '{}': {}", file.string(),
                                                   error ? error.message() : "it is no regular file"));
        }
        if (!is_c_source(file)) {
            throw Error(ErrorKind::usage,
                        fmt::format("{}: a C or C++ source ends in .c, .cc, .cpp or .cxx", file.string()));
        }
    }
    check_preprocessor_options(options.preprocessor);
    base::write_file(folder_ / "toroid.h", std::string(toroid_header), base::FileMode::ordinary);
}

ClangDriver::Outcome ClangDriver::run(const std::string& program, std::vector<std::string> arguments,
                                      const std::string& subject) const {
    const auto fail = [&](const std::string& message) {
        throw Error(ErrorKind::circuit, fmt::format("{}: {}", subject, message));
    };
    const auto path = find_program(program);
    if (!path) {
        fail(fmt::format(
            "compiling C and C++ needs the program {}, which is not installed (Debian: apt install "
            "clang-19 llvm-19)",
            program));
    }
    ChildProcess child;
    child.program = *path;
    child.arguments = std::move(arguments);
    child.folder = folder_;
    child.error_file = folder_ / "errors.txt";
    child.output_file = folder_ / "output.txt";
    child.time_limit = options_.time_limit;
    child.memory_limit_bytes = options_.memory_limit_bytes;
    child.checkpoint = options_.checkpoint;
    const ChildResult result = run_child(child);
    Outcome outcome{read_text(child.output_file), read_text(child.error_file)};
    if (result.timed_out)
        fail(fmt::format("{} was stopped at the time limit of {} seconds", program,
                         options_.time_limit.count()));
    if (result.exit_code != 0 || result.signal != 0) {
        if (const std::string errors = all_errors(outcome.messages); !errors.empty())
            throw Error(ErrorKind::circuit,
                        errors.find(subject) == std::string::npos ? subject + ": " + errors : errors);
        if (outcome.messages.find("out of memory") != std::string::npos ||
            outcome.messages.find("bad_alloc") != std::string::npos) {
            fail(fmt::format("{} ran into the memory limit of {} MiB", program,
                             options_.memory_limit_bytes >> 20));
        }
        fail(fmt::format("{} ended by {} {}; its limits were {} seconds and {} MiB", program,
                         result.signal != 0 ? "signal" : "exit status",
                         result.signal != 0 ? result.signal : result.exit_code, options_.time_limit.count(),
                         options_.memory_limit_bytes >> 20));
    }
    return outcome;
}

std::vector<std::string> ClangDriver::source_arguments(std::size_t source) const {
    std::vector<std::string> result{
        is_cpp(options_.files[source]) ? "-std=gnu++20" : "-std=gnu17",
        // One data model on every machine: LP64, little endian, signed char.
        "--target=x86_64-linux-gnu", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin", "-fno-exceptions",
        "-fno-threadsafe-statics", "-fno-stack-protector", "-ftrivial-auto-var-init=zero",
        "-fno-delete-null-pointer-checks", "-fno-caret-diagnostics", "-fno-color-diagnostics",
        "-fno-diagnostics-show-option", "-g",
        // Else absolute names below the current folder would turn into relative ones.
        "-fdebug-compilation-dir=.", "-I" + folder_.string()};
    for (const std::filesystem::path& folder : options_.preprocessor.include_folders)
        result.push_back("-I" + folder.string());
    for (const std::string& define : options_.preprocessor.defines)
        result.push_back("-D" + with_value(define));
    const std::string name = name_of(source);
    result.push_back(name.starts_with('-') ? "./" + name : name);
    return result;
}

std::filesystem::path ClangDriver::bitcode(std::size_t source,
                                           std::vector<circuit::Warning>* warnings) const {
    const std::filesystem::path output = folder_ / fmt::format("source{}.bc", source);
    std::vector<std::string> arguments{"-c", "-emit-llvm",   "-O1", "-Xclang", "-disable-llvm-passes",
                                       "-o", output.string()};
    for (std::string& argument : source_arguments(source)) arguments.push_back(std::move(argument));
    const Outcome outcome = run("clang-19", arguments, name_of(source));
    if (warnings != nullptr) {
        for (Message& message : messages_of(outcome.messages, "warning"))
            warnings->push_back({std::move(message.place), std::move(message.text)});
    }
    return output;
}

std::filesystem::path ClangDriver::trapping_bitcode(std::size_t source) const {
    const std::filesystem::path output = folder_ / fmt::format("native{}.bc", source);
    // An enumeration's port carries every bit pattern of its width, so values beside the enumerators are no
    // fault.
    std::vector<std::string> arguments{"-c",
                                       "-emit-llvm",
                                       "-O1",
                                       "-w",
                                       "-Xclang",
                                       "-disable-llvm-passes",
                                       "-fsanitize=undefined",
                                       "-fno-sanitize=enum,function,vptr",
                                       "-fsanitize-trap=all",
                                       "-o",
                                       output.string()};
    for (std::string& argument : source_arguments(source)) arguments.push_back(std::move(argument));
    (void)run("clang-19", arguments, name_of(source));
    return output;
}

std::string ClangDriver::printed_declarations(std::size_t source, const std::string& name) const {
    std::vector<std::string> arguments{"-fsyntax-only", "-w",      "-Xclang",
                                       "-ast-print",    "-Xclang", "-ast-dump-filter=" + name};
    for (std::string& argument : source_arguments(source)) arguments.push_back(std::move(argument));
    return run("clang-19", arguments, name_of(source)).output;
}

std::filesystem::path ClangDriver::optimized(const std::filesystem::path& input,
                                             const std::string& top) const {
    const std::filesystem::path output = folder_ / "optimized.bc";
    (void)run("opt-19",
              {fmt::format("-passes={}", passes), fmt::format("-inline-threshold={}", inline_threshold),
               "-internalize-public-api-list=" + top, input.string(), "-o", output.string()},
              name_of(0));
    return output;
}

void ClangDriver::link(const std::vector<std::filesystem::path>& inputs,
                       const std::filesystem::path& output) const {
    std::vector<std::string> arguments{"--target=x86_64-linux-gnu", "-O1", "-w", "-o", output.string()};
    for (const std::filesystem::path& input : inputs) arguments.push_back(input.string());
    (void)run("clang-19", arguments, name_of(0));
}

}  // namespace toroid::compiler
