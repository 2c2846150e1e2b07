// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/optimizer.hpp"

#include "circuit/interface.hpp"
#include "compiler/optimize/circuit_cost.hpp"

namespace toroid::compiler {

circuit::Circuit optimize(const circuit::Circuit& circuit, const OptimizerOptions& options) {
    const int limit = options.mapping.weight_limit;
    // A copy through the builder: equal gates once, constants folded, what nobody reads removed.
    circuit::Circuit copy = circuit::bind_inputs(circuit, {});
    const bool better =
        is_better(circuit_cost(copy, limit), circuit_cost(circuit, limit), options.mapping.objective);
    return better ? copy : circuit;
}

}  // namespace toroid::compiler
