// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "circuit/circuit.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// Compares a circuit of this graph's ports with the values of its words on edge and random vectors.
/// Error(circuit) names output and inputs of the first vector on which they differ.
void check_against_words(const WordGraph& graph, const circuit::Circuit& circuit, std::uint32_t vectors,
                         const std::function<void()>& checkpoint = {});

}  // namespace toroid::compiler
