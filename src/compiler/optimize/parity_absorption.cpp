// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/parity_absorption.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace toroid::compiler {
namespace {

using Node = GateNetwork::Node;
using Kind = GateNetwork::Kind;

constexpr std::uint32_t steps_between_checkpoints = 4096;

std::size_t divide_up(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

class Absorber {
 public:
    Absorber(const GateNetwork& network, const AbsorptionOptions& options)
        : network_(network),
          options_(options),
          readers_(network.nodes.size()),
          is_root_(network.nodes.size(), false) {
        for (const std::uint32_t index : topological_nodes(network_)) {
            if (is_gate(index) || network_.nodes[index].kind == Kind::multiplexer) order_.push_back(index);
        }
        for (const std::uint32_t index : order_) add_readers(index);
        for (const Edge root : network_.roots) is_root_[root.node()] = true;
        queued_.assign(network_.nodes.size(), false);
    }

    GateNetwork run() {
        std::vector<std::uint32_t> work = order_;
        std::vector<std::uint32_t> next;
        std::uint32_t steps = 0;
        while (!work.empty()) {
            next.clear();
            for (const std::uint32_t index : work) {
                queued_[index] = false;
                if (options_.checkpoint && steps++ % steps_between_checkpoints == 0) options_.checkpoint();
                if (try_substitute(index)) touched(next);
            }
            work.swap(next);
        }
        return cleaned(network_);
    }

 private:
    [[nodiscard]] bool is_gate(std::uint32_t index) const { return network_.nodes[index].kind == Kind::gate; }
    [[nodiscard]] static std::vector<std::uint32_t> operands(const Node& node) {
        std::vector<std::uint32_t> out = node.light;
        out.insert(out.end(), node.heavy.begin(), node.heavy.end());
        std::ranges::sort(out);
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }
    void add_readers(std::uint32_t index) {
        for (const std::uint32_t operand : operands(network_.nodes[index]))
            readers_[operand].push_back(index);
    }
    [[nodiscard]] std::uint32_t gates(const Node& node) const {
        return gates_of(node.light.size(), outer_count(node), options_.weight_limit);
    }

    /// `reader` with x replaced by what it is; false if that leaves the family.
    bool substituted(const Node& reader, std::uint32_t x, const Node& inner, Node& out) const {
        if (reader.kind != Kind::gate || std::ranges::binary_search(reader.light, x)) return false;
        out = reader;
        if (reader.light.empty()) {
            out.light = inner.light;
        } else if (!inner.light.empty()) {
            if (reader.light != inner.light) return false;
            out.light.clear();  // the pairwise ANDs cancel
        }
        out.heavy = symmetric_difference(reader.heavy, inner.heavy);
        out.heavy = symmetric_difference(out.heavy, {x});
        out.constant = reader.constant != inner.constant;
        return !out.light.empty() || out.heavy.size() > 1;
    }

    bool try_substitute(std::uint32_t x) {
        const Node& inner = network_.nodes[x];
        if (inner.kind != Kind::gate || is_root_[x] || readers_[x].empty()) return false;
        std::uint32_t before = gates(inner);
        std::uint32_t after = 0;
        made_.clear();
        for (const std::uint32_t reader : readers_[x]) {
            Node node;
            if (!substituted(network_.nodes[reader], x, inner, node) || node.heavy.size() > options_.widest)
                return false;
            before += gates(network_.nodes[reader]);
            after += gates(node);
            made_.emplace_back(reader, std::move(node));
        }
        const bool accept =
            static_cast<std::int64_t>(after) <= static_cast<std::int64_t>(before) + options_.allowed_growth;
        if (!accept) return false;
        changed_.clear();
        for (auto& [reader, node] : made_) replace(reader, std::move(node));
        for (const std::uint32_t operand : operands(network_.nodes[x])) {
            std::erase(readers_[operand], x);
            changed_.push_back(operand);
        }
        readers_[x].clear();
        network_.nodes[x] = Node{};
        return true;
    }

    void replace(std::uint32_t reader, Node node) {
        const std::vector<std::uint32_t> old = operands(network_.nodes[reader]);
        network_.nodes[reader] = std::move(node);
        const std::vector<std::uint32_t> now = operands(network_.nodes[reader]);
        for (const std::uint32_t operand : old) {
            if (!std::ranges::binary_search(now, operand)) std::erase(readers_[operand], reader);
        }
        for (const std::uint32_t operand : now) {
            if (!std::ranges::binary_search(old, operand)) readers_[operand].push_back(reader);
            changed_.push_back(operand);
        }
        changed_.push_back(reader);
    }

    void touched(std::vector<std::uint32_t>& next) {
        for (const std::uint32_t index : changed_) {
            if (queued_[index] || !is_gate(index)) continue;
            queued_[index] = true;
            next.push_back(index);
        }
    }

    GateNetwork network_;
    const AbsorptionOptions& options_;
    std::vector<std::vector<std::uint32_t>> readers_;
    std::vector<bool> is_root_;
    std::vector<bool> queued_;
    std::vector<std::uint32_t> order_;
    std::vector<std::pair<std::uint32_t, Node>> made_;
    std::vector<std::uint32_t> changed_;
};

class Decomposer {
 public:
    Decomposer(const GateNetwork& network, int weight_limit)
        : old_(network),
          limit_(static_cast<std::size_t>(weight_limit)),
          out_(network.leaves()),
          edges_(network.nodes.size()) {}

    GateNetwork run() {
        for (std::uint32_t i = 0; i <= old_.leaves(); ++i) edges_[i] = Edge(i, false);
        for (const std::uint32_t index : topological_nodes(old_)) {
            const Node& node = old_.nodes[index];
            if (node.kind == Kind::multiplexer) {
                edges_[index] =
                    out_.multiplexer(edges_[node.light[0]], edges_[node.light[1]] ^ node.negated_if_one,
                                     edges_[node.light[2]] ^ node.negated_if_zero) ^
                    node.constant;
            } else if (node.kind == Kind::gate) {
                edges_[index] = gate(node) ^ node.constant;
            }
        }
        for (const Edge root : old_.roots) out_.roots.push_back(edges_[root.node()] ^ root.negated());
        return std::move(out_);
    }

 private:
    /// Operands with their levels, the earliest on top; equal levels in order of making.
    using Item = std::pair<std::uint32_t, std::uint32_t>;
    using Queue = std::priority_queue<Item, std::vector<Item>, std::greater<>>;

    std::uint32_t level(Edge edge) {
        for (auto i = static_cast<std::uint32_t>(levels_.size()); i < out_.size(); ++i) {
            std::uint32_t level = 0;
            for_each_operand(out_.nodes[i],
                             [&](std::uint32_t operand) { level = std::max(level, levels_[operand] + 1); });
            levels_.push_back(level);
        }
        return levels_[edge.node()];
    }

    /// XORs of the earliest operands, each as wide as a gate can be but for the first, until `left` are left.
    std::vector<Edge> reduce(std::vector<Edge> operands, std::size_t left) {
        Queue queue;
        for (std::uint32_t i = 0; i < operands.size(); ++i) queue.emplace(level(operands[i]), i);
        while (queue.size() > left) {
            const std::size_t excess = queue.size() - left;
            const std::size_t step = excess % (limit_ - 1) == 0 ? limit_ - 1 : excess % (limit_ - 1);
            std::vector<Edge> inputs;
            for (std::size_t i = 0; i < step + 1; ++i) {
                inputs.push_back(operands[queue.top().second]);
                queue.pop();
            }
            operands.push_back(out_.gate({}, std::move(inputs), false));
            queue.emplace(level(operands.back()), static_cast<std::uint32_t>(operands.size() - 1));
        }
        std::vector<Edge> out;
        for (; !queue.empty(); queue.pop()) out.push_back(operands[queue.top().second]);
        return out;
    }

    Edge gate(const Node& node) {
        std::vector<Edge> light;
        std::vector<Edge> inner;
        std::vector<Edge> outer;
        for (const std::uint32_t member : node.light) light.push_back(edges_[member]);
        for (const std::uint32_t member : node.heavy)
            (std::ranges::binary_search(node.light, member) ? inner : outer).push_back(edges_[member]);
        const std::size_t room = light.empty() ? limit_ : room_beside(light.size(), static_cast<int>(limit_));
        const auto with = [&](const std::vector<Edge>& heavy) {
            std::vector<Edge> all = inner;
            all.insert(all.end(), heavy.begin(), heavy.end());
            return out_.gate(light, std::move(all), false);
        };
        if (outer.size() <= room) return with(outer);
        if (light.empty()) return out_.gate({}, reduce(std::move(outer), limit_), false);
        std::uint32_t light_level = 0;
        for (const Edge edge : light) light_level = std::max(light_level, level(edge));
        // The pairwise ANDs come last if they are late, first if early; both take the same number of gates.
        if (room != 0) {
            std::vector<Edge> reduced = reduce(outer, room);
            std::uint32_t latest = light_level;
            for (const Edge edge : reduced) latest = std::max(latest, level(edge));
            if (latest == light_level) return with(reduced);
        }
        std::ranges::stable_sort(outer, {}, [&](Edge edge) { return level(edge); });
        const auto taken = static_cast<std::ptrdiff_t>(room);
        std::vector<Edge> operands(outer.begin() + taken, outer.end());
        operands.push_back(with({outer.begin(), outer.begin() + taken}));
        return reduce(std::move(operands), 1).front();
    }

    const GateNetwork& old_;
    std::size_t limit_;
    GateNetwork out_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> levels_;
};

}  // namespace

std::size_t room_beside(std::size_t lights, int weight_limit) {
    const auto limit = static_cast<std::size_t>(weight_limit);
    return lights < limit ? (limit - lights) / 4 : 0;
}

std::uint32_t gates_of(std::size_t lights, std::size_t heavies, int weight_limit) {
    const auto limit = static_cast<std::size_t>(weight_limit);
    if (lights == 0) {
        return heavies < 2 ? 0 : static_cast<std::uint32_t>(divide_up(heavies - 1, limit - 1));
    }
    const std::size_t room = room_beside(lights, weight_limit);
    if (heavies <= room) return 1;
    return static_cast<std::uint32_t>(1 + divide_up(heavies - room, limit - 1));
}

GateNetwork absorb_parities(const GateNetwork& network, const AbsorptionOptions& options) {
    return Absorber(network, options).run();
}

GateNetwork decompose(const GateNetwork& network, int weight_limit) {
    return cleaned(Decomposer(network, weight_limit).run());
}

}  // namespace toroid::compiler
