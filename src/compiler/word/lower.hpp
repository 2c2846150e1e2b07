// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "circuit/circuit.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

enum class Objective : std::uint8_t { size, depth };

/// What the gates may cost and what is to be small.
struct MappingOptions {
    /// Largest weight norm W of a gate; gates of W 3 (MAJ3, XOR3) are always allowed.
    int weight_limit = 3;
    Objective objective = Objective::size;
};

/// Bootstraps by source line, for `compile --explain`.
struct CostByLocation {
    struct Less {
        bool operator()(const SourceLocation& a, const SourceLocation& b) const;
    };
    std::map<SourceLocation, std::uint64_t, Less> bootstraps;
};

/// The circuit of the graph's outputs: same ports, every input kept even if nothing reads it. The same graph
/// and options give the same circuit.
[[nodiscard]] circuit::Circuit lower(const WordGraph& graph, const std::string& name,
                                     const MappingOptions& options, CostByLocation* cost = nullptr);

}  // namespace toroid::compiler
