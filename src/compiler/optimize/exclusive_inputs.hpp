// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "compiler/optimize/logic_graph.hpp"

namespace toroid::compiler {

/// Looks for ANDs and ORs whose inputs never take one of the four pairs of values. An OR of two that are
/// never both 1 (one-hot selection, Booth digits, multiplexers) is their XOR, and XORs merge into few gates;
/// an input that the other implies goes. Found by simulation, proven on windows of a few inputs, so what is
/// not proven stays.
[[nodiscard]] LogicGraph use_exclusive_inputs(const LogicGraph& graph,
                                              const std::function<void()>& checkpoint = {});

}  // namespace toroid::compiler
