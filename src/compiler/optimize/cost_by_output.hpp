// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "circuit/circuit.hpp"

namespace toroid::compiler {

/// Where a circuit's bootstraps come from when no source line is known: by the output or register word that
/// needs them; what several need is counted once, as shared. Bits "name[i]" of a register count as one word
/// "name".
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> cost_by_output(
    const circuit::Circuit& circuit);

}  // namespace toroid::compiler
