// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "circuit/affine_normal_form.hpp"
#include "circuit/circuit.hpp"

namespace toroid::circuit {

/// Opens linear forms: what a gate reads once wires without a bootstrap are replaced by what they are made
/// of.
class FormExpansion {
 public:
    explicit FormExpansion(const Circuit& circuit);  ///< keeps a reference

    [[nodiscard]] bool is_form(SignalId signal) const { return form_[signal] != no_form; }

    /// Equal operands merged and constants in the offset. If an operand is a form, all forms are expanded
    /// (forms of forms too) and weights brought to -1, 1, 2 by the phase algebra modulo 8; otherwise weights
    /// stay as they are. Fan-in above 65,535 is Error(circuit).
    [[nodiscard]] AffineTerm merged(std::span<const base::Operand> operands, int offset_eighths) const;

 private:
    static constexpr std::uint32_t no_form = 0xffffffff;
    const Circuit& circuit_;
    std::vector<std::uint32_t> form_;
};

}  // namespace toroid::circuit
