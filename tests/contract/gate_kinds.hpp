// SPDX-License-Identifier: Apache-2.0
// The gates as the contract knows them: weights beside a truth function written down independently of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "base/gate_record.hpp"
#include "scheme/noise_model.hpp"

namespace toroid::tests {

using Bits = std::vector<bool>;

struct GateKind {
    std::string name;
    base::GateForm form = base::GateForm::bootstrap;
    std::vector<int> weights_a;  ///< one an input; 0 where the input is not in the term
    int offset_a = 0;
    std::vector<int> weights_b;  ///< as weights_a, empty unless form is pair
    int offset_b = 0;
    int post_offset = 0;
    std::function<bool(const Bits&)> truth;

    [[nodiscard]] std::size_t arity() const { return weights_a.size(); }
};

/// AND ... ORYN, MUX, NMUX, NOT, COPY, both constants, MAJ3, NAE3, XOR3, AX, AO, E2 and XOR of larger fan-in,
/// and the linear forms that need no condition on their inputs.
[[nodiscard]] const std::vector<GateKind>& gate_kinds();
[[nodiscard]] const GateKind& gate_kind(const std::string& name);

/// Gates over slots, as a batch that owns its arrays.
class BatchBuilder {
 public:
    /// inputs[i] is the slot of input i, inverted where `negated` says so (empty: nowhere).
    void add(const GateKind& kind, std::span<const std::uint32_t> inputs, std::uint32_t output,
             const Bits& negated = {});
    /// sum weight_i * slot_i + offset without a bootstrap.
    void add_linear(const std::vector<base::Operand>& operands, int offset_eighths, std::uint32_t output);
    [[nodiscard]] backend::GateBatch batch() const { return {gates_, operands_}; }
    [[nodiscard]] std::vector<base::GateRecord>& gates() { return gates_; }
    [[nodiscard]] std::vector<base::Operand>& operands() { return operands_; }

 private:
    std::vector<base::GateRecord> gates_;
    std::vector<base::Operand> operands_;
};

/// log2 of the failure probability of the gate when input i, read from inputs[i], has this variance (in
/// units); equal slots are merged first. -infinity for a linear form.
[[nodiscard]] double failure_log2(const scheme::NoiseModel& model, const GateKind& kind,
                                  std::span<const std::uint32_t> inputs, std::span<const double> variances,
                                  const Bits& negated = {});
/// Variance of the gate's output in units.
[[nodiscard]] double output_variance(const GateKind& kind, std::span<const double> variances);

}  // namespace toroid::tests
