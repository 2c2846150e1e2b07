// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "backend/backend.hpp"
#include "base/bit_vector.hpp"
#include "base/progress.hpp"
#include "runtime/plan.hpp"
#include "scheme/lwe_array.hpp"

namespace toroid::runtime {

/// The samples of one input port: either encrypted (steps * width samples, bit 0 of step 0 first) or clear
/// bits.
struct PortInput {
    std::uint32_t width = 0;
    std::uint32_t steps = 1;  ///< 1: held over all cycles
    const scheme::LweArray* samples = nullptr;
    std::vector<base::BitVector> clear;  ///< one a step; used if samples is null
};

struct ExecutionOptions {
    std::uint32_t cycles = 1;
    bool only_last_cycle = false;
    /// (bootstraps done, total); may throw to stop.
    base::ProgressCallback progress;
};

struct Execution {
    /// Output bits, ports in order, of each kept cycle: samples[cycle * bits + bit].
    scheme::LweArray outputs;
    std::uint32_t kept_cycles = 0;
    std::uint64_t bootstraps = 0;  ///< counted from the records given to the device
    std::uint64_t batches = 0;
    std::uint64_t pool_bytes = 0;
    std::vector<backend::DeviceWork> devices;  ///< CiphertextPool::work(): empty for a single device
    double seconds = 0;
};

/// Runs a plan on a loaded key. inputs are by port, in the circuit's order. Error(value) if an input of
/// several steps has not one for each cycle.
[[nodiscard]] Execution execute(const Plan& plan, const backend::LoadedKey& key,
                                const std::vector<PortInput>& inputs, const ExecutionOptions& options);

}  // namespace toroid::runtime
