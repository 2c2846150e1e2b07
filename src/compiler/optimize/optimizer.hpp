// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "circuit/circuit.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::compiler {

struct OptimizerOptions {
    MappingOptions mapping;
    std::chrono::seconds time_limit{600};
    /// Called many times a second; what it throws leaves optimize().
    std::function<void()> checkpoint = {};
};

/// The same function with fewer bootstraps (Objective::size: then less depth) or less depth
/// (Objective::depth: then fewer bootstraps), no gate above the weight limit. Ports, registers and their
/// initial values stay. Never worse than the circuit itself, unless that one breaks the weight limit. The
/// same circuit and options give the same circuit.
[[nodiscard]] circuit::Circuit optimize(const circuit::Circuit& circuit, const OptimizerOptions& options);

}  // namespace toroid::compiler
