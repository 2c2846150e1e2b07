// SPDX-License-Identifier: Apache-2.0
// What every source language comes down to before gates are chosen.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "circuit/netlist_reader.hpp"
#include "compiler/word/lower.hpp"
#include "toroid/circuit.hpp"

namespace toroid::detail {

/// A program that has been read and checked.
struct Program {
    /// What --verify compares with: "the netlist as read", "Icarus Verilog", "native code".
    std::string verified_against;
    /// Whether `map` heeds the objective, so that it pays to ask for both.
    bool has_objectives = false;
    /// The gates for these options. May be called several times. `cost` is filled by sources that know lines.
    std::function<circuit::Circuit(const compiler::MappingOptions&, compiler::CostByLocation* cost)> map;
    /// Compares a circuit with the source on so many vectors; Error(circuit) names the first one that
    /// differs. False, with a warning to `read`, if that cannot be done here.
    std::function<bool(const circuit::Circuit&, std::uint32_t vectors)> verify;
    /// Bootstraps by source line, for sources that know lines but give no CostByLocation. Empty: by output.
    std::function<std::vector<std::pair<std::string, std::uint64_t>>(const circuit::Circuit&)> cost_by_line;
    /// Files that a CostByLocation speaks of.
    std::vector<std::string> source_files;
};

/// By the names of the files: Verilog, or one netlist. `options` and `read` must outlive the program.
[[nodiscard]] Program read_program(const std::vector<std::filesystem::path>& files,
                                   const CompileOptions& options, const circuit::ReadOptions& read);

}  // namespace toroid::detail
