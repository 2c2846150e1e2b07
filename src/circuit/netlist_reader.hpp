// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "circuit/circuit.hpp"

namespace toroid::circuit {

/// Where a reader reports what it could mend; `place` is "file:line".
struct Warning {
    std::string place;
    std::string message;
};
/// The input that clocks a circuit's registers and so is no port of it.
struct Clock {
    std::string name;  ///< empty: there is none
    bool is_rising = true;
};
struct ReadOptions {
    bool strict = false;  ///< warnings become Error(circuit)
    std::vector<Warning>* warnings = nullptr;
    Clock* clock = nullptr;  ///< filled by the reader of Yosys JSON
    /// Filled by the reader of Yosys JSON: by signal, the "src" attribute of the cell that makes it; of equal
    /// gates the first one's. Empty where there is none.
    std::vector<std::string>* gate_places = nullptr;
};

// Each reader throws Error(circuit) naming `source` and the line (JSON: the cell or port) for anything wrong.
[[nodiscard]] Circuit read_bristol(std::string_view text, const std::string& source,
                                   const ReadOptions& options);
[[nodiscard]] Circuit read_blif(std::string_view text, const std::string& source, const ReadOptions& options);
/// ISCAS .bench; registers start at 0.
[[nodiscard]] Circuit read_bench(std::string_view text, const std::string& source,
                                 const ReadOptions& options);
/// AIGER, ASCII or binary. Inputs and outputs without a name are the bits of ports i and o.
[[nodiscard]] Circuit read_aiger(std::string_view text, const std::string& source,
                                 const ReadOptions& options);
[[nodiscard]] Circuit read_yosys_json(std::string_view text, const std::string& source,
                                      const ReadOptions& options);
[[nodiscard]] Circuit read_native(std::string_view text, const std::string& source,
                                  const ReadOptions& options);

/// Reads by extension, then by content: .txt/.bristol, .blif, .bench, .aig/.aag, .json, .toroid; ".gz" of any
/// of them.
[[nodiscard]] Circuit read_netlist(const std::filesystem::path& path, const ReadOptions& options);

[[nodiscard]] std::string write_blif(const Circuit& circuit);
/// The project's own text format; the same circuit gives the same bytes.
[[nodiscard]] std::string write_native(const Circuit& circuit);

}  // namespace toroid::circuit
