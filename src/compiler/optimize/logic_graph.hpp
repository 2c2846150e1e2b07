// SPDX-License-Identifier: Apache-2.0
// The combinational part of a circuit as two-input ANDs and XORs with free negation: what cuts are looked for
// in.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "circuit/circuit.hpp"

namespace toroid::compiler {

/// A node or its negation.
class Edge {
 public:
    constexpr Edge() = default;
    constexpr Edge(std::uint32_t node, bool negated)
        : code_(node << 1 | static_cast<std::uint32_t>(negated)) {}
    [[nodiscard]] static constexpr Edge constant(bool bit) { return {0, bit}; }
    [[nodiscard]] constexpr std::uint32_t node() const { return code_ >> 1; }
    [[nodiscard]] constexpr bool negated() const { return (code_ & 1) != 0; }
    [[nodiscard]] constexpr std::uint32_t code() const { return code_; }
    [[nodiscard]] constexpr Edge operator!() const { return *this ^ true; }
    [[nodiscard]] constexpr Edge operator^(bool negate) const { return {node(), negated() != negate}; }
    friend constexpr bool operator==(Edge, Edge) = default;

 private:
    std::uint32_t code_ = 0;
};

/// Node 0 is the constant 0; then the leaves (input bits and registers, in the circuit's order); then gates,
/// each after what it reads. Equal gates are made once, and rules over two levels simplify as gates are made.
class LogicGraph {
 public:
    enum class Kind : std::uint8_t { constant, leaf, conjunction, exclusive_or };
    struct Node {
        Kind kind = Kind::constant;
        Edge first;
        Edge second;
    };

    explicit LogicGraph(std::uint32_t leaves);

    [[nodiscard]] Edge leaf(std::uint32_t index) const { return {1 + index, false}; }
    Edge conjunction(Edge a, Edge b);
    Edge disjunction(Edge a, Edge b) { return !conjunction(!a, !b); }
    Edge exclusive_or(Edge a, Edge b);
    /// select ? a : b as b ^ (select & (a ^ b)).
    Edge multiplexer(Edge select, Edge a, Edge b);
    /// The exclusive or of all pairwise ANDs.
    Edge pairwise(const std::vector<Edge>& inputs);

    [[nodiscard]] std::uint32_t leaves() const { return leaves_; }
    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
    /// How many gates and roots read each node.
    [[nodiscard]] std::vector<std::uint32_t> fanouts() const;

    /// Output bits of the circuit, then the registers' next values.
    std::vector<Edge> roots;

 private:
    Edge make(Kind kind, Edge a, Edge b);
    [[nodiscard]] bool is(Edge edge, Kind kind) const { return nodes_[edge.node()].kind == kind; }
    [[nodiscard]] bool simplify_conjunction(Edge a, Edge b, Edge& out);

    std::uint32_t leaves_;
    std::vector<Node> nodes_;
    std::unordered_map<std::uint64_t, std::uint32_t> made_;
};

[[nodiscard]] LogicGraph to_logic_graph(const circuit::Circuit& circuit);

struct RebuildOptions {
    bool balance_conjunctions = true;  ///< trees of ANDs by arrival time
    bool balance_exclusive_ors = false;
    /// Multiplexers made of three ANDs that nothing else reads become b ^ (s & (a ^ b)).
    bool find_multiplexers = false;
};
/// The same roots without gates that reach none of them.
[[nodiscard]] LogicGraph rebuild(const LogicGraph& graph, const RebuildOptions& options);

}  // namespace toroid::compiler
