// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::compiler {

/// What a circuit costs under a weight limit.
struct CircuitCost {
    std::uint64_t bootstraps = 0;
    /// Bootstraps that a run adds because a reader is too heavy with the outputs of MUX gates or forms among
    /// its operands.
    std::uint64_t refreshes = 0;
    std::uint32_t depth = 0;
    /// Gates above the weight limit that no refresh can help.
    std::uint64_t too_heavy = 0;
    std::vector<std::uint64_t> width_by_level;  ///< bootstraps at each level, level 1 first

    /// Rounds of a device that does `width` bootstraps at once.
    [[nodiscard]] std::uint64_t rounds(std::uint64_t width) const;
};
/// Bootstraps, depth and widths, noise apart.
[[nodiscard]] CircuitCost plain_cost(const circuit::Circuit& circuit);
/// Error(noise) if the noise of a register grows for ever.
[[nodiscard]] CircuitCost circuit_cost(const circuit::Circuit& circuit, int weight_limit);

/// Whether `a` is better than `b`: within the weight limit before everything; then fewer rounds, if a width
/// of the device is given; then the objective, refreshes counted.
[[nodiscard]] bool is_better(const CircuitCost& a, const CircuitCost& b, Objective objective,
                             std::uint64_t device_width = 0);

/// Which of several circuits has the least depth among those within the weight limit that have at most a
/// twentieth more bootstraps than the one with the fewest; refreshes counted.
[[nodiscard]] std::size_t most_balanced(std::span<const CircuitCost* const> costs);

}  // namespace toroid::compiler
