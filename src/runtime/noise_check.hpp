// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"
#include "scheme/noise_model.hpp"

namespace toroid::runtime {

/// Failure probabilities of one run, as log2.
struct NoiseReport {
    double largest_weight_norm = 0;
    double worst_gate_log2 = 0;          ///< -infinity if there is no bootstrap
    std::string worst_gate;              ///< "MAJ3, gate 17, W=3"
    double largest_output_variance = 0;  ///< in units of one bootstrapped output
    double worst_output_log2 = 0;
    std::string worst_output;  ///< "sum[3]"
    double circuit_log2 = 0;   ///< all gates of all cycles and all output bits together
    /// By output bit, ports in order: a variance under which the bits may be treated as independent, the
    /// largest over the cycles. A bit that shares noise with other output bits counts its covariances as
    /// well, so that for any weights Var(sum w_i x_i) <= sum w_i^2 variance_i (diagonal dominance).
    std::vector<double> output_variance;
};

/// The variance of each input, in units, by port; clear inputs have 0. A port whose samples are the same in
/// every cycle is held.
struct InputNoise {
    double variance = 1;
    bool held = true;
};

/// Follows the noise of every wire through `cycles` clock cycles, registers included, until the registers'
/// noise repeats itself. Noise is followed as linear forms over independent sources (each bootstrap of each
/// cycle, each input sample), so that registers holding the same wire, or a sum, are neither under- nor
/// overrated. A gate's failure probability is that of its true variance and margin,
/// gate_failure_log2(variance, margin). Error(noise) if the registers' noise has not settled within a bound
/// that is far beyond any sensible circuit. Source: design notes on parameters, "Weight norm W".
[[nodiscard]] NoiseReport noise_report(const circuit::Circuit& circuit, const scheme::NoiseModel& model,
                                       const std::vector<InputNoise>& inputs, std::uint32_t cycles);

/// Error(noise) with both numbers if the worst gate or output is above the target.
void check_noise(const NoiseReport& report, double target_log2, const std::string& parameters);

}  // namespace toroid::runtime
