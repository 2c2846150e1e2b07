// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// The same program with only the words that its outputs need, rewritten where it pays to know how often a
/// word is read: select(c, z + x, z - y) becomes z + select(c, x, -y), so that a chain of conditional
/// additions is one sum, and select(c, x * y, 0) becomes x * select(c, y, 0).
[[nodiscard]] WordGraph restructure(const WordGraph& graph);

}  // namespace toroid::compiler
