// SPDX-License-Identifier: Apache-2.0
// When each gate of a network is ready, and when it must be, if decompose() cuts long XORs into gates: the
// ground on which XORs are shared within a depth (parity_sharing.hpp) and opened for less of it
// (depth_reduction.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "compiler/optimize/gate_network.hpp"

namespace toroid::compiler {

constexpr std::uint32_t any_depth = std::numeric_limits<std::uint32_t>::max() / 2;

/// Members of L that are not in A.
[[nodiscard]] std::vector<std::uint32_t> outer_members(const GateNetwork::Node& node);

class TimedNetwork {
 public:
    using Node = GateNetwork::Node;

    /// E2(A) beside which a gate carries no further operand becomes a gate of its own, since it is one in the
    /// end. No node may be required before it is ready: `depth_limit` below depth() counts as depth().
    TimedNetwork(const GateNetwork& network, int weight_limit, std::uint32_t depth_limit);

    [[nodiscard]] const GateNetwork& network() const { return network_; }
    [[nodiscard]] const Node& node(std::uint32_t index) const { return network_.nodes[index]; }
    [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }  ///< as constructed
    [[nodiscard]] std::uint32_t depth() const;
    [[nodiscard]] std::uint32_t arrival(std::uint32_t index) const { return arrival_[index]; }
    [[nodiscard]] std::size_t reader_count(std::uint32_t index) const { return readers_[index].size(); }
    [[nodiscard]] bool is_root(std::uint32_t index) const { return is_root_[index]; }
    /// A gate that is an XOR alone.
    [[nodiscard]] bool is_parity(std::uint32_t index) const {
        return node(index).kind == GateNetwork::Kind::gate && node(index).light.empty();
    }

    /// The level of what decompose() makes of `node`, for operands that are ready at arrival_of(operand).
    template <typename Arrival>
    [[nodiscard]] std::uint32_t level_of(const Node& node, Arrival arrival_of) const;
    [[nodiscard]] std::uint32_t level_of(const Node& node) const {
        return level_of(node, [this](std::uint32_t operand) { return arrival_[operand]; });
    }
    /// Whether `node` in place of `index` keeps the depth, as far as `index` alone tells.
    [[nodiscard]] bool fits(std::uint32_t index, const Node& node) const {
        return level_of(node) <= required_[index];
    }

    /// A gate that nothing reads yet.
    std::uint32_t add(Node node);
    /// False, and nothing changed, if the depth would be above the limit: readers that meet again may all be
    /// later than each of them alone might be.
    bool replace(std::uint32_t index, Node node);
    /// Nothing may read it.
    void remove(std::uint32_t index);

 private:
    [[nodiscard]] std::uint32_t gate_level(std::uint32_t light_level, bool has_light,
                                           std::size_t lights) const;
    [[nodiscard]] std::uint32_t latest_arrival(std::uint32_t reader, std::uint32_t operand) const;
    [[nodiscard]] std::uint32_t required_of(std::uint32_t index) const;
    void connect(std::uint32_t index);
    void disconnect(std::uint32_t index);
    bool spread_arrivals(std::uint32_t index);
    void spread_required();

    GateNetwork network_;
    std::size_t weight_limit_;
    std::uint32_t depth_limit_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> arrival_;
    std::vector<std::uint32_t> required_;
    std::vector<std::vector<std::uint32_t>> readers_;
    std::vector<bool> is_root_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> changes_;  ///< nodes with their old arrivals
    std::vector<std::uint32_t> open_;
    std::vector<std::uint32_t> outdated_;  ///< nodes whose required times may differ
    mutable std::vector<std::uint32_t> outer_;
};

template <typename Arrival>
std::uint32_t TimedNetwork::level_of(const Node& node, Arrival arrival_of) const {
    if (node.kind != GateNetwork::Kind::gate && node.kind != GateNetwork::Kind::multiplexer) return 0;
    std::uint32_t light_level = 0;
    for (const std::uint32_t operand : node.light) light_level = std::max(light_level, arrival_of(operand));
    outer_.clear();
    for (const std::uint32_t operand : node.heavy) {
        if (!std::ranges::binary_search(node.light, operand)) outer_.push_back(arrival_of(operand));
    }
    return gate_level(light_level, !node.light.empty(), node.light.size());
}

}  // namespace toroid::compiler
