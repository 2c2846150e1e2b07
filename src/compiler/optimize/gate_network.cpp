// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/gate_network.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace toroid::compiler {
namespace {

constexpr std::uint32_t no_node = 0xffffffff;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 29;
}

std::uint64_t hash_of(const GateNetwork::Node& node) {
    std::uint64_t hash =
        mix(static_cast<std::uint64_t>(node.kind), static_cast<std::uint64_t>(node.negated_if_one) << 1 |
                                                       static_cast<std::uint64_t>(node.negated_if_zero));
    for (const std::uint32_t member : node.light) hash = mix(hash, member);
    hash = mix(hash, 0xffffffff);
    for (const std::uint32_t member : node.heavy) hash = mix(hash, member);
    return hash;
}

bool is_same(const GateNetwork::Node& a, const GateNetwork::Node& b) {
    return a.kind == b.kind && a.constant == b.constant && a.negated_if_one == b.negated_if_one &&
           a.negated_if_zero == b.negated_if_zero && a.light == b.light && a.heavy == b.heavy;
}

}  // namespace

GateNetwork::GateNetwork(std::uint32_t leaves) : leaves_(leaves), buckets_(1024, no_node) {
    nodes.resize(1 + std::size_t{leaves});
    for (std::uint32_t i = 0; i < leaves; ++i) nodes[1 + i].kind = Kind::leaf;
}

Edge GateNetwork::intern(Node node) {
    const bool negated = node.constant;  // equal but for c is the same gate
    node.constant = false;
    if (2 * std::size_t{interned_} >= buckets_.size()) {
        std::vector<std::uint32_t> old(buckets_.size() * 2, no_node);
        old.swap(buckets_);
        for (const std::uint32_t index : old) {
            if (index == no_node) continue;
            std::size_t at = hash_of(nodes[index]) & (buckets_.size() - 1);
            while (buckets_[at] != no_node) at = (at + 1) & (buckets_.size() - 1);
            buckets_[at] = index;
        }
    }
    std::size_t at = hash_of(node) & (buckets_.size() - 1);
    for (; buckets_[at] != no_node; at = (at + 1) & (buckets_.size() - 1)) {
        if (is_same(nodes[buckets_[at]], node)) return {buckets_[at], negated};
    }
    buckets_[at] = size();
    ++interned_;
    nodes.push_back(std::move(node));
    return {size() - 1, negated};
}

Edge GateNetwork::gate(std::vector<Edge> light, std::vector<Edge> heavy, bool c) {
    // A input that is 0 goes; 1 adds the others to L; a negated one is plain with the others in L; two equal
    // ones are that input in L: E2(a, a, R) = a ^ E2(R).
    std::sort(light.begin(), light.end(), [](Edge a, Edge b) { return a.code() < b.code(); });
    for (std::size_t i = 0; i < light.size();) {
        const Edge edge = light[i];
        const bool is_pair = i + 1 < light.size() && light[i + 1] == edge;
        if (is_pair && edge.node() != 0) {
            light.erase(light.begin() + static_cast<std::ptrdiff_t>(i),
                        light.begin() + static_cast<std::ptrdiff_t>(i) + 2);
            heavy.push_back(edge);
            continue;
        }
        if (edge.node() != 0 && !edge.negated()) {
            ++i;
            continue;
        }
        light.erase(light.begin() + static_cast<std::ptrdiff_t>(i));
        if (edge.negated()) heavy.insert(heavy.end(), light.begin(), light.end());
        if (edge.node() == 0) continue;
        // Plain, it may meet its double, which stands just before it.
        if (i > 0 && light[i - 1] == !edge) {
            heavy.push_back(!edge);
            light.erase(light.begin() + static_cast<std::ptrdiff_t>(i) - 1);
            --i;
        } else {
            light.insert(light.begin() + static_cast<std::ptrdiff_t>(i), !edge);
            ++i;
        }
    }
    Node node;
    node.kind = Kind::gate;
    node.constant = c;
    for (const Edge edge : heavy) {
        node.constant ^= edge.negated();
        if (edge.node() != 0) node.heavy.push_back(edge.node());
    }
    reduce_parity(node.heavy);
    if (light.size() > 1) {
        for (const Edge edge : light) node.light.push_back(edge.node());
    }
    if (node.light.empty() && node.heavy.empty()) return Edge::constant(node.constant);
    if (node.light.empty() && node.heavy.size() == 1) return {node.heavy.front(), node.constant};
    return intern(std::move(node));
}

Edge GateNetwork::multiplexer(Edge select, Edge if_one, Edge if_zero) {
    if (select.negated()) {
        select = !select;
        std::swap(if_one, if_zero);
    }
    if (select.node() == if_one.node()) if_one = Edge::constant(!if_one.negated());
    if (select.node() == if_zero.node()) if_zero = Edge::constant(if_zero.negated());
    if (select.node() == 0 || if_one == if_zero) return if_zero;
    if (if_one == !if_zero) return gate({}, {select, if_zero}, false);
    if (if_one.node() == 0) {  // 1: select | if_zero; 0: !select & if_zero
        return if_one.negated() ? !gate({!select, !if_zero}, {}, false) : gate({!select, if_zero}, {}, false);
    }
    if (if_zero.node() == 0) {
        return if_zero.negated() ? !gate({select, !if_one}, {}, false) : gate({select, if_one}, {}, false);
    }
    Node node;
    node.kind = Kind::multiplexer;
    node.constant = if_one.negated();
    node.negated_if_zero = if_one.negated() != if_zero.negated();
    node.light = {select.node(), if_one.node(), if_zero.node()};
    return intern(std::move(node));
}

void reduce_parity(std::vector<std::uint32_t>& members) {
    std::ranges::sort(members);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < members.size();) {
        if (i + 1 < members.size() && members[i] == members[i + 1]) {
            i += 2;
        } else {
            members[kept++] = members[i++];
        }
    }
    members.resize(kept);
}

std::vector<std::uint32_t> symmetric_difference(const std::vector<std::uint32_t>& a,
                                                const std::vector<std::uint32_t>& b) {
    std::vector<std::uint32_t> out;
    out.reserve(a.size() + b.size());
    std::ranges::set_symmetric_difference(a, b, std::back_inserter(out));
    return out;
}

std::uint32_t outer_count(const GateNetwork::Node& node) {
    std::uint32_t count = 0;
    auto light = node.light.begin();
    for (const std::uint32_t member : node.heavy) {
        while (light != node.light.end() && *light < member) ++light;
        if (light == node.light.end() || *light != member) ++count;
    }
    return count;
}

std::uint32_t weight_norm(const GateNetwork::Node& node) {
    if (node.kind != GateNetwork::Kind::gate) return 0;
    if (node.light.empty()) return static_cast<std::uint32_t>(node.heavy.size());
    return static_cast<std::uint32_t>(node.light.size()) + 4 * outer_count(node);
}

std::vector<std::uint32_t> topological_nodes(const GateNetwork& network) {
    std::vector<std::uint8_t> state(network.nodes.size(), 0);
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> open;
    for (const Edge root : network.roots) {
        open.push_back(root.node());
        while (!open.empty()) {
            const std::uint32_t index = open.back();
            if (state[index] != 0) {
                if (state[index] == 1) {
                    state[index] = 2;
                    order.push_back(index);
                }
                open.pop_back();
                continue;
            }
            state[index] = 1;
            for_each_operand(network.nodes[index], [&](std::uint32_t operand) {
                if (state[operand] == 0) open.push_back(operand);
            });
        }
    }
    return order;
}

std::vector<std::uint32_t> network_levels(const GateNetwork& network,
                                          const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> levels(network.nodes.size(), 0);
    for (const std::uint32_t index : order) {
        const GateNetwork::Node& node = network.nodes[index];
        if (node.kind == GateNetwork::Kind::constant || node.kind == GateNetwork::Kind::leaf) continue;
        std::uint32_t level = 0;
        for_each_operand(node, [&](std::uint32_t operand) { level = std::max(level, levels[operand]); });
        levels[index] = level + 1;
    }
    return levels;
}

std::uint64_t network_bootstraps(const GateNetwork& network, const std::vector<std::uint32_t>& order) {
    std::uint64_t sum = 0;
    for (const std::uint32_t index : order) {
        const GateNetwork::Kind kind = network.nodes[index].kind;
        sum += kind == GateNetwork::Kind::gate ? 1U : kind == GateNetwork::Kind::multiplexer ? 2U : 0U;
    }
    return sum;
}

GateNetwork cleaned(const GateNetwork& network) {
    GateNetwork out(network.leaves());
    std::vector<Edge> edges(network.nodes.size());
    for (std::uint32_t i = 0; i <= network.leaves(); ++i) edges[i] = Edge(i, false);
    std::vector<Edge> light;
    std::vector<Edge> heavy;
    for (const std::uint32_t index : topological_nodes(network)) {
        const GateNetwork::Node& node = network.nodes[index];
        light.clear();
        heavy.clear();
        for (const std::uint32_t member : node.light) light.push_back(edges[member]);
        for (const std::uint32_t member : node.heavy) heavy.push_back(edges[member]);
        if (node.kind == GateNetwork::Kind::gate) {
            edges[index] = out.gate(light, heavy, node.constant);
        } else if (node.kind == GateNetwork::Kind::multiplexer) {
            edges[index] =
                out.multiplexer(light[0], light[1] ^ node.negated_if_one, light[2] ^ node.negated_if_zero) ^
                node.constant;
        }
    }
    for (const Edge root : network.roots) out.roots.push_back(edges[root.node()] ^ root.negated());
    return out;
}

}  // namespace toroid::compiler
