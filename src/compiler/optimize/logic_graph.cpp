// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/logic_graph.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "circuit/affine_normal_form.hpp"
#include "compiler/optimize/circuit_import.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {

LogicGraph::LogicGraph(std::uint32_t leaves) : leaves_(leaves) {
    nodes_.resize(1 + std::size_t{leaves});
    for (std::uint32_t i = 0; i < leaves; ++i) nodes_[1 + i].kind = Kind::leaf;
}

Edge LogicGraph::make(Kind kind, Edge a, Edge b) {
    if (b.code() < a.code()) std::swap(a, b);
    bool negated = false;
    if (kind == Kind::exclusive_or) {
        negated = a.negated() != b.negated();
        a = Edge(a.node(), false);
        b = Edge(b.node(), false);
    }
    // Of XORs only the plain inputs are keys, so a bit tells the kinds apart: XOR(p, q) with p's negation
    // set.
    const std::uint64_t key = std::uint64_t{a.code()} << 32 | b.code();
    const std::uint64_t tag = kind == Kind::exclusive_or ? std::uint64_t{1} << 63 : 0;
    const auto [entry, is_new] = made_.try_emplace(key | tag, size());
    if (is_new) {
        if (nodes_.size() > (std::uint32_t{1} << 30)) {
            throw Error(ErrorKind::circuit, "the optimiser takes circuits of at most 2^30 two-input gates");
        }
        nodes_.push_back({kind, a, b});
    }
    return {entry->second, negated};
}

bool LogicGraph::simplify_conjunction(Edge a, Edge b, Edge& out) {
    const auto set = [&](Edge result) {
        out = result;
        return true;
    };
    if (a == b || b == Edge::constant(true)) return set(a);
    if (a == Edge::constant(true)) return set(b);
    if (a == !b || a == Edge::constant(false) || b == Edge::constant(false))
        return set(Edge::constant(false));
    for (int swap = 0; swap < 2; ++swap, std::swap(a, b)) {
        const Node node = nodes_[b.node()];
        if (node.kind == Kind::conjunction) {
            const bool has = a == node.first || a == node.second;
            const bool has_negation = a == !node.first || a == !node.second;
            if (!b.negated() && has) return set(b);
            if (!b.negated() && has_negation) return set(Edge::constant(false));
            if (b.negated() && has_negation) return set(a);
            if (b.negated() && has) return set(conjunction(a, a == node.first ? !node.second : !node.first));
        } else if (node.kind == Kind::exclusive_or) {
            // a & (a ^ q) = a & !q
            if (a.node() == node.first.node() || a.node() == node.second.node()) {
                const Edge other = a.node() == node.first.node() ? node.second : node.first;
                return set(conjunction(a, other ^ (b.negated() == a.negated())));
            }
        }
    }
    if (!is(a, Kind::conjunction) || !is(b, Kind::conjunction)) return false;
    const Node x = nodes_[a.node()];
    const Node y = nodes_[b.node()];
    if (a.negated() && b.negated()) {
        for (const auto& [p, q] : {std::pair(x.first, x.second), std::pair(x.second, x.first)}) {
            for (const auto& [r, s] : {std::pair(y.first, y.second), std::pair(y.second, y.first)}) {
                if (p == !r && q == !s) return set(exclusive_or(p, q));
                if (p == r && q == !s) return set(!p);
            }
        }
    } else if (!a.negated() && !b.negated()) {
        for (const Edge p : {x.first, x.second}) {
            if (p == !y.first || p == !y.second) return set(Edge::constant(false));
        }
    }
    return false;
}

Edge LogicGraph::conjunction(Edge a, Edge b) {
    Edge out;
    if (simplify_conjunction(a, b, out)) return out;
    return make(Kind::conjunction, a, b);
}

Edge LogicGraph::exclusive_or(Edge a, Edge b) {
    const bool negated = a.negated() != b.negated();
    a = Edge(a.node(), false);
    b = Edge(b.node(), false);
    if (a == b) return Edge::constant(negated);
    if (a.node() == 0) return b ^ negated;
    if (b.node() == 0) return a ^ negated;
    for (int swap = 0; swap < 2; ++swap, std::swap(a, b)) {
        const Node node = nodes_[b.node()];
        if (node.kind == Kind::exclusive_or) {
            if (a == node.first) return node.second ^ negated;
            if (a == node.second) return node.first ^ negated;
        } else if (node.kind == Kind::conjunction) {
            // a ^ (a & q) = a & !q, a ^ (!a & q) = a | q
            for (const auto& [p, q] :
                 {std::pair(node.first, node.second), std::pair(node.second, node.first)}) {
                if (p.node() != a.node()) continue;
                return (p.negated() ? disjunction(a, q) : conjunction(a, !q)) ^ negated;
            }
        }
    }
    return make(Kind::exclusive_or, a, b) ^ negated;
}

Edge LogicGraph::multiplexer(Edge select, Edge a, Edge b) {
    return exclusive_or(b, conjunction(select, exclusive_or(a, b)));
}

Edge LogicGraph::pairwise(const std::vector<Edge>& inputs) {
    if (inputs.size() == 3) {
        // MAJ3 = a ^ ((a ^ b) & (a ^ c))
        return exclusive_or(
            inputs[0], conjunction(exclusive_or(inputs[0], inputs[1]), exclusive_or(inputs[0], inputs[2])));
    }
    Edge sum = Edge::constant(false);
    Edge parity = Edge::constant(false);
    for (const Edge input : inputs) {
        sum = exclusive_or(sum, conjunction(parity, input));
        parity = exclusive_or(parity, input);
    }
    return sum;
}

std::vector<std::uint32_t> LogicGraph::fanouts() const {
    std::vector<std::uint32_t> out(nodes_.size(), 0);
    for (const Node& node : nodes_) {
        if (node.kind != Kind::conjunction && node.kind != Kind::exclusive_or) continue;
        ++out[node.first.node()];
        ++out[node.second.node()];
    }
    for (const Edge root : roots) ++out[root.node()];
    return out;
}

namespace {

class Importer {
 public:
    explicit Importer(const circuit::Circuit& circuit)
        : circuit_(circuit), graph_(leaf_count(circuit)), edges_(circuit.signal_count) {}

    LogicGraph run() {
        import_circuit(circuit_, graph_, edges_,
                       [this](const base::GateRecord& gate) { return gate_edge(gate); });
        return std::move(graph_);
    }

 private:
    Edge gate_edge(const base::GateRecord& gate) {
        // A form's phase is +-1/8, so its bit is the sign of its phase.
        const Edge a = sign(gate.term_a(circuit_.operands), gate.offset_a);
        if (gate.form != base::GateForm::pair) return a;
        const Edge b = sign(gate.term_b(circuit_.operands), gate.offset_b);
        // Two signs and 1/8 are +-1/8 if not both are 1; two signs and -1/8 if not both are 0.
        switch (circuit::reduce_eighths(gate.post_offset)) {
            case 1:
                return multiplexer_or(gate, a, b);
            case -1:
                return graph_.conjunction(a, b);
            case 3:  // -2 + 3 = 1: both are 0
                return Edge::constant(true);
            case -3:
                return Edge::constant(false);
            default:
                throw Error(ErrorKind::circuit, "a pair whose sum is never +-1/8");
        }
    }

    /// MUX where the two terms are ANDs over one select, else OR.
    Edge multiplexer_or(const base::GateRecord& gate, Edge a, Edge b) {
        const auto x = gate.term_a(circuit_.operands);
        const auto y = gate.term_b(circuit_.operands);
        if (x.size() == 2 && y.size() == 2 && gate.offset_a == -1 && gate.offset_b == -1) {
            for (std::size_t i = 0; i < 2; ++i) {
                for (std::size_t j = 0; j < 2; ++j) {
                    if (x[i].index != y[j].index || x[i].weight != -y[j].weight || x[i].weight % 2 == 0)
                        continue;
                    const auto edge = [&](base::Operand operand) {
                        return edges_[operand.index] ^ (operand.weight < 0);
                    };
                    return graph_.multiplexer(edge(x[i]), edge(x[1 - i]), edge(y[1 - j]));
                }
            }
        }
        return graph_.disjunction(a, b);
    }

    Edge sign(std::span<const base::Operand> operands, int offset) {
        circuit::AffineTerm term{{operands.begin(), operands.end()}, offset};
        const circuit::SignReduction reduction = circuit::canonicalise_sign(term);
        switch (reduction.kind) {
            case circuit::SignKind::constant:
                return Edge::constant(reduction.negated);
            case circuit::SignKind::literal:
                return edges_[term.operands.front().index] ^ reduction.negated;
            case circuit::SignKind::gate:
                return term_edge(term) ^ reduction.negated;
            case circuit::SignKind::invalid:
                break;
        }
        throw Error(ErrorKind::circuit, "the optimiser meets a gate whose phase may be 0 or 1/2");
    }

    /// E2 of the light operands, then XORs; see the family in docs/fast_circuits.md.
    Edge term_edge(const circuit::AffineTerm& term) {
        std::vector<Edge> light;
        Edge parity = Edge::constant(false);
        int heavy = 0;
        for (const base::Operand& operand : term.operands) {
            if (operand.weight == 2) {
                parity = graph_.exclusive_or(parity, edges_[operand.index]);
                ++heavy;
            } else {
                light.push_back(edges_[operand.index] ^ (operand.weight < 0));
            }
        }
        const int natural = light.empty() ? 2 * (heavy - 1) : static_cast<int>(light.size()) + 2 * heavy - 3;
        const int difference = circuit::reduce_eighths(term.offset - natural);
        Edge out = parity;
        if (!light.empty()) out = graph_.exclusive_or(out, light_edge(light, difference % 4 != 0));
        return out ^ (difference == 4 || difference == -2);
    }

    /// E2(light), or E2(light) ^ parity(light): bit 1 of the popcount, or of the popcount plus 1.
    Edge light_edge(const std::vector<Edge>& light, bool with_parity) {
        if (light.size() == 2)
            return with_parity ? graph_.disjunction(light[0], light[1])
                               : graph_.conjunction(light[0], light[1]);
        Edge out = graph_.pairwise(light);
        if (with_parity) {
            for (const Edge edge : light) out = graph_.exclusive_or(out, edge);
        }
        return out;
    }

    const circuit::Circuit& circuit_;
    LogicGraph graph_;
    std::vector<Edge> edges_;
};

/// Copies a graph root by root.
class Rebuilder {
 public:
    Rebuilder(const LogicGraph& old, const RebuildOptions& options)
        : old_(old),
          options_(options),
          fanouts_(old.fanouts()),
          graph_(old.leaves()),
          edges_(old.size()),
          inner_(old.size(), false) {}

    LogicGraph run() {
        for (std::uint32_t i = 0; i <= old_.leaves(); ++i) edges_[i] = Edge(i, false);
        mark_inner();
        const std::vector<bool> needed = needed_nodes();
        for (std::uint32_t i = old_.leaves() + 1; i < old_.size(); ++i) {
            if (needed[i] && !inner_[i]) edges_[i] = node_edge(i);
        }
        for (const Edge root : old_.roots) graph_.roots.push_back(mapped(root));
        return std::move(graph_);
    }

 private:
    using Kind = LogicGraph::Kind;

    [[nodiscard]] Edge mapped(Edge edge) const { return edges_[edge.node()] ^ edge.negated(); }
    [[nodiscard]] bool is_balanced(Kind kind) const {
        return kind == Kind::conjunction ? options_.balance_conjunctions : options_.balance_exclusive_ors;
    }

    /// Nodes inside a tree of their kind: one reader, of the same kind, through a plain edge.
    void mark_inner() {
        for (const LogicGraph::Node& node : old_.nodes()) {
            if (node.kind != Kind::conjunction && node.kind != Kind::exclusive_or) continue;
            for (const Edge edge : {node.first, node.second}) {
                inner_[edge.node()] = old_.nodes()[edge.node()].kind == node.kind &&
                                      fanouts_[edge.node()] == 1 && !edge.negated() && is_balanced(node.kind);
            }
        }
        for (const Edge root : old_.roots) inner_[root.node()] = false;
    }
    [[nodiscard]] std::vector<bool> needed_nodes() const {
        std::vector<bool> needed(old_.size(), false);
        for (const Edge root : old_.roots) needed[root.node()] = true;
        for (std::uint32_t i = old_.size(); i-- > old_.leaves() + 1;) {
            if (!needed[i]) continue;
            needed[old_.nodes()[i].first.node()] = true;
            needed[old_.nodes()[i].second.node()] = true;
        }
        return needed;
    }

    std::uint32_t level(Edge edge) {
        for (std::uint32_t i = static_cast<std::uint32_t>(levels_.size()); i < graph_.size(); ++i) {
            const LogicGraph::Node& node = graph_.nodes()[i];
            const bool is_gate = node.kind == Kind::conjunction || node.kind == Kind::exclusive_or;
            levels_.push_back(is_gate ? 1 + std::max(levels_[node.first.node()], levels_[node.second.node()])
                                      : 0);
        }
        return levels_[edge.node()];
    }

    Edge combine(Kind kind, Edge a, Edge b) {
        return kind == Kind::conjunction ? graph_.conjunction(a, b) : graph_.exclusive_or(a, b);
    }

    bool multiplexer_edge(const LogicGraph::Node& node, Edge& out) {
        if (node.kind != Kind::conjunction || !node.first.negated() || !node.second.negated()) return false;
        if (fanouts_[node.first.node()] != 1 || fanouts_[node.second.node()] != 1) return false;
        const LogicGraph::Node& x = old_.nodes()[node.first.node()];
        const LogicGraph::Node& y = old_.nodes()[node.second.node()];
        if (x.kind != Kind::conjunction || y.kind != Kind::conjunction) return false;
        for (const auto& [p, q] : {std::pair(x.first, x.second), std::pair(x.second, x.first)}) {
            for (const auto& [r, s] : {std::pair(y.first, y.second), std::pair(y.second, y.first)}) {
                if (p != !r) continue;
                if (inner_[p.node()] || inner_[q.node()] || inner_[s.node()]) continue;
                out = !graph_.multiplexer(mapped(p), mapped(q), mapped(s));
                return true;
            }
        }
        return false;
    }

    Edge node_edge(std::uint32_t index) {
        const LogicGraph::Node& node = old_.nodes()[index];
        Edge out;
        if (options_.find_multiplexers && multiplexer_edge(node, out)) return out;
        if (!is_balanced(node.kind)) return combine(node.kind, mapped(node.first), mapped(node.second));
        std::vector<Edge> leaves;
        std::vector<Edge> open{node.second, node.first};
        while (!open.empty()) {
            const Edge edge = open.back();
            open.pop_back();
            if (!inner_[edge.node()]) {
                leaves.push_back(mapped(edge));
                continue;
            }
            open.push_back(old_.nodes()[edge.node()].second);
            open.push_back(old_.nodes()[edge.node()].first);
        }
        // The two earliest first; equal levels in order, so that the result is the same every time.
        using Item = std::pair<std::uint32_t, std::uint32_t>;  // level, number
        std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
        for (std::uint32_t i = 0; i < leaves.size(); ++i) queue.emplace(level(leaves[i]), i);
        while (queue.size() > 1) {
            const Edge a = leaves[queue.top().second];
            queue.pop();
            const Edge b = leaves[queue.top().second];
            queue.pop();
            leaves.push_back(combine(node.kind, a, b));
            queue.emplace(level(leaves.back()), static_cast<std::uint32_t>(leaves.size() - 1));
        }
        return leaves[queue.top().second];
    }

    const LogicGraph& old_;
    const RebuildOptions& options_;
    std::vector<std::uint32_t> fanouts_;
    LogicGraph graph_;
    std::vector<Edge> edges_;
    std::vector<bool> inner_;
    std::vector<std::uint32_t> levels_;
};

}  // namespace

LogicGraph to_logic_graph(const circuit::Circuit& circuit) {
    return Importer(circuit).run();
}

LogicGraph rebuild(const LogicGraph& graph, const RebuildOptions& options) {
    return Rebuilder(graph, options).run();
}

}  // namespace toroid::compiler
