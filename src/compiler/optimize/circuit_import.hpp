// SPDX-License-Identifier: Apache-2.0
// What LogicGraph and GateNetwork share in coming from a circuit: leaves are the input bits and the
// registers, roots the output bits and the registers' next values.
#pragma once

#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"
#include "compiler/optimize/logic_graph.hpp"

namespace toroid::compiler {

inline std::uint32_t leaf_count(const circuit::Circuit& circuit) {
    std::size_t count = circuit.registers.size();
    for (const circuit::InputPort& port : circuit.inputs) count += port.signals.size();
    return static_cast<std::uint32_t>(count);
}

/// Fills `edges`, one for each signal, and the roots of `network`; gate_edge(record) makes a gate's edge.
template <typename Network, typename GateEdge>
void import_circuit(const circuit::Circuit& circuit, Network& network, std::vector<Edge>& edges,
                    const GateEdge& gate_edge) {
    std::uint32_t leaf = 0;
    for (const circuit::InputPort& port : circuit.inputs) {
        for (const circuit::SignalId signal : port.signals) edges[signal] = network.leaf(leaf++);
    }
    for (const circuit::Register& item : circuit.registers) edges[item.output] = network.leaf(leaf++);
    for (const base::GateRecord& gate : circuit.gates) edges[gate.output] = gate_edge(gate);
    const auto literal = [&](circuit::Literal bit) { return edges[bit.signal()] ^ bit.negated(); };
    for (const circuit::OutputPort& port : circuit.outputs) {
        for (const circuit::Literal bit : port.bits) network.roots.push_back(literal(bit));
    }
    for (const circuit::Register& item : circuit.registers) network.roots.push_back(literal(item.next));
}

}  // namespace toroid::compiler
