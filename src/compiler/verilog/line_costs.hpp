// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "circuit/circuit.hpp"
#include "circuit/interface.hpp"

namespace toroid::compiler {

/// A design before its logic was restructured, when gates still knew their lines.
struct PlacedCircuit {
    circuit::Circuit circuit;
    std::vector<std::string> places;  ///< by signal: "file:line"; empty: none, or no gate
};

inline constexpr const char* without_source_line = "without a source line";

/// The circuit's bootstraps by source line, dearest first, the rest as `without_source_line`; they add up to
/// the circuit's. Names do not survive logic restructuring, values do: a gate belongs to the first line of
/// `placed` that makes its value or the inverse on all test vectors, else to the line of the first gate that
/// reads it. `fixed` holds the inputs of `placed` that `circuit` has not.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> cost_by_line(
    const circuit::Circuit& circuit, const PlacedCircuit& placed, const circuit::Values& fixed,
    const std::function<void()>& checkpoint = {});

}  // namespace toroid::compiler
