// SPDX-License-Identifier: Apache-2.0
// Circuit -> batches of gates over a small pool of ciphertext slots.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/gate_record.hpp"
#include "circuit/circuit.hpp"

namespace toroid::runtime {

struct PlanOptions {
    /// Bootstraps that keep the device full: gates with slack wait for a batch that has room.
    std::uint32_t full_batch = 1;
    /// No batch has more bootstraps than this; 0: eight full batches. Bounds the time between two progress
    /// reports and the memory for staged outputs.
    std::uint32_t largest_batch = 0;
};

/// One clock cycle of a circuit in batches. Operand indices and outputs of `gates` are slots of a pool. A
/// slot is free again once its last reader has run; since a batch reads all operands before it writes, a slot
/// that dies in a batch may be an output of the same batch. Slots therefore follow the circuit's live width.
struct Plan {
    struct Batch {
        std::uint32_t first_gate = 0;
        std::uint32_t gates = 0;
        std::uint32_t bootstraps = 0;
    };
    /// A bit of an input that some gate or output reads.
    struct Input {
        std::uint32_t port = 0;
        std::uint32_t bit = 0;
        std::uint32_t slot = 0;
    };
    struct Register {
        std::uint32_t slot = 0;
        bool init = false;
    };
    /// Where an output bit is found after the last batch.
    struct OutputBit {
        enum class Source : std::uint8_t { constant, slot };
        Source source = Source::constant;
        bool negated = false;  ///< the sample is to be negated; for a constant: the bit
        std::uint32_t slot = 0;
    };

    std::uint32_t slots = 0;
    std::vector<base::GateRecord> gates;
    std::vector<base::Operand> operands;
    std::vector<Batch> batches;
    std::vector<Input> inputs;
    /// Registers that some output depends on.
    std::vector<Register> registers;
    /// The clock edge, one batch: linear records that copy next values into register slots, all at once.
    std::vector<base::GateRecord> latch;
    /// Output bits, ports in order, bit 0 first.
    std::vector<OutputBit> outputs;

    std::uint64_t bootstraps = 0;  ///< in one cycle
    std::uint32_t depth = 0;       ///< bootstraps on the longest path

    [[nodiscard]] std::span<const base::GateRecord> gates_of(const Batch& batch) const {
        return std::span(gates).subspan(batch.first_gate, batch.gates);
    }
};

/// Plans a circuit (forms may be in it; they are flattened). Deterministic. List scheduling: a batch takes
/// ready gates, longest remaining path first, as many as lie on a critical path and on up to the next
/// multiple of a full batch.
[[nodiscard]] Plan make_plan(const circuit::Circuit& circuit, const PlanOptions& options);

}  // namespace toroid::runtime
