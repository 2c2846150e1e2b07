// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "circuit/circuit.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::compiler {

struct OptimizerOptions {
    MappingOptions mapping;
    /// Bootstraps that the device does at once. Not 0: the fewest rounds (CircuitCost::rounds) decide, then
    /// the objective.
    std::uint64_t device_width = 0;
    /// With Objective::size and no width: the least depth for few bootstraps more than the fewest
    /// (most_balanced).
    bool is_balanced = false;
    std::chrono::seconds time_limit{600};  ///< for ABC
    /// Restructure control logic with ABC, if it is installed (control_rewriting.hpp).
    bool use_abc = true;
    /// Called many times a second; what it throws leaves optimize().
    std::function<void()> checkpoint = {};
};

/// The same function with fewer bootstraps (Objective::size: then less depth) or less depth
/// (Objective::depth: then fewer bootstraps), no gate above the weight limit. Ports, registers and their
/// initial values stay. Never worse than the circuit itself, unless that one breaks the weight limit. The
/// same circuit and options give the same circuit.
///
/// Several ways are tried and the best result is kept: the circuit's own gates with XORs absorbed, and covers
/// of its two-input form by three-input cuts, with trees balanced or not, exclusive inputs used or not, depth
/// kept or not. Where depth counts, the best of them give gates for depth, step by step, and get back what
/// sharing within that depth saves.
[[nodiscard]] circuit::Circuit optimize(const circuit::Circuit& circuit, const OptimizerOptions& options);

}  // namespace toroid::compiler
