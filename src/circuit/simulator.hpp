// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"

namespace toroid::circuit {

/// Plaintext simulation of 64 input vectors at once: word bit v belongs to vector v.
class Simulator {
 public:
    explicit Simulator(const Circuit& circuit);  ///< keeps a reference

    /// One clock cycle. inputs: one word a input bit, ports in order, bit 0 first. Returns one word an output
    /// bit, read before the clock edge. Error(circuit) if a linear form's phase is not +-1/8 or a gate's
    /// phase is 0 or 1/2 for some vector.
    [[nodiscard]] std::vector<std::uint64_t> step(std::span<const std::uint64_t> inputs);
    /// Registers back to their initial values.
    void reset();
    /// What every signal was in the last step, by its number.
    [[nodiscard]] std::span<const std::uint64_t> signals() const { return low_; }

 private:
    const Circuit& circuit_;
    std::vector<std::uint64_t>
        low_;  // phase of each signal mod 8, bit-sliced: the bit itself for +-1/8 wires
    std::vector<std::uint64_t> state_;
};

}  // namespace toroid::circuit
