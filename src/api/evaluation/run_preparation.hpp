// SPDX-License-Identifier: Apache-2.0
// All checks of a run that need no device, and what the device is then given.
#pragma once

#include <cstdint>
#include <vector>

#include "api/common/access.hpp"
#include "circuit/circuit.hpp"
#include "runtime/executor.hpp"
#include "runtime/noise_check.hpp"
#include "toroid/evaluator.hpp"

namespace toroid::detail {

struct PreparedRun {
    circuit::Circuit circuit;                ///< held clear inputs folded in, noisy wires refreshed
    std::uint64_t refreshes = 0;             ///< bootstraps added for that, a cycle
    std::vector<runtime::PortInput> inputs;  ///< by port of that circuit; samples belong to `ciphertexts`
    runtime::NoiseReport noise;
    Ciphertexts ciphertexts;
};

/// Error(key_mismatch), Error(value) or Error(noise) as Evaluator::run says.
[[nodiscard]] PreparedRun prepare_run(const scheme::Parameters& parameters, const base::KeyId& key_id,
                                      const Circuit& circuit, const Ciphertexts& ciphertexts,
                                      const Values& clear, const RunOptions& options);

}  // namespace toroid::detail
