// SPDX-License-Identifier: Apache-2.0
// The one record that the circuit, the cost model and every backend speak.
//
// With bit 1 as +1/8 and bit 0 as -1/8 on the torus, a bootstrapped gate is
//     output = sign_bootstrap(sum_i weight_i * input_i + offset),   sign_bootstrap(phase) = +1/8 for a phase
// in (0, 1/2), else -1/8. Offsets are counted in eighths of the torus.
#pragma once

#include <cstdint>
#include <span>

namespace toroid::base {

/// One weighted input. `index` is a signal id in a circuit and a ciphertext slot in a batch.
struct Operand {
    std::uint32_t index = 0;
    std::int32_t weight = 0;
    friend bool operator==(const Operand&, const Operand&) = default;
};

enum class GateForm : std::uint8_t {
    linear,     ///< output = sum_a + offset_a: no bootstrap
    bootstrap,  ///< output = sign(sum_a + offset_a)
    pair,       ///< output = sign(sum_a + offset_a) + sign(sum_b + offset_b) + post_offset: MUX and NMUX
};

/// A gate over a flat operand array: operands [first_operand, first_operand + operands_a) belong to term a,
/// the next operands_b to term b. Offsets are in eighths, taken modulo 8.
struct GateRecord {
    std::uint32_t output = 0;
    std::uint32_t first_operand = 0;
    std::uint16_t operands_a = 0;
    std::uint16_t operands_b = 0;
    std::int8_t offset_a = 0;
    std::int8_t offset_b = 0;
    std::int8_t post_offset = 0;
    GateForm form = GateForm::bootstrap;

    /// Blind rotations that this gate costs: 0, 1 or 2.
    [[nodiscard]] int bootstraps() const noexcept { return static_cast<int>(form); }
    [[nodiscard]] std::span<const Operand> term_a(std::span<const Operand> all) const {
        return all.subspan(first_operand, operands_a);
    }
    [[nodiscard]] std::span<const Operand> term_b(std::span<const Operand> all) const {
        return all.subspan(first_operand + operands_a, operands_b);
    }
};
static_assert(sizeof(GateRecord) == 16 && sizeof(Operand) == 8);

}  // namespace toroid::base
