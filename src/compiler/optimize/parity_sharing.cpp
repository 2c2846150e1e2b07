// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/parity_sharing.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "compiler/optimize/parity_absorption.hpp"

namespace toroid::compiler {
namespace {

using Node = GateNetwork::Node;
using Kind = GateNetwork::Kind;
/// Sorted; a pair has no_member in front.
using Group = std::array<std::uint32_t, 3>;

constexpr std::uint32_t no_member = 0xffffffff;
constexpr std::size_t widest = 16;  ///< linear parts wider than this would have too many triples
constexpr int most_rounds = 6;

struct GroupHash {
    std::size_t operator()(const Group& group) const {
        std::uint64_t hash = 0;
        for (const std::uint32_t member : group) {
            hash = (hash ^ member) * 0x9e3779b97f4a7c15ULL;
            hash ^= hash >> 29;
        }
        return hash;
    }
};

class Sharer {
 public:
    Sharer(const GateNetwork& network, int weight_limit, const std::function<void()>& checkpoint)
        : network_(network), limit_(weight_limit), checkpoint_(checkpoint) {}

    GateNetwork run() {
        for (int round = 0; round < most_rounds; ++round) {
            if (checkpoint_) checkpoint_();
            if (share_once() == 0) break;
            network_ = cleaned(network_);
        }
        return network_;
    }

 private:
    /// Members of L that are not in A.
    [[nodiscard]] static std::vector<std::uint32_t> outer(const Node& node) {
        std::vector<std::uint32_t> out;
        std::ranges::set_difference(node.heavy, node.light, std::back_inserter(out));
        return out;
    }

    /// The gates saved in one node by taking `count` members out of its linear part and putting one in.
    [[nodiscard]] int saving(const Node& node, std::size_t outer_members, std::size_t count) const {
        return static_cast<int>(gates_of(node.light.size(), outer_members, limit_)) -
               static_cast<int>(gates_of(node.light.size(), outer_members - count + 1, limit_));
    }

    std::size_t share_once() {
        std::unordered_map<Group, std::vector<std::uint32_t>, GroupHash> readers;
        for (const std::uint32_t index : topological_nodes(network_)) {
            const Node& node = network_.nodes[index];
            if (node.kind != Kind::gate) continue;
            const std::vector<std::uint32_t> members = outer(node);
            if (members.size() > widest) continue;
            for (std::size_t i = 0; i < members.size(); ++i) {
                for (std::size_t j = i + 1; j < members.size(); ++j) {
                    readers[{no_member, members[i], members[j]}].push_back(index);
                    for (std::size_t k = j + 1; k < members.size(); ++k)
                        readers[{members[i], members[j], members[k]}].push_back(index);
                }
            }
        }
        std::vector<std::pair<Group, const std::vector<std::uint32_t>*>> groups;
        for (const auto& [group, nodes] : readers) {
            if (nodes.size() > 1) groups.emplace_back(group, &nodes);
        }
        // The most readers first; then an order that does not depend on the table.
        std::ranges::sort(groups, [](const auto& a, const auto& b) {
            return a.second->size() != b.second->size() ? a.second->size() > b.second->size()
                                                        : a.first < b.first;
        });
        std::size_t shared = 0;
        for (const auto& [group, nodes] : groups) shared += share(group, *nodes) ? 1 : 0;
        return shared;
    }

    bool share(const Group& group, const std::vector<std::uint32_t>& nodes) {
        const bool is_pair = group[0] == no_member;
        const std::vector<std::uint32_t> members(group.begin() + (is_pair ? 1 : 0), group.end());
        int saved = 0;
        std::uint32_t whole = no_member;  // a gate that is this very XOR
        takers_.clear();
        for (const std::uint32_t index : nodes) {
            const Node& node = network_.nodes[index];
            const std::vector<std::uint32_t> now = outer(node);
            if (!std::ranges::includes(now, members)) continue;  // changed since it was counted
            if (node.light.empty() && now.size() == members.size()) {
                whole = index;
                continue;
            }
            const int gain = saving(node, now.size(), members.size());
            if (gain <= 0) continue;
            saved += gain;
            takers_.push_back(index);
        }
        const int cost = whole != no_member ? 0 : static_cast<int>(gates_of(0, members.size(), limit_));
        if (saved <= cost || takers_.empty()) return false;
        bool negated = false;
        if (whole == no_member) {
            Node made;
            made.kind = Kind::gate;
            made.heavy = members;
            whole = network_.size();
            network_.nodes.push_back(std::move(made));
        } else {
            negated = network_.nodes[whole].constant;
        }
        for (const std::uint32_t index : takers_) {
            Node& node = network_.nodes[index];
            node.heavy = symmetric_difference(symmetric_difference(node.heavy, members), {whole});
            node.constant = node.constant != negated;
        }
        return true;
    }

    GateNetwork network_;
    int limit_;
    const std::function<void()>& checkpoint_;
    std::vector<std::uint32_t> takers_;
};

}  // namespace

GateNetwork share_parities(const GateNetwork& network, int weight_limit,
                           const std::function<void()>& checkpoint) {
    return Sharer(network, weight_limit, checkpoint).run();
}

}  // namespace toroid::compiler
