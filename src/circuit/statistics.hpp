// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"

namespace toroid::circuit {

/// Wire variances in units of one bootstrapped output (V_BR) and weight norms, after merging linear forms and
/// equal operands: W = sum weight^2 variance (1/8 / margin)^2. Inputs count 1 (or `input_variance`), register
/// outputs the variance of what they hold.
struct NoiseProfile {
    std::vector<double> signal_variance;  ///< by signal id
    std::vector<double> weight_norm;      ///< by gate; the larger of its two terms; 0 for linear
    std::vector<double> variance;         ///< by gate: the sum of weight^2 variance that W came from
    std::vector<int> margin_eighths;      ///< by gate: 1 or 2
    double largest_weight_norm = 0;
    double largest_output_variance = 0;
    /// Multiset of (variance, margin) over all bootstraps, for the failure probability of the whole circuit.
    std::map<std::pair<double, int>, std::uint64_t> histogram;
};
[[nodiscard]] NoiseProfile noise_profile(const Circuit& circuit, double input_variance = 1.0);

/// How near the phases of a bootstrapped term come to 0 and 1/2, in eighths of the torus: 1 where they are
/// odd, 2 where they are even, since a valid phase is then 2 modulo 4 (a pure XOR).
[[nodiscard]] int margin_eighths(std::span<const base::Operand> term, int offset);

struct Statistics {
    std::map<std::string, std::uint64_t> gates_by_kind;  ///< AND, XOR, MAJ3, MUX, FORM, ...
    std::uint64_t gates = 0;
    std::uint64_t bootstraps = 0;
    std::uint32_t depth = 0;                    ///< bootstraps on the longest path
    std::vector<std::uint64_t> width_by_level;  ///< bootstraps at each level, level 1 first
};
[[nodiscard]] Statistics statistics(const Circuit& circuit);

/// The level of each signal: 0 for inputs, registers and constants; linear forms take their operands' level.
[[nodiscard]] std::vector<std::uint32_t> signal_levels(const Circuit& circuit);

/// Field name of a gate: AND, NAND, ..., XOR, MAJ3, XOR3, AX, E2, MUX, FORM, AFFINE.
[[nodiscard]] std::string gate_kind(const base::GateRecord& gate, std::span<const base::Operand> operands);

/// Each gate's operands with linear forms replaced by what they are made of and equal signals merged; forms
/// themselves expand too. The result has no gate that reads a form. Constant operands go to the offset.
[[nodiscard]] Circuit flatten_forms(const Circuit& circuit);

}  // namespace toroid::circuit
