// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/exclusive_inputs.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace toroid::compiler {
namespace {

using Kind = LogicGraph::Kind;

constexpr std::size_t window_leaves = 10;
constexpr std::size_t window_words = std::size_t{1} << (window_leaves - 6);
constexpr std::size_t most_window_gates = 64;
constexpr std::size_t simulated_words = 16;
constexpr std::uint32_t nodes_between_checkpoints = 1024;
constexpr std::array<std::uint64_t, 6> variable_mask = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                        0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                        0xffff0000ffff0000, 0xffffffff00000000};

/// Which pairs of values (first, second) a gate's inputs may take, bit first + 2 second.
constexpr unsigned all_pairs = 0b1111;

using Words = std::array<std::uint64_t, simulated_words>;
static_assert(window_words <= simulated_words);

unsigned seen_pairs(const Words& x, const Words& y, std::size_t words) {
    unsigned seen = 0;
    for (std::size_t w = 0; w < words && seen != all_pairs; ++w) {
        if ((~x[w] & ~y[w]) != 0) seen |= 1;
        if ((x[w] & ~y[w]) != 0) seen |= 2;
        if ((~x[w] & y[w]) != 0) seen |= 4;
        if ((x[w] & y[w]) != 0) seen |= 8;
    }
    return seen;
}

class ExclusionFinder {
 public:
    ExclusionFinder(const LogicGraph& graph, const std::function<void()>& checkpoint)
        : old_(graph),
          checkpoint_(checkpoint),
          out_(graph.leaves()),
          edges_(graph.size()),
          place_(graph.size(), 0) {}

    LogicGraph run() {
        simulate();
        for (std::uint32_t i = 0; i <= old_.leaves(); ++i) edges_[i] = Edge(i, false);
        for (std::uint32_t i = old_.leaves() + 1; i < old_.size(); ++i) {
            if (checkpoint_ && i % nodes_between_checkpoints == 0) checkpoint_();
            const LogicGraph::Node& node = old_.nodes()[i];
            const Edge a = edges_[node.first.node()] ^ node.first.negated();
            const Edge b = edges_[node.second.node()] ^ node.second.negated();
            edges_[i] = node.kind == Kind::conjunction ? conjunction(node, a, b) : out_.exclusive_or(a, b);
        }
        for (const Edge root : old_.roots) out_.roots.push_back(edges_[root.node()] ^ root.negated());
        return std::move(out_);
    }

 private:
    [[nodiscard]] bool is_gate(std::uint32_t node) const {
        const Kind kind = old_.nodes()[node].kind;
        return kind == Kind::conjunction || kind == Kind::exclusive_or;
    }
    void evaluate(const LogicGraph::Node& node, const Words& x, const Words& y, Words& out,
                  std::size_t words) const {
        const std::uint64_t negate_x = node.first.negated() ? ~std::uint64_t{0} : 0;
        const std::uint64_t negate_y = node.second.negated() ? ~std::uint64_t{0} : 0;
        for (std::size_t w = 0; w < words; ++w) {
            const std::uint64_t a = x[w] ^ negate_x;
            const std::uint64_t b = y[w] ^ negate_y;
            out[w] = node.kind == Kind::conjunction ? a & b : a ^ b;
        }
    }

    void simulate() {
        values_.resize(old_.size());
        std::uint64_t state = 0x243f6a8885a308d3ULL;
        values_[0].fill(0);
        for (std::uint32_t i = 1; i < old_.size(); ++i) {
            if (is_gate(i)) {
                const LogicGraph::Node& node = old_.nodes()[i];
                evaluate(node, values_[node.first.node()], values_[node.second.node()], values_[i],
                         simulated_words);
                continue;
            }
            for (std::uint64_t& word : values_[i]) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                word = state;
            }
        }
    }

    Edge conjunction(const LogicGraph::Node& node, Edge a, Edge b) {
        const unsigned simulated =
            seen_pairs(values_[node.first.node()], values_[node.second.node()], simulated_words);
        if (simulated == all_pairs) return out_.conjunction(a, b);
        const unsigned possible = possible_pairs(node.first.node(), node.second.node());
        // In terms of the edges: pairs of values (a, b).
        unsigned pairs = 0;
        for (unsigned pair = 0; pair < 4; ++pair) {
            const unsigned flip = (node.first.negated() ? 1U : 0U) | (node.second.negated() ? 2U : 0U);
            if ((possible >> pair & 1) != 0) pairs |= 1U << (pair ^ flip);
        }
        if ((pairs & 8) == 0) return Edge::constant(false);
        if ((pairs & 2) == 0) return a;  // never (1, 0): a implies b
        if ((pairs & 4) == 0) return b;
        if ((pairs & 1) == 0) return !out_.exclusive_or(a, b);  // one of them is 1
        return out_.conjunction(a, b);
    }

    /// Of the nodes' values, over all values of a window that reaches as far back as its leaves allow.
    unsigned possible_pairs(std::uint32_t x, std::uint32_t y) {
        std::vector<std::uint32_t> leaves{x};
        if (y != x) leaves.push_back(y);
        std::vector<std::uint32_t> inside;
        while (inside.size() < most_window_gates) {
            // The gate that adds the fewest leaves, the latest of these.
            std::size_t best = leaves.size();
            int best_added = static_cast<int>(window_leaves - leaves.size()) + 1;
            for (std::size_t i = 0; i < leaves.size(); ++i) {
                if (!is_gate(leaves[i])) continue;
                const LogicGraph::Node& node = old_.nodes()[leaves[i]];
                int added = -1;
                for (const Edge edge : {node.first, node.second})
                    added +=
                        std::ranges::find(leaves, edge.node()) == leaves.end() && edge.node() != 0 ? 1 : 0;
                if (added > best_added ||
                    (added == best_added && (best == leaves.size() || leaves[i] < leaves[best])))
                    continue;
                if (static_cast<int>(leaves.size()) + added > static_cast<int>(window_leaves)) continue;
                best = i;
                best_added = added;
            }
            if (best == leaves.size()) break;
            const std::uint32_t expanded = leaves[best];
            leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(best));
            inside.push_back(expanded);
            for (const Edge edge : {old_.nodes()[expanded].first, old_.nodes()[expanded].second}) {
                const std::uint32_t next = edge.node();
                if (next != 0 && std::ranges::find(leaves, next) == leaves.end()) leaves.push_back(next);
            }
        }
        return window_pairs(x, y, leaves, inside);
    }

    unsigned window_pairs(std::uint32_t x, std::uint32_t y, const std::vector<std::uint32_t>& leaves,
                          std::vector<std::uint32_t>& inside) {
        std::ranges::sort(inside);
        tables_.resize(1 + leaves.size() + inside.size());
        tables_[0].fill(0);
        place_[0] = 0;
        std::size_t next = 1;
        for (std::size_t v = 0; v < leaves.size(); ++v, ++next) {
            place_[leaves[v]] = next;
            for (std::size_t w = 0; w < window_words; ++w) {
                tables_[next][w] = v < 6 ? variable_mask[v] : (w >> (v - 6) & 1) != 0 ? ~std::uint64_t{0} : 0;
            }
        }
        for (const std::uint32_t index : inside) {
            const LogicGraph::Node& node = old_.nodes()[index];
            place_[index] = next;
            evaluate(node, tables_[place_[node.first.node()]], tables_[place_[node.second.node()]],
                     tables_[next], window_words);
            ++next;
        }
        return seen_pairs(tables_[place_[x]], tables_[place_[y]], window_words);
    }

    const LogicGraph& old_;
    const std::function<void()>& checkpoint_;
    LogicGraph out_;
    std::vector<Edge> edges_;
    std::vector<Words> values_;
    std::vector<Words> tables_;
    std::vector<std::size_t> place_;  ///< of a node's table in the window at hand
};

}  // namespace

LogicGraph use_exclusive_inputs(const LogicGraph& graph, const std::function<void()>& checkpoint) {
    return ExclusionFinder(graph, checkpoint).run();
}

}  // namespace toroid::compiler
