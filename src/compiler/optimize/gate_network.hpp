// SPDX-License-Identifier: Apache-2.0
// The combinational part of a circuit as gates of the one-bootstrap family, each in its algebraic normal form
//     f = E2(A) xor parity(L) xor c,       E2(A) = xor of all pairwise ANDs of A,
// over plain (not negated) nodes: a negated input of A is that input, the others of A in L, and c. L may
// share inputs with A. Such an f is one bootstrap of weight norm |A| + 4 |L without A|, or |L| if A is empty
// (margin 1/4), since the signs of A's weights and the offset reach every parity(subset of A)
// (docs/fast_circuits.md). A multiplexer is a node of its own with two bootstraps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"
#include "compiler/optimize/logic_graph.hpp"

namespace toroid::compiler {

class GateNetwork {
 public:
    enum class Kind : std::uint8_t { constant, leaf, gate, multiplexer };
    struct Node {
        Kind kind = Kind::constant;
        bool constant = false;        ///< c; a multiplexer is negated
        bool negated_if_one = false;  ///< multiplexers only
        bool negated_if_zero = false;
        std::vector<std::uint32_t>
            light;  ///< A, sorted; a multiplexer's select, if one, if zero, in this order
        std::vector<std::uint32_t> heavy;  ///< L, sorted
    };

    explicit GateNetwork(std::uint32_t leaves);

    [[nodiscard]] Edge leaf(std::uint32_t index) const { return {1 + index, false}; }
    [[nodiscard]] std::uint32_t leaves() const { return leaves_; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes.size()); }

    /// E2(light) xor parity(heavy) xor c of any edges, simplified; equal gates are made once as long as only
    /// these functions change the network.
    Edge gate(std::vector<Edge> light, std::vector<Edge> heavy, bool c);
    Edge multiplexer(Edge select, Edge if_one, Edge if_zero);

    std::vector<Node> nodes;
    std::vector<Edge> roots;  ///< output bits, then the registers' next values

 private:
    Edge intern(Node node);

    std::uint32_t leaves_;
    std::vector<std::uint32_t> buckets_;
    std::uint32_t interned_ = 0;
};

/// Sorts, cancels equal members in pairs.
void reduce_parity(std::vector<std::uint32_t>& members);
/// The members of one sorted list or the other, not of both.
[[nodiscard]] std::vector<std::uint32_t> symmetric_difference(const std::vector<std::uint32_t>& a,
                                                              const std::vector<std::uint32_t>& b);
/// How many of L are not in A: the operands of weight 2 if A is not empty.
[[nodiscard]] std::uint32_t outer_count(const GateNetwork::Node& node);
[[nodiscard]] std::uint32_t weight_norm(const GateNetwork::Node& node);

/// Nodes that roots reach, each after what it reads.
[[nodiscard]] std::vector<std::uint32_t> topological_nodes(const GateNetwork& network);
[[nodiscard]] std::vector<std::uint32_t> network_levels(const GateNetwork& network,
                                                        const std::vector<std::uint32_t>& order);
[[nodiscard]] std::uint64_t network_bootstraps(const GateNetwork& network,
                                               const std::vector<std::uint32_t>& order);

/// Calls use(node) for every node that `node` reads; a node in both A and L twice.
template <typename Use>
void for_each_operand(const GateNetwork::Node& node, Use use) {
    for (const std::uint32_t operand : node.light) use(operand);
    for (const std::uint32_t operand : node.heavy) use(operand);
}

/// Equal gates merged, constants folded, gates that reach no root removed.
[[nodiscard]] GateNetwork cleaned(const GateNetwork& network);

[[nodiscard]] GateNetwork to_gate_network(const circuit::Circuit& circuit);
/// The circuit with the ports and registers of `original`, whose leaves and roots the network has.
[[nodiscard]] circuit::Circuit to_circuit(const GateNetwork& network, const circuit::Circuit& original);

}  // namespace toroid::compiler
