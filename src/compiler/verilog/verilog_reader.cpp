// SPDX-License-Identifier: Apache-2.0
#include "compiler/verilog/verilog_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/file.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/process/temporary_folder.hpp"
#include "compiler/verilog/synthesis_script.hpp"
#include "compiler/verilog/yosys_messages.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint64_t longest_netlist = std::uint64_t{1} << 30;
constexpr std::uint64_t longest_log = std::uint64_t{1} << 26;

std::string read_text(const std::filesystem::path& path, std::uint64_t limit) {
    const std::vector<std::byte> bytes = base::read_file(path, limit);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Synthesis {
 public:
    Synthesis(const std::vector<std::filesystem::path>& files, const VerilogOptions& verilog,
              const circuit::ReadOptions& options)
        : files_(files), verilog_(verilog), options_(options) {}

    circuit::Circuit run() {
        if (files_.empty()) throw Error(ErrorKind::usage, "no Verilog file is given");
        for (const std::filesystem::path& file : files_) check_readable(file);
        const auto program = find_program("yosys");
        if (!program)
            fail(
                "reading Verilog needs the program yosys, which is not installed (Debian: apt install "
                "yosys)");
        const TemporaryFolder folder;
        write_synthesis_folder(folder.path(), files_, verilog_);
        ChildProcess child;
        child.program = *program;
        child.arguments = {"-q", "-s",
                           fmt::format("/proc/self/fd/{}/{}", folder_descriptor, script_file_name)};
        child.folder = folder.path();
        child.error_file = folder.path() / error_file_name;
        child.time_limit = verilog_.time_limit;
        child.memory_limit_bytes = verilog_.memory_limit_bytes;
        child.checkpoint = verilog_.checkpoint;
        const ChildResult result = run_child(child);
        const YosysMessages messages = parse_yosys_messages(read_text(child.error_file, longest_log));
        check(result, messages);
        report(messages);
        circuit::Circuit circuit = read_result(folder.path() / output_file_name);
        if (verilog_.placed != nullptr) *verilog_.placed = read_placed(folder.path() / placed_file_name);
        return circuit;
    }

 private:
    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::circuit, fmt::format("{}: {}", files_.front().string(), message));
    }

    static void check_readable(const std::filesystem::path& file) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(file, error)) {
            throw Error(ErrorKind::io, fmt::format("cannot read '{}': {}", file.string(),
                                                   error ? error.message() : "it is no regular file"));
        }
    }

    void check(const ChildResult& result, const YosysMessages& messages) const {
        if (result.timed_out) {
            fail(fmt::format("yosys was stopped at the time limit of {} seconds",
                             verilog_.time_limit.count()));
        }
        if (!messages.error.empty()) throw Error(ErrorKind::circuit, placed(with_own_names(messages.error)));
        if (messages.out_of_memory) {
            fail(fmt::format("yosys ran into the memory limit of {} MiB", verilog_.memory_limit_bytes >> 20));
        }
        if (result.signal != 0) {
            fail(fmt::format("yosys ended by signal {}; its limits were {} seconds and {} MiB", result.signal,
                             verilog_.time_limit.count(), verilog_.memory_limit_bytes >> 20));
        }
        if (result.exit_code != 0)
            fail(fmt::format("yosys failed with exit status {} and no message", result.exit_code));
        if (!messages.conflict.empty()) fail(with_own_names(messages.conflict));
    }

    void report(const YosysMessages& messages) const {
        for (const std::string& warning : messages.warnings) {
            const std::string text = with_own_names(warning);
            if (options_.strict) throw Error(ErrorKind::circuit, placed(text));
            if (options_.warnings != nullptr) options_.warnings->push_back({files_.front().string(), text});
        }
    }

    circuit::Circuit read_result(const std::filesystem::path& path) const {
        const std::string source = files_.front().string();
        const std::size_t before = options_.warnings == nullptr ? 0 : options_.warnings->size();
        try {
            circuit::Circuit circuit =
                circuit::read_yosys_json(read_text(path, longest_netlist), source, options_);
            if (options_.warnings != nullptr) {
                for (std::size_t i = before; i < options_.warnings->size(); ++i) {
                    circuit::Warning& warning = (*options_.warnings)[i];
                    warning.message = with_own_names(warning.message);
                }
            }
            return circuit;
        } catch (const Error& error) {
            throw Error(error.kind(), with_own_names(error.what()));
        }
    }

    // It was warned of what the result is like, which is less than this.
    [[nodiscard]] PlacedCircuit read_placed(const std::filesystem::path& path) const {
        PlacedCircuit placed;
        circuit::ReadOptions options;
        options.gate_places = &placed.places;
        placed.circuit =
            circuit::read_yosys_json(read_text(path, longest_netlist), files_.front().string(), options);
        for (std::string& place : placed.places) place = line_of(place);
        return placed;
    }

    // "a.v:3.5-3.9|b.v:7.1-8.2" to "a.v:3", mapping rules left out.
    [[nodiscard]] std::string line_of(std::string_view places) const {
        while (!places.empty()) {
            const std::string_view place = places.substr(0, places.find('|'));
            places.remove_prefix(std::min(place.size() + 1, places.size()));
            const std::size_t colon = place.rfind(':');
            if (colon == std::string_view::npos || is_mapping_rule(std::string(place.substr(0, colon))))
                continue;
            return with_own_names(std::string(place.substr(0, place.find('.', colon))));
        }
        return {};
    }

    // Yosys knows files and folders by their links in the private folder.
    [[nodiscard]] std::string with_own_names(std::string text) const {
        const auto rename = [&text](const std::string& link, const std::string& own) {
            for (std::size_t at = text.find(link); at != std::string::npos;
                 at = text.find(link, at + own.size())) {
                text.replace(at, link.size(), own);
            }
        };
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const std::filesystem::path folder = files_[i].parent_path();
            rename(source_name_in_script(i, files_[i]), files_[i].string());
            rename(source_folder_in_script(i) + "/", folder.empty() ? "" : (folder / "").string());
        }
        for (std::size_t i = 0; i < verilog_.preprocessor.include_folders.size(); ++i) {
            rename(include_folder_in_script(i) + "/",
                   (verilog_.preprocessor.include_folders[i] / "").string());
        }
        return text;
    }
    [[nodiscard]] std::string placed(const std::string& message) const {
        for (const std::filesystem::path& file : files_) {
            if (message.find(file.string()) != std::string::npos) return message;
        }
        return fmt::format("{}: {}", files_.front().string(), message);
    }

    const std::vector<std::filesystem::path>& files_;
    const VerilogOptions& verilog_;
    const circuit::ReadOptions& options_;
};

}  // namespace

circuit::Circuit read_verilog(const std::vector<std::filesystem::path>& files, const VerilogOptions& verilog,
                              const circuit::ReadOptions& options) {
    return Synthesis(files, verilog, options).run();
}

}  // namespace toroid::compiler
