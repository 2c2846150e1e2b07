// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/minimum_cut.hpp"

#include <algorithm>

namespace toroid::compiler {
namespace {

constexpr std::uint32_t unreachable = 0xffffffff;

}  // namespace

void MinimumCut::add_edge(std::uint32_t from, std::uint32_t to, std::int64_t capacity) {
    edges_of_[from].push_back(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back({to, capacity});
    edges_of_[to].push_back(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back({from, 0});
}

void MinimumCut::find_distances(std::uint32_t source) {
    distance_.assign(edges_of_.size(), unreachable);
    distance_[source] = 0;
    std::vector<std::uint32_t> open{source};
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const std::uint32_t index : edges_of_[open[i]]) {
            const Edge& edge = edges_[index];
            if (edge.capacity == 0 || distance_[edge.to] != unreachable) continue;
            distance_[edge.to] = distance_[open[i]] + 1;
            open.push_back(edge.to);
        }
    }
}

/// Sends what one path carries; 0 if no path by rising distance is left.
std::int64_t MinimumCut::augment(std::uint32_t source, std::uint32_t sink) {
    path_.clear();
    std::uint32_t node = source;
    while (node != sink) {
        bool is_moved = false;
        for (std::size_t& next = next_[node]; next < edges_of_[node].size(); ++next) {
            const Edge& edge = edges_[edges_of_[node][next]];
            if (edge.capacity == 0 || distance_[edge.to] != distance_[node] + 1) continue;
            path_.push_back(edges_of_[node][next]);
            node = edge.to;
            is_moved = true;
            break;
        }
        if (is_moved) continue;
        if (path_.empty()) return 0;
        node = edges_[path_.back() ^ 1].to;
        path_.pop_back();
        ++next_[node];
    }
    std::int64_t flow = uncuttable;
    for (const std::uint32_t index : path_) flow = std::min(flow, edges_[index].capacity);
    for (const std::uint32_t index : path_) {
        edges_[index].capacity -= flow;
        edges_[index ^ 1].capacity += flow;
    }
    return flow;
}

std::optional<std::vector<bool>> MinimumCut::source_side(std::uint32_t source, std::uint32_t sink) {
    for (find_distances(source); distance_[sink] != unreachable; find_distances(source)) {
        next_.assign(edges_of_.size(), 0);
        for (std::int64_t flow = 0; (flow = augment(source, sink)) != 0;) {
            // An uncuttable edge may carry what other paths have sent, but that is little.
            if (flow >= uncuttable / 2) return std::nullopt;
        }
    }
    std::vector<bool> out;
    for (const std::uint32_t distance : distance_) out.push_back(distance != unreachable);
    return out;
}

}  // namespace toroid::compiler
