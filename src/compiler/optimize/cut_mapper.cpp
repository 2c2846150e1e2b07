// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/cut_mapper.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "compiler/optimize/cut_match.hpp"

namespace toroid::compiler {
namespace {

constexpr std::size_t most_cuts = 24;  ///< a node; three-input cuts rarely are more
constexpr std::uint32_t far_away = std::numeric_limits<std::uint32_t>::max() / 2;
constexpr std::uint32_t nodes_between_checkpoints = 4096;

struct Cut {
    std::array<std::uint32_t, 3> leaves{};
    std::uint8_t size = 0;
    std::uint8_t table = 0;

    [[nodiscard]] std::span<const std::uint32_t> members() const { return std::span(leaves).first(size); }
};

/// The table of a function of the members of `from`, over those of `to`, which contain them.
unsigned stretch(const Cut& from, const Cut& to) {
    std::array<unsigned, 3> place{};
    for (unsigned i = 0, j = 0; i < from.size; ++i) {
        while (to.leaves[j] != from.leaves[i]) ++j;
        place[i] = j;
    }
    unsigned table = 0;
    for (unsigned index = 0; index < 8; ++index) {
        unsigned source = 0;
        for (unsigned i = 0; i < from.size; ++i) source |= (index >> place[i] & 1) << i;
        table |= (from.table >> source & 1U) << index;
    }
    return table;
}

bool merge(const Cut& a, const Cut& b, Cut& out) {
    std::size_t i = 0;
    std::size_t j = 0;
    out.size = 0;
    while (i < a.size || j < b.size) {
        if (out.size == out.leaves.size()) return false;
        if (j == b.size || (i < a.size && a.leaves[i] < b.leaves[j])) {
            out.leaves[out.size++] = a.leaves[i++];
        } else {
            if (i < a.size && a.leaves[i] == b.leaves[j]) ++i;
            out.leaves[out.size++] = b.leaves[j++];
        }
    }
    return true;
}

class Mapper {
 public:
    Mapper(const LogicGraph& graph, const CutMapperOptions& options)
        : graph_(graph),
          options_(options),
          cuts_(graph.size()),
          best_(graph.size(), 0),
          arrival_(graph.size(), 0),
          required_(graph.size(), far_away),
          flow_(graph.size(), 0),
          references_(graph.size(), 0) {}

    GateNetwork run() {
        enumerate();
        const std::vector<std::uint32_t> fanouts = graph_.fanouts();
        for (std::uint32_t i = 0; i < graph_.size(); ++i)
            share_.push_back(std::max(1.0F, static_cast<float>(fanouts[i])));
        choose(options_.depth_limit > 0 ? Order::depth : Order::flow);
        const std::uint32_t limit =
            options_.depth_limit > 0 ? static_cast<std::uint32_t>(options_.depth_limit * depth()) : far_away;
        for (int pass = 0; pass < 3; ++pass) {
            cover(limit);
            refine_share(fanouts);
            choose(Order::flow);
        }
        for (int pass = 0; pass < 4; ++pass) {
            cover(limit);
            exact_area();
        }
        if (options_.depth_limit == 0) {
            // The depth that came out, and then whatever area is left to be had within it, or less of it for
            // nothing.
            for (int pass = 0; pass < 2; ++pass) {
                cover(depth());
                exact_area();
            }
        }
        cover(far_away);
        return build();
    }

 private:
    enum class Order : std::uint8_t { depth, flow };

    [[nodiscard]] bool is_gate(std::uint32_t node) const {
        const LogicGraph::Kind kind = graph_.nodes()[node].kind;
        return kind == LogicGraph::Kind::conjunction || kind == LogicGraph::Kind::exclusive_or;
    }
    [[nodiscard]] std::uint32_t cost(const Cut& cut) const {
        const CutMatch& match = cut_matches()[cut.table];
        if (match.bootstraps == CutMatch::impossible || match.weight_norm > options_.weight_limit)
            return far_away;
        if (!match.is_multiplexer) return match.bootstraps;
        return options_.multiplexer_cost == 0 ? far_away : options_.multiplexer_cost;
    }
    void check(std::uint32_t node) const {
        if (options_.checkpoint && node % nodes_between_checkpoints == 0) options_.checkpoint();
    }

    void enumerate() {
        for (std::uint32_t node = 0; node < graph_.size(); ++node) {
            check(node);
            if (is_gate(node)) enumerate(node);
            Cut trivial;
            trivial.leaves[0] = node;
            trivial.size = node == 0 ? 0 : 1;
            trivial.table = node == 0 ? 0 : 0xaa;
            cuts_[node].push_back(trivial);  // last: no implementation of the node
        }
    }

    void enumerate(std::uint32_t node) {
        const LogicGraph::Node& gate = graph_.nodes()[node];
        std::vector<Cut>& cuts = cuts_[node];
        for (const Cut& a : cuts_[gate.first.node()]) {
            for (const Cut& b : cuts_[gate.second.node()]) {
                Cut cut;
                if (cuts.size() == most_cuts || !merge(a, b, cut)) continue;
                unsigned x = stretch(a, cut);
                unsigned y = stretch(b, cut);
                if (gate.first.negated()) x = ~x & 0xff;
                if (gate.second.negated()) y = ~y & 0xff;
                cut.table =
                    static_cast<std::uint8_t>(gate.kind == LogicGraph::Kind::conjunction ? x & y : x ^ y);
                const auto is_same = [&](const Cut& other) {
                    return other.size == cut.size && other.leaves == cut.leaves;
                };
                if (std::ranges::none_of(cuts, is_same)) cuts.push_back(cut);
            }
        }
    }

    [[nodiscard]] std::uint32_t arrival(const Cut& cut) const {
        std::uint32_t out = 0;
        for (const std::uint32_t leaf : cut.members()) out = std::max(out, arrival_[leaf]);
        return out + 1;
    }
    [[nodiscard]] float flow(const Cut& cut) const {
        float sum = static_cast<float>(cost(cut));
        for (const std::uint32_t leaf : cut.members()) sum += flow_[leaf];
        return sum;
    }

    void choose(Order order) {
        for (std::uint32_t node = 0; node < graph_.size(); ++node) {
            check(node);
            if (!is_gate(node)) continue;
            bool is_first = true;
            std::uint32_t best_arrival = 0;
            float best_flow = 0;
            for (std::uint32_t c = 0; c + 1 < cuts_[node].size(); ++c) {
                const Cut& cut = cuts_[node][c];
                if (cost(cut) == far_away) continue;
                const std::uint32_t time = arrival(cut);
                const float area = flow(cut);
                const bool fits = time <= required_[node];
                bool better = is_first;
                if (!is_first && order == Order::depth) {
                    better = time < best_arrival || (time == best_arrival && area < best_flow - slight);
                } else if (!is_first) {
                    const bool best_fits = best_arrival <= required_[node];
                    better = fits && (!best_fits || area < best_flow - slight ||
                                      (area < best_flow + slight && time < best_arrival));
                    if (!fits && !best_fits) better = time < best_arrival;
                }
                if (!better) continue;
                is_first = false;
                best_[node] = c;
                best_arrival = time;
                best_flow = area;
            }
            arrival_[node] = best_arrival;
            flow_[node] = best_flow / share_[node];
        }
    }

    [[nodiscard]] std::uint32_t depth() const {
        std::uint32_t out = 0;
        for (const Edge root : graph_.roots) out = std::max(out, arrival_[root.node()]);
        return out;
    }
    [[nodiscard]] const Cut& best(std::uint32_t node) const { return cuts_[node][best_[node]]; }

    /// Counts readers of the nodes in use and sets required times for this depth.
    void cover(std::uint32_t limit) {
        std::ranges::fill(references_, 0U);
        std::ranges::fill(required_, far_away);
        for (const Edge root : graph_.roots) {
            ++references_[root.node()];
            required_[root.node()] = std::min(required_[root.node()], limit);
        }
        for (std::uint32_t node = graph_.size(); node-- > 0;) {
            if (references_[node] == 0 || !is_gate(node)) continue;
            for (const std::uint32_t leaf : best(node).members()) {
                ++references_[leaf];
                required_[leaf] = std::min(required_[leaf], required_[node] - 1);
            }
        }
    }

    /// Readers to share the area among: between those in the graph and those in the cover.
    void refine_share(const std::vector<std::uint32_t>& fanouts) {
        for (std::uint32_t node = 0; node < graph_.size(); ++node) {
            const auto in_graph = static_cast<float>(fanouts[node]);
            const auto in_cover = static_cast<float>(references_[node]);
            share_[node] = std::max(1.0F, (in_graph + 2 * in_cover) / 3);
        }
    }

    /// The area that becomes used (or unused) when this cut gets a reader more (or less).
    std::uint32_t take(const Cut& cut) {
        std::uint32_t area = 0;
        open_.push_back(&cut);
        while (!open_.empty()) {
            const Cut& next = *open_.back();
            open_.pop_back();
            area += cost(next);
            for (const std::uint32_t leaf : next.members()) {
                if (references_[leaf]++ == 0 && is_gate(leaf)) open_.push_back(&best(leaf));
            }
        }
        return area;
    }
    std::uint32_t drop(const Cut& cut) {
        std::uint32_t area = 0;
        open_.push_back(&cut);
        while (!open_.empty()) {
            const Cut& next = *open_.back();
            open_.pop_back();
            area += cost(next);
            for (const std::uint32_t leaf : next.members()) {
                if (--references_[leaf] == 0 && is_gate(leaf)) open_.push_back(&best(leaf));
            }
        }
        return area;
    }

    void exact_area() {
        for (std::uint32_t node = 0; node < graph_.size(); ++node) {
            check(node);
            if (!is_gate(node)) continue;
            if (references_[node] == 0) {
                arrival_[node] = arrival(best(node));
                continue;
            }
            drop(best(node));
            std::uint32_t best_cut = best_[node];
            std::uint32_t best_area = far_away;
            std::uint32_t best_arrival = far_away;
            for (std::uint32_t c = 0; c + 1 < cuts_[node].size(); ++c) {
                const Cut& cut = cuts_[node][c];
                const std::uint32_t time = arrival(cut);
                if (cost(cut) == far_away || (time > required_[node] && c != best_[node])) continue;
                const std::uint32_t area = take(cut);
                drop(cut);
                if (area < best_area || (area == best_area && time < best_arrival)) {
                    best_cut = c;
                    best_area = area;
                    best_arrival = time;
                }
            }
            best_[node] = best_cut;
            take(best(node));
            arrival_[node] = best_arrival;
        }
    }

    GateNetwork build() {
        GateNetwork out(graph_.leaves());
        std::vector<Edge> edges(graph_.size());
        for (std::uint32_t i = 0; i <= graph_.leaves(); ++i) edges[i] = Edge(i, false);
        for (std::uint32_t node = 0; node < graph_.size(); ++node) {
            if (is_gate(node) && references_[node] != 0) edges[node] = build(out, best(node), edges);
        }
        for (const Edge root : graph_.roots) out.roots.push_back(edges[root.node()] ^ root.negated());
        return out;
    }

    static Edge build(GateNetwork& out, const Cut& cut, const std::vector<Edge>& edges) {
        const CutMatch& match = cut_matches()[cut.table];
        const auto edge = [&](unsigned input) { return edges[cut.leaves[input]]; };
        if (match.is_multiplexer) {
            return out.multiplexer(edge(match.select), edge(match.if_one) ^ match.negated_if_one,
                                   edge(match.if_zero) ^ match.negated_if_zero);
        }
        std::vector<Edge> light;
        std::vector<Edge> heavy;
        for (unsigned input = 0; input < cut.size; ++input) {
            if ((match.light >> input & 1) != 0) light.push_back(edge(input));
            if ((match.heavy >> input & 1) != 0) heavy.push_back(edge(input));
        }
        return out.gate(std::move(light), std::move(heavy), match.constant);
    }

    static constexpr float slight = 1e-4F;

    const LogicGraph& graph_;
    const CutMapperOptions& options_;
    std::vector<std::vector<Cut>> cuts_;
    std::vector<std::uint32_t> best_;
    std::vector<std::uint32_t> arrival_;
    std::vector<std::uint32_t> required_;
    std::vector<float> flow_;
    std::vector<float> share_;
    std::vector<std::uint32_t> references_;
    std::vector<const Cut*> open_;
};

}  // namespace

GateNetwork map_cuts(const LogicGraph& graph, const CutMapperOptions& options) {
    return Mapper(graph, options).run();
}

}  // namespace toroid::compiler
