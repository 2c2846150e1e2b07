// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/bit_vector.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// The values of the outputs for values of the inputs (in the graph's order), word by word by the meaning of
/// each operation: what the gates are checked against.
[[nodiscard]] std::vector<base::BitVector> evaluate(const WordGraph& graph,
                                                    const std::vector<base::BitVector>& inputs);

}  // namespace toroid::compiler
