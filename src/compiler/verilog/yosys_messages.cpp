// SPDX-License-Identifier: Apache-2.0
#include "compiler/verilog/yosys_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toroid::compiler {
namespace {

constexpr std::size_t longest_message = 2000;
constexpr std::string_view warning_mark = "Warning: ";
constexpr std::string_view error_mark = "ERROR: ";

// "m.\net [3]" as Yosys writes a wire of module m.
std::string net_name(std::string_view wire) {
    if (const auto dot = wire.find(".\\"); dot != std::string_view::npos) wire.remove_prefix(dot + 2);
    std::string name(wire);
    if (const auto blank = name.find(" ["); blank != std::string::npos) name.erase(blank, 1);
    return name;
}

std::string reworded(std::string_view warning) {
    constexpr std::string_view start = "Wire ";
    constexpr std::string_view end = " is used but has no driver.";
    if (!warning.starts_with(start) || !warning.ends_with(end)) return std::string(warning);
    warning.remove_prefix(start.size());
    warning.remove_suffix(end.size());
    return fmt::format("net '{}' is used but never driven; it reads as 0", net_name(warning));
}

}  // namespace

YosysMessages parse_yosys_messages(std::string_view text) {
    constexpr std::string_view conflict_mark = "multiple conflicting drivers for ";
    YosysMessages result;
    bool in_conflict = false;
    bool first_driver = true;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        const std::string_view here = text;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.find("bad_alloc") != std::string_view::npos) result.out_of_memory = true;
        if (line.find(error_mark) != std::string_view::npos && result.error.empty()) {
            // The message may go on over more lines; it is the last thing Yosys says. "file:line: ERROR:
            // text" keeps its place in front.
            std::string message(here.substr(0, longest_message));
            message.erase(message.find(error_mark), error_mark.size());
            message.erase(message.find_last_not_of(" \n") + 1);
            result.error = message;
            continue;
        }
        // The drivers follow, indented, below the net they share.
        if (in_conflict && line.starts_with("    ")) {
            result.conflict += fmt::format("{} {}", first_driver ? ":" : ",", line.substr(4));
            first_driver = false;
            continue;
        }
        in_conflict = false;
        const auto mark = line.find(warning_mark);
        if (mark == std::string_view::npos) continue;
        const std::string place(line.substr(0, mark));
        line.remove_prefix(mark + warning_mark.size());
        if (line.starts_with(conflict_mark) && result.conflict.empty()) {
            std::string_view net = line.substr(conflict_mark.size());
            if (net.ends_with(':')) net.remove_suffix(1);
            result.conflict = fmt::format("net '{}' has more than one driver", net_name(net));
            in_conflict = true;
        }
        std::string warning = place + reworded(line.substr(0, longest_message));
        if (std::find(result.warnings.begin(), result.warnings.end(), warning) == result.warnings.end()) {
            result.warnings.push_back(std::move(warning));
        }
    }
    return result;
}

}  // namespace toroid::compiler
