// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/timed_network.hpp"

#include <iterator>

#include "compiler/optimize/parity_absorption.hpp"

namespace toroid::compiler {
namespace {

using Node = GateNetwork::Node;
using Kind = GateNetwork::Kind;

/// The level at which gates of up to `width` operands have brought sorted arrivals down to `left` wires. No
/// tree is better, and Huffman's way to merge reaches it (M. Golumbic, "Combinatorial merging", IEEE Trans.
/// Computers, 1976).
std::uint32_t merged_level(std::span<const std::uint32_t> arrivals, std::size_t width, std::size_t left) {
    std::uint32_t level = arrivals.front();
    std::size_t next = 0;
    std::size_t wires = 0;
    for (;;) {
        for (; next < arrivals.size() && arrivals[next] <= level; ++next) ++wires;
        if (next == arrivals.size() && wires <= left) return level;
        if (wires == 1) {
            level = arrivals[next];
        } else {
            wires = (wires + width - 1) / width;
            ++level;
        }
    }
}

GateNetwork with_cores_apart(const GateNetwork& network, int weight_limit) {
    GateNetwork out = cleaned(network);
    const std::uint32_t size = out.size();
    for (std::uint32_t index = 0; index < size; ++index) {
        Node node = out.nodes[index];
        if (node.kind != Kind::gate || node.light.empty() ||
            room_beside(node.light.size(), weight_limit) != 0)
            continue;
        const std::vector<std::uint32_t> outer = outer_members(node);
        if (outer.empty()) continue;
        Node core;
        core.kind = Kind::gate;
        core.light = std::move(node.light);
        core.heavy = symmetric_difference(node.heavy, outer);
        out.nodes.push_back(std::move(core));
        node.light.clear();
        node.heavy = outer;
        node.heavy.push_back(out.size() - 1);
        out.nodes[index] = std::move(node);
    }
    return cleaned(out);
}

}  // namespace

std::vector<std::uint32_t> outer_members(const Node& node) {
    std::vector<std::uint32_t> out;
    std::ranges::set_difference(node.heavy, node.light, std::back_inserter(out));
    return out;
}

TimedNetwork::TimedNetwork(const GateNetwork& network, int weight_limit, std::uint32_t depth_limit)
    : network_(with_cores_apart(network, weight_limit)),
      weight_limit_(static_cast<std::size_t>(weight_limit)),
      order_(topological_nodes(network_)),
      arrival_(network_.nodes.size(), 0),
      required_(network_.nodes.size(), any_depth),
      readers_(network_.nodes.size()),
      is_root_(network_.nodes.size(), false) {
    for (const Edge root : network_.roots) is_root_[root.node()] = true;
    for (const std::uint32_t index : order_) {
        connect(index);
        arrival_[index] = level_of(node(index));
    }
    depth_limit_ = std::max(depth_limit, depth());
    // With no limit every required time stays as it is.
    if (depth_limit_ >= any_depth) return;
    for (auto index = order_.rbegin(); index != order_.rend(); ++index)
        required_[*index] = required_of(*index);
}

std::uint32_t TimedNetwork::depth() const {
    std::uint32_t depth = 0;
    for (const Edge root : network_.roots) depth = std::max(depth, arrival_[root.node()]);
    return depth;
}

/// From the arrivals in outer_: the rules by which decompose() orders a gate's operands.
std::uint32_t TimedNetwork::gate_level(std::uint32_t light_level, bool has_light, std::size_t lights) const {
    std::ranges::sort(outer_);
    if (!has_light) return outer_.empty() ? 0 : merged_level(outer_, weight_limit_, weight_limit_) + 1;
    if (outer_.empty()) return light_level + 1;
    const std::size_t room = room_beside(lights, static_cast<int>(weight_limit_));
    if (outer_.size() <= room) return std::max(light_level, outer_.back()) + 1;
    if (room != 0 && merged_level(outer_, weight_limit_, room) <= light_level) return light_level + 1;
    if (room != 0) light_level = std::max(light_level, outer_[room - 1]);
    outer_.erase(outer_.begin(), outer_.begin() + static_cast<std::ptrdiff_t>(room));
    outer_.insert(std::ranges::upper_bound(outer_, light_level + 1), light_level + 1);
    return merged_level(outer_, weight_limit_, weight_limit_) + 1;
}

/// When `operand` must be ready for `reader` to keep its required time, all others as they are.
std::uint32_t TimedNetwork::latest_arrival(std::uint32_t reader, std::uint32_t operand) const {
    const Node& node = network_.nodes[reader];
    if (required_[reader] >= any_depth) return any_depth;
    std::uint32_t time = required_[reader] - 1;
    if (node.kind == Kind::multiplexer || node.heavy.empty()) return time;
    for (; time > arrival_[operand]; --time) {
        const std::uint32_t level =
            level_of(node, [&](std::uint32_t other) { return other == operand ? time : arrival_[other]; });
        if (level <= required_[reader]) break;
    }
    return time;
}

std::uint32_t TimedNetwork::required_of(std::uint32_t index) const {
    std::uint32_t required = is_root_[index] ? depth_limit_ : any_depth;
    for (const std::uint32_t reader : readers_[index])
        required = std::min(required, latest_arrival(reader, index));
    return required;
}

void TimedNetwork::connect(std::uint32_t index) {
    for_each_operand(node(index), [&](std::uint32_t operand) {
        if (readers_[operand].empty() || readers_[operand].back() != index)
            readers_[operand].push_back(index);
    });
}
void TimedNetwork::disconnect(std::uint32_t index) {
    for_each_operand(node(index), [&](std::uint32_t operand) { std::erase(readers_[operand], index); });
}

std::uint32_t TimedNetwork::add(Node node) {
    const std::uint32_t index = network_.size();
    arrival_.push_back(level_of(node));
    required_.push_back(any_depth);
    readers_.emplace_back();
    is_root_.push_back(false);
    network_.nodes.push_back(std::move(node));
    connect(index);
    return index;
}

void TimedNetwork::remove(std::uint32_t index) {
    disconnect(index);
    if (depth_limit_ < any_depth) {
        for_each_operand(node(index), [&](std::uint32_t operand) { outdated_.push_back(operand); });
    }
    network_.nodes[index] = Node{};
    spread_required();
}

bool TimedNetwork::replace(std::uint32_t index, Node node) {
    disconnect(index);
    std::swap(network_.nodes[index], node);
    connect(index);
    if (!spread_arrivals(index)) {
        for (auto change = changes_.rbegin(); change != changes_.rend(); ++change)
            arrival_[change->first] = change->second;
        disconnect(index);
        network_.nodes[index] = std::move(node);
        connect(index);
        return false;
    }
    if (depth_limit_ >= any_depth) return true;
    const auto mark = [&](std::uint32_t operand) { outdated_.push_back(operand); };
    for_each_operand(node, mark);
    for_each_operand(network_.nodes[index], mark);
    for (const auto& change : changes_) {
        for (const std::uint32_t reader : readers_[change.first])
            for_each_operand(network_.nodes[reader], mark);
    }
    spread_required();
    return true;
}

/// False if a root is later than the limit; changes_ says what was before.
bool TimedNetwork::spread_arrivals(std::uint32_t index) {
    changes_.clear();
    open_.assign(1, index);
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const std::uint32_t now = open_[i];
        const std::uint32_t level = level_of(node(now));
        if (level == arrival_[now]) continue;
        if (is_root_[now] && level > depth_limit_) return false;
        changes_.emplace_back(now, arrival_[now]);
        arrival_[now] = level;
        open_.insert(open_.end(), readers_[now].begin(), readers_[now].end());
    }
    return true;
}

void TimedNetwork::spread_required() {
    for (std::size_t i = 0; i < outdated_.size(); ++i) {
        const std::uint32_t index = outdated_[i];
        const std::uint32_t required = required_of(index);
        if (required == required_[index]) continue;
        required_[index] = required;
        for_each_operand(node(index), [&](std::uint32_t operand) { outdated_.push_back(operand); });
    }
    outdated_.clear();
}

}  // namespace toroid::compiler
