// SPDX-License-Identifier: Apache-2.0
#include "circuit/topological_order.hpp"

namespace toroid::circuit {

TopologicalOrder topological_order(
    std::uint32_t count, const std::function<std::uint32_t(std::uint32_t node)>& input_count,
    const std::function<std::uint32_t(std::uint32_t node, std::uint32_t input)>& driver) {
    enum class Mark : std::uint8_t { unseen, open, done };
    struct Frame {
        std::uint32_t node;
        std::uint32_t next_input;
    };
    TopologicalOrder out;
    out.order.reserve(count);
    std::vector<Mark> marks(count, Mark::unseen);
    std::vector<Frame> stack;
    for (std::uint32_t root = 0; root < count; ++root) {
        if (marks[root] != Mark::unseen) continue;
        marks[root] = Mark::open;
        stack.push_back({root, 0});
        while (!stack.empty()) {
            Frame& frame = stack.back();
            if (frame.next_input == input_count(frame.node)) {
                marks[frame.node] = Mark::done;
                out.order.push_back(frame.node);
                stack.pop_back();
                continue;
            }
            const std::uint32_t read = driver(frame.node, frame.next_input++);
            if (read == no_node || marks[read] == Mark::done) continue;
            if (marks[read] == Mark::open) {
                auto from = stack.rbegin();
                while (from->node != read) ++from;
                for (auto it = from.base() - 1; it != stack.end(); ++it) out.cycle.push_back(it->node);
                return out;
            }
            marks[read] = Mark::open;
            stack.push_back({read, 0});
        }
    }
    return out;
}

}  // namespace toroid::circuit
