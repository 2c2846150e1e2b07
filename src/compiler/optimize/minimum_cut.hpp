// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace toroid::compiler {

/// Directed edges with capacities, and the cheapest set of them whose removal parts two nodes (E. Dinic's
/// blocking flows, 1970).
class MinimumCut {
 public:
    /// All other capacities together must be less than half of it.
    static constexpr std::int64_t uncuttable = std::int64_t{1} << 50;

    explicit MinimumCut(std::uint32_t nodes) : edges_of_(nodes) {}

    void add_edge(std::uint32_t from, std::uint32_t to, std::int64_t capacity);
    /// For each node whether it is on the source's side of a cheapest cut; nothing if each cut has an
    /// uncuttable edge. At most once.
    [[nodiscard]] std::optional<std::vector<bool>> source_side(std::uint32_t source, std::uint32_t sink);

 private:
    /// Capacity that is left; edge i ^ 1 is the same one backwards.
    struct Edge {
        std::uint32_t to = 0;
        std::int64_t capacity = 0;
    };

    void find_distances(std::uint32_t source);
    [[nodiscard]] std::int64_t augment(std::uint32_t source, std::uint32_t sink);

    std::vector<Edge> edges_;
    std::vector<std::vector<std::uint32_t>> edges_of_;
    std::vector<std::uint32_t> distance_;
    std::vector<std::size_t> next_;  ///< edges of a node that are not used up
    std::vector<std::uint32_t> path_;
};

}  // namespace toroid::compiler
