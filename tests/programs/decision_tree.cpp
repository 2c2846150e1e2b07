// SPDX-License-Identifier: Apache-2.0
// A tree kept in a constant table, walked down by an encrypted sample: every step reads at an encrypted place.
#include <array>
#include <cstdint>

namespace {

struct Node {
    std::uint8_t feature;
    std::int16_t threshold;
    std::int8_t left, right;  // below 0: the class, inverted
};

constexpr std::array<Node, 7> nodes{{{0, 20, 1, 2}, {1, -5, 3, 4}, {2, 100, 5, 6}, {3, 0, ~0, ~1}, {0, 10, ~2, ~0},
                                     {1, 50, ~1, ~3}, {3, -30, ~3, ~2}}};

}  // namespace

std::uint8_t classify(const std::int16_t (&sample)[4]) {
    std::int8_t at = 0;
    for (int depth = 0; depth < 3 && at >= 0; ++depth) {
        const Node& node = nodes[static_cast<std::uint8_t>(at) % 7];
        at = sample[node.feature & 3] < node.threshold ? node.left : node.right;
    }
    return static_cast<std::uint8_t>(~at);
}
