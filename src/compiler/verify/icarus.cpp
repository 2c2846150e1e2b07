// SPDX-License-Identifier: Apache-2.0
#include "compiler/verify/icarus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/file.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/process/temporary_folder.hpp"
#include "compiler/verify/equivalence.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint64_t longest_text = std::uint64_t{1} << 28;

std::string read_text(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = base::read_file(path, longest_text);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the text, comments and strings apart, divides or writes an x: what Verilog then computes is
/// undefined, and a condition may turn it into a definite bit that differs from the documented one.
bool may_be_undefined(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 2) == "//") {
            i = std::min(text.find('\n', i), text.size());
        } else if (text.substr(i, 2) == "/*") {
            i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
        } else if (text[i] == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
        } else if (text[i] == '/' || text[i] == '%') {
            return true;
        } else if (text[i] == '\'') {
            const std::size_t end = text.find_first_not_of("0123456789abcdefABCDEFhHoOsS_", i + 1);
            if (end != std::string_view::npos &&
                std::string_view("xXzZ?").find(text[end]) != std::string_view::npos)
                return true;
        }
    }
    return false;
}

class IcarusRun {
 public:
    IcarusRun(const std::vector<std::filesystem::path>& files, const circuit::Circuit& circuit,
              const circuit::Clock& clock, const IcarusOptions& options)
        : files_(files),
          circuit_(circuit),
          clock_(clock),
          options_(options),
          interface_(circuit::interface_of(circuit)),
          tests_(make_tests()) {}

    std::string run() {
        if (interface_.outputs.empty()) return {};
        const auto compiler = find_program("iverilog");
        const auto simulator = find_program("vvp");
        if (!compiler || !simulator) return "iverilog and vvp are not installed";
        base::write_file(folder_.path() / "bench.v", bench(), base::FileMode::ordinary);
        base::write_file(folder_.path() / "vectors.txt", vectors_text(), base::FileMode::ordinary);
        std::string reason = call(*compiler, compiler_arguments(), "iverilog");
        if (reason.empty()) reason = call(*simulator, {"-n", in_folder("bench.vvp")}, "vvp");
        return reason.empty() ? compare(read_text(folder_.path() / "results.txt")) : reason;
    }

 private:
    static std::string in_folder(const char* name) {
        return fmt::format("/proc/self/fd/{}/{}", folder_descriptor, name);
    }

    /// Verilog cannot go back to its initial values, so a clocked design runs one long sequence.
    [[nodiscard]] TestVectors make_tests() const {
        if (!interface_.is_sequential) return make_test_vectors(interface_, options_.vectors);
        circuit::Interface each = interface_;
        each.is_sequential = false;
        TestVectors single = make_test_vectors(each, options_.vectors);
        TestVectors out;
        out.vectors = 1;
        out.cycles = options_.vectors;
        out.inputs.emplace_back();
        for (auto& vector : single.inputs) out.inputs.front().push_back(std::move(vector.front()));
        return out;
    }
    [[nodiscard]] std::uint32_t steps() const { return tests_.vectors * tests_.cycles; }
    [[nodiscard]] std::size_t input_bits() const {
        std::size_t bits = 0;
        for (const circuit::Interface::Port& port : interface_.inputs) bits += port.width;
        return bits;
    }

    [[nodiscard]] std::string bench() const {
        const std::size_t width = std::max<std::size_t>(input_bits(), 1);
        std::string text = "`timescale 1ns/1ns\nmodule toroid_bench;\n";
        text += fmt::format("  reg [{}:0] words [0:{}];\n  reg [{}:0] word;\n", width - 1, steps() - 1,
                            width - 1);
        text += fmt::format("  reg clock_pin = {};\n  integer file, step;\n", clock_.is_rising ? 0 : 1);
        for (std::size_t p = 0; p < interface_.outputs.size(); ++p)
            text += fmt::format("  wire [{}:0] out{};\n", interface_.outputs[p].width - 1, p);
        text += fmt::format("  \\{} unit (", circuit_.name);
        if (!clock_.name.empty()) text += fmt::format(".\\{} (clock_pin), ", clock_.name);
        std::size_t at = 0;
        for (const circuit::Interface::Port& port : interface_.inputs) {
            text += fmt::format("\n    .\\{} (word[{}:{}]),", port.name, at + port.width - 1, at);
            at += port.width;
        }
        std::string outputs;
        for (std::size_t p = 0; p < interface_.outputs.size(); ++p) {
            text += fmt::format("\n    .\\{} (out{}){}", interface_.outputs[p].name, p,
                                p + 1 == interface_.outputs.size() ? ");\n" : ",");
            outputs = fmt::format("out{}{}{}", p, p == 0 ? "" : ", ", outputs);
        }
        text += fmt::format(
            "  initial begin\n    $readmemb(\"{}\", words);\n    file = $fopen(\"{}\");\n"
            "    for (step = 0; step < {}; step = step + 1) begin\n      word = words[step];\n      #1 "
            "$fdisplay(file, "
            "\"%b\", {{{}}});\n      #1 clock_pin = {};\n      #1 clock_pin = {};\n    end\n    "
            "$fclose(file);\n"
            "    $finish(0);\n  end\nendmodule\n",
            in_folder("vectors.txt"), in_folder("results.txt"), steps(), outputs, clock_.is_rising ? 1 : 0,
            clock_.is_rising ? 0 : 1);
        return text;
    }

    /// The last port's highest bit first.
    [[nodiscard]] std::string vectors_text() const {
        std::string text;
        for (const auto& vector : tests_.inputs) {
            for (const auto& ports : vector) {
                std::string line;
                for (const base::BitVector& bits : ports) {
                    for (const bool bit : bits) line += bit ? '1' : '0';
                }
                std::ranges::reverse(line);
                text += (line.empty() ? "0" : line) + "\n";
            }
        }
        return text;
    }

    [[nodiscard]] std::vector<std::string> compiler_arguments() const {
        const bool is_system =
            std::ranges::any_of(files_, [](const auto& file) { return file.extension() == ".sv"; });
        std::vector<std::string> arguments{is_system ? "-g2012" : "-g2005", "-s", "toroid_bench", "-o",
                                           in_folder("bench.vvp")};
        for (const std::filesystem::path& file : files_)
            arguments.push_back("-I" + std::filesystem::absolute(file).parent_path().string());
        for (const std::filesystem::path& folder : options_.preprocessor.include_folders)
            arguments.push_back("-I" + std::filesystem::absolute(folder).string());
        for (const std::string& define : options_.preprocessor.defines)
            arguments.push_back("-D" + with_value(define));
        arguments.push_back(in_folder("bench.v"));
        for (const std::filesystem::path& file : files_)
            arguments.push_back(std::filesystem::absolute(file).string());
        return arguments;
    }

    [[nodiscard]] std::string call(const std::filesystem::path& program, std::vector<std::string> arguments,
                                   const char* name) const {
        ChildProcess child;
        child.program = program;
        child.arguments = std::move(arguments);
        child.folder = folder_.path();
        child.error_file = folder_.path() / "errors.txt";
        child.time_limit = options_.time_limit;
        child.memory_limit_bytes = options_.memory_limit_bytes;
        child.checkpoint = options_.checkpoint;
        const ChildResult result = run_child(child);
        if (result.timed_out) {
            return fmt::format("{} was stopped at the time limit of {} seconds", name,
                               options_.time_limit.count());
        }
        if (result.exit_code == 0 && result.signal == 0) return {};
        const std::string errors = read_text(child.error_file);
        return fmt::format("{} failed: {}", name, errors.substr(0, errors.find('\n')));
    }

    [[nodiscard]] std::string compare(const std::string& results) const {
        const TestOutputs expected = simulate_vectors(circuit_, tests_, options_.checkpoint);
        std::string_view rest = results;
        for (std::uint32_t vector = 0; vector < tests_.vectors; ++vector) {
            for (std::uint32_t cycle = 0; cycle < tests_.cycles; ++cycle) {
                const std::size_t end = rest.find('\n');
                if (end == std::string_view::npos) return "the simulated design ended before the last vector";
                const std::string_view line = rest.substr(0, end);
                rest.remove_prefix(end + 1);
                std::size_t place = line.size();
                for (std::size_t p = 0; p < interface_.outputs.size(); ++p) {
                    for (const bool bit : expected[vector][cycle][p]) {
                        if (place == 0) return "the simulated design has other outputs";
                        const char found = line[--place];
                        if ((found != '0' && found != '1') || (found == '1') == bit) continue;
                        return differ(vector, cycle, p, line);
                    }
                }
            }
        }
        return {};
    }

    [[nodiscard]] std::string differ(std::uint32_t vector, std::uint32_t cycle, std::size_t port,
                                     std::string_view line) const {
        std::size_t below = 0;
        for (std::size_t p = 0; p < port; ++p) below += interface_.outputs[p].width;
        const std::size_t width = interface_.outputs[port].width;
        const TestOutputs own = simulate_vectors(circuit_, tests_);
        std::vector<std::vector<base::BitVector>> inputs(tests_.inputs[vector].begin(),
                                                         tests_.inputs[vector].begin() + cycle + 1);
        constexpr std::size_t most_cycles = 8;
        if (inputs.size() > most_cycles) inputs.erase(inputs.begin(), inputs.end() - most_cycles);
        const std::string message = fmt::format(
            "output {} is {} in the circuit and 0b{} in Icarus Verilog in cycle {}, for {}",
            interface_.outputs[port].name, base::format_hex(own[vector][cycle][port]),
            line.substr(line.size() - below - width, width), cycle, describe_vector(interface_, inputs));
        for (const std::filesystem::path& file : files_) {
            if (may_be_undefined(read_text(file)))
                return fmt::format(
                    "{}; the source divides or has x, so that its value may be undefined there", message);
        }
        throw Error(ErrorKind::circuit,
                    fmt::format("{}: verification failed: {}", files_.front().string(), message));
    }

    const std::vector<std::filesystem::path>& files_;
    const circuit::Circuit& circuit_;
    const circuit::Clock& clock_;
    const IcarusOptions& options_;
    circuit::Interface interface_;
    TestVectors tests_;
    TemporaryFolder folder_;
};

}  // namespace

std::string compare_with_icarus(const std::vector<std::filesystem::path>& files,
                                const circuit::Circuit& circuit, const circuit::Clock& clock,
                                const IcarusOptions& options) {
    return IcarusRun(files, circuit, clock, options).run();
}

}  // namespace toroid::compiler
