// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "circuit/circuit.hpp"
#include "scheme/noise_model.hpp"

namespace toroid::runtime {

struct RefreshedCircuit {
    circuit::Circuit circuit;     ///< linear forms flattened
    std::uint64_t refreshes = 0;  ///< bootstraps that were added
};

/// The same function with identity bootstraps where a wire is too noisy for its reader: a gate that would
/// fail with more than 2^target_log2 reads refreshed copies of its noisiest operands (outputs of MUX gates,
/// wires of variance above 1), an output that would decrypt wrongly becomes a refreshed copy. What refreshing
/// cannot help is left as it is, for check_noise to refuse. input_variance is in units of one bootstrapped
/// output. A gate as the compiler makes it seldom needs this: on `tfhe128` it is the AND of two MUX outputs
/// (W = 4).
[[nodiscard]] RefreshedCircuit refresh_noisy_wires(const circuit::Circuit& circuit,
                                                   const scheme::NoiseModel& model, double input_variance,
                                                   double target_log2);

}  // namespace toroid::runtime
