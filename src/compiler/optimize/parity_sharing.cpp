// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/parity_sharing.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <span>
#include <utility>
#include <vector>

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
constexpr std::size_t groups_between_checkpoints = 4096;

/// One gate that has the group in its linear part.
struct Use {
    Group group;
    std::uint32_t position = 0;  ///< of the gate, in topological order
    friend auto operator<=>(const Use&, const Use&) = default;
};

class Sharer {
 public:
    Sharer(const GateNetwork& network, const SharingOptions& options)
        : timed_(network, options.weight_limit, options.depth_limit), options_(options) {}

    GateNetwork run() {
        for (int round = 0; round < most_rounds; ++round) {
            if (options_.checkpoint) options_.checkpoint();
            if (share_once() == 0) break;
            timed_ = TimedNetwork(timed_.network(), options_.weight_limit, options_.depth_limit);
        }
        return cleaned(timed_.network());
    }

 private:
    [[nodiscard]] int gates(const Node& node) const {
        return static_cast<int>(gates_of(node.light.size(), outer_count(node), options_.weight_limit));
    }
    /// `node` with one XOR in place of the members that it is of.
    [[nodiscard]] static Node with(const Node& node, const std::vector<std::uint32_t>& members,
                                   std::uint32_t whole, bool negated) {
        Node out = node;
        out.heavy = symmetric_difference(symmetric_difference(node.heavy, members), {whole});
        out.constant = node.constant != negated;
        return out;
    }

    std::size_t share_once() {
        std::vector<Use> uses;
        for (std::uint32_t position = 0; position < timed_.order().size(); ++position) {
            const Node& node = timed_.node(timed_.order()[position]);
            if (node.kind != Kind::gate || node.heavy.empty()) continue;
            const std::vector<std::uint32_t> members = outer_members(node);
            if (members.size() > widest) continue;
            for (std::size_t i = 0; i < members.size(); ++i) {
                for (std::size_t j = i + 1; j < members.size(); ++j) {
                    uses.push_back({{no_member, members[i], members[j]}, position});
                    for (std::size_t k = j + 1; k < members.size(); ++k)
                        uses.push_back({{members[i], members[j], members[k]}, position});
                }
            }
        }
        std::ranges::sort(uses);
        std::vector<std::span<const Use>> groups;
        for (auto first = uses.begin(); first != uses.end();) {
            const auto last =
                std::find_if(first, uses.end(), [&](const Use& use) { return use.group != first->group; });
            if (last - first > 1) groups.emplace_back(first, last);
            first = last;
        }
        std::ranges::stable_sort(groups, std::greater<>(), [](const auto& group) { return group.size(); });
        std::size_t shared = 0;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (options_.checkpoint && i % groups_between_checkpoints == 0) options_.checkpoint();
            shared += share(groups[i]) ? 1 : 0;
        }
        return shared;
    }

    bool share(std::span<const Use> uses) {
        const Group& group = uses.front().group;
        const std::vector<std::uint32_t> members(group.begin() + (group[0] == no_member ? 1 : 0),
                                                 group.end());
        std::vector<std::uint32_t> candidates;  // gates that still hold the group
        std::uint32_t whole = no_member;        // a gate that is this very XOR
        for (const Use& use : uses) {
            const std::uint32_t index = timed_.order()[use.position];
            const Node& node = timed_.node(index);
            // Members in A do not count, but may have come into L.
            if (!std::ranges::includes(node.heavy, members) ||
                std::ranges::any_of(members, [&](std::uint32_t member) {
                    return std::ranges::binary_search(node.light, member);
                }))
                continue;
            if (node.light.empty() && node.heavy.size() == members.size()) {
                whole = index;
            } else {
                candidates.push_back(index);
            }
        }
        Node made;
        made.kind = Kind::gate;
        made.heavy = members;
        const int cost = whole != no_member ? 0 : gates(made);
        if (static_cast<int>(candidates.size()) <= cost) return false;
        const bool is_new = whole == no_member;
        if (is_new) whole = timed_.add(std::move(made));
        const bool negated = timed_.node(whole).constant;
        // Each that takes the XOR changes what time the others have.
        int saved = 0;
        taken_.clear();
        for (const std::uint32_t index : candidates) {
            const Node& node = timed_.node(index);
            Node reduced = with(node, members, whole, negated);
            const int gain = gates(node) - gates(reduced);
            if (gain <= 0 || !timed_.fits(index, reduced)) continue;
            Node before = node;
            if (!timed_.replace(index, std::move(reduced))) continue;
            saved += gain;
            taken_.emplace_back(index, std::move(before));
        }
        if (saved > cost) return true;
        for (auto& [index, before] : taken_) (void)timed_.replace(index, std::move(before));
        if (is_new) timed_.remove(whole);
        return false;
    }

    TimedNetwork timed_;
    const SharingOptions& options_;
    std::vector<std::pair<std::uint32_t, Node>> taken_;
};

}  // namespace

GateNetwork share_parities(const GateNetwork& network, const SharingOptions& options) {
    return Sharer(network, options).run();
}

}  // namespace toroid::compiler
