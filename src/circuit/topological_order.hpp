// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace toroid::circuit {

inline constexpr std::uint32_t no_node = 0xffffffff;

struct TopologicalOrder {
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t>
        cycle;  ///< nodes of one loop, each reading the one after it; empty if there is none
};

/// Orders nodes 0..count-1 so that each comes after what it reads; an order that already does is kept.
/// `input_count(node)` and `driver(node, input)` give the node behind each input, or no_node. No recursion.
[[nodiscard]] TopologicalOrder topological_order(
    std::uint32_t count, const std::function<std::uint32_t(std::uint32_t node)>& input_count,
    const std::function<std::uint32_t(std::uint32_t node, std::uint32_t input)>& driver);

}  // namespace toroid::circuit
