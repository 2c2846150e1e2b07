// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

[[noreturn]] void refuse(std::size_t gate, const std::string& what) {
    throw Error(ErrorKind::internal, fmt::format("gate {} of the batch: {}", gate, what));
}

void check_form(const base::GateRecord& gate, std::size_t number) {
    switch (gate.form) {
        case base::GateForm::linear:
        case base::GateForm::bootstrap:
            if (gate.operands_b != 0 || gate.offset_b != 0 || gate.post_offset != 0) {
                refuse(number, "only a pair has a second term or an offset after it");
            }
            return;
        case base::GateForm::pair:
            return;
    }
    refuse(number, fmt::format("unknown form {}", static_cast<int>(gate.form)));
}

}  // namespace

StepSeconds& StepSeconds::operator+=(const StepSeconds& other) noexcept {
    linear += other.linear;
    key_switch += other.key_switch;
    modulus_switch += other.modulus_switch;
    blind_rotation += other.blind_rotation;
    extraction += other.extraction;
    return *this;
}

bool check_batch(const GateBatch& batch, std::uint32_t slots) {
    std::vector<char> written(slots);
    for (std::size_t number = 0; number < batch.gates.size(); ++number) {
        const base::GateRecord& gate = batch.gates[number];
        check_form(gate, number);
        if (gate.output >= slots) {
            refuse(number, fmt::format("output slot {} of a pool of {}", gate.output, slots));
        }
        if (written[gate.output] != 0) {
            refuse(number, fmt::format("slot {} is the output of an earlier gate too", gate.output));
        }
        written[gate.output] = 1;
        const std::size_t end = std::size_t{gate.first_operand} + gate.operands_a + gate.operands_b;
        if (end > batch.operands.size()) {
            refuse(number,
                   fmt::format("operands [{}, {}) of {}", gate.first_operand, end, batch.operands.size()));
        }
    }
    bool alias = false;
    for (std::size_t number = 0; number < batch.gates.size(); ++number) {
        const base::GateRecord& gate = batch.gates[number];
        const std::size_t count = std::size_t{gate.operands_a} + gate.operands_b;
        for (const base::Operand& operand : batch.operands.subspan(gate.first_operand, count)) {
            if (operand.index >= slots) {
                refuse(number, fmt::format("operand slot {} of a pool of {}", operand.index, slots));
            }
            // Outputs are unique, so a written slot other than the gate's own is another gate's output.
            alias |= written[operand.index] != 0 && operand.index != gate.output;
        }
    }
    return alias;
}

}  // namespace toroid::backend
