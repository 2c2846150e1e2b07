// SPDX-License-Identifier: Apache-2.0
// Batches of random gates for the GPU, and what they must give.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "contract/workbench.hpp"

namespace toroid::tests {

/// TOROID_GPU_DEVICE (e.g. "cuda:0,0"), else the first usable card, with a set; TOROID_REQUIRE_INSTANCE says whether it can run.
[[nodiscard]] Instance gpu_instance(const scheme::Parameters& parameters);

/// Wires as plaintext: values and noise of slots 0, 1, ...
struct Wires {
    Bits bits;
    std::vector<double> variances;  ///< in units of one bootstrapped output
};

/// Draws kinds, operands and signs independently until a gate's failure probability is at most 2^-40; writes
/// the gate's value into `wires`, which it must not read itself.
class GateDraw {
 public:
    GateDraw(const scheme::NoiseModel& noise, std::mt19937_64& random) : noise_(noise), random_(random) {}

    /// Adds one gate that writes slot `output`; operands come from choose(), which gives slots. `before` are
    /// the wires as the batch finds them.
    template <typename Choose>
    void add(BatchBuilder& gates, const Wires& before, const Choose& choose, std::uint32_t output,
             Wires& after) {
        for (;;) {
            const GateKind& kind = gate_kinds()[random_() % gate_kinds().size()];
            std::vector<std::uint32_t> slots;
            std::vector<double> variances;
            Bits row;
            const Bits negated = random_bits(kind.arity(), random_);
            for (std::size_t i = 0; i < kind.arity(); ++i) {
                slots.push_back(choose());
                variances.push_back(before.variances[slots.back()]);
                row.push_back(before.bits[slots.back()] != negated[i]);
            }
            if (failure_log2(noise_, kind, slots, variances, negated) > -40) continue;
            // A linear form's noise grows from batch to batch; a bootstrap's does not.
            if (output_variance(kind, variances) > 2) continue;
            gates.add(kind, slots, output, negated);
            after.bits[output] = kind.truth(row);
            after.variances[output] = output_variance(kind, variances);
            bootstraps_ += static_cast<std::uint64_t>(gates.gates().back().bootstraps());
            return;
        }
    }
    [[nodiscard]] std::uint64_t bootstraps() const { return bootstraps_; }

 private:
    const scheme::NoiseModel& noise_;
    std::mt19937_64& random_;
    std::uint64_t bootstraps_ = 0;
};

/// Number of positions where the bits differ.
[[nodiscard]] std::size_t wrong_bits(const Bits& found, const Bits& expected, std::size_t first);

}  // namespace toroid::tests
