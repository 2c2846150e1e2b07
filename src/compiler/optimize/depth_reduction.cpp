// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/depth_reduction.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/optimize/minimum_cut.hpp"
#include "compiler/optimize/parity_absorption.hpp"
#include "compiler/optimize/timed_network.hpp"

namespace toroid::compiler {
namespace {

using Node = GateNetwork::Node;
using Kind = GateNetwork::Kind;

constexpr std::uint32_t nobody = 0xffffffff;
constexpr int most_opened = 20;       ///< XORs in one gate
constexpr std::size_t widest = 64;    ///< linear part
constexpr std::int64_t per_gate = 8;  ///< of a cut's price; 1 for each place, so that few are touched
constexpr std::uint32_t nodes_between_checkpoints = 1024;

class Reducer {
 public:
    Reducer(const GateNetwork& network, const DepthReductionOptions& options)
        : options_(options),
          timed_(network, options.weight_limit, any_depth),
          number_(timed_.network().size(), nobody) {}

    std::optional<GateNetwork> run() {
        const std::uint32_t depth = timed_.depth();
        if (depth == 0) return std::nullopt;
        for (const Edge root : timed_.network().roots) {
            if (timed_.arrival(root.node()) == depth) number_[root.node()] = marked;
        }
        std::uint32_t visited = 0;
        for (auto index = timed_.order().rbegin(); index != timed_.order().rend(); ++index) {
            if (options_.checkpoint && visited++ % nodes_between_checkpoints == 0) options_.checkpoint();
            if (number_[*index] == marked) visit(*index);
        }
        const auto count = static_cast<std::uint32_t>(places_.size());
        MinimumCut cut(2 * count + 2);
        const std::uint32_t source = 2 * count;
        const std::uint32_t sink = source + 1;
        for (std::uint32_t i = 0; i < count; ++i) {
            const Place& place = places_[i];
            cut.add_edge(2 * i, 2 * i + 1, place.price);
            for (const std::uint32_t operand : place.late)
                cut.add_edge(2 * number_[operand] + 1, 2 * i, MinimumCut::uncuttable);
            if (place.late.empty()) cut.add_edge(source, 2 * i, MinimumCut::uncuttable);
            if (timed_.is_root(place.index) && timed_.arrival(place.index) == depth)
                cut.add_edge(2 * i + 1, sink, MinimumCut::uncuttable);
        }
        const std::optional<std::vector<bool>> side = cut.source_side(source, sink);
        if (!side) return std::nullopt;
        GateNetwork out = timed_.network();
        for (std::uint32_t i = 0; i < count; ++i) {
            if ((*side)[2 * i] && !(*side)[2 * i + 1])
                out.nodes[places_[i].index] = std::move(places_[i].opened);
        }
        // Its gates stand where they stood, operands in front no longer.
        if (TimedNetwork(out, options_.weight_limit, any_depth).depth() >= depth) return std::nullopt;
        return cleaned(out);
    }

 private:
    static constexpr std::uint32_t marked = nobody - 1;

    /// A gate that must be a level earlier: it is if it is opened, or if all of `late` are.
    struct Place {
        std::uint32_t index = 0;
        std::vector<std::uint32_t> late;
        std::int64_t price = MinimumCut::uncuttable;
        Node opened;
    };

    void visit(std::uint32_t index) {
        Place place;
        place.index = index;
        open(place);
        place.late = late_operands(index);
        for (const std::uint32_t operand : place.late) {
            if (number_[operand] == nobody) number_[operand] = marked;
        }
        number_[index] = static_cast<std::uint32_t>(places_.size());
        places_.push_back(std::move(place));
    }

    [[nodiscard]] std::int64_t gates(const Node& node) const {
        return gates_of(node.light.size(), outer_count(node), options_.weight_limit);
    }

    /// Puts, latest first, what XORs are of in their place, until the gate is earlier.
    void open(Place& place) const {
        Node node = timed_.node(place.index);
        if (node.kind != Kind::gate) return;
        const std::uint32_t level = timed_.arrival(place.index);
        std::int64_t added = -gates(node);
        for (int step = 0; step < most_opened; ++step) {
            std::uint32_t latest = nobody;
            for (const std::uint32_t member : outer_members(node)) {
                if (timed_.is_parity(member) && (latest == nobody || is_opened_before(member, latest)))
                    latest = member;
            }
            if (latest == nobody) return;
            const Node& inner = timed_.node(latest);
            node.heavy = symmetric_difference(symmetric_difference(node.heavy, inner.heavy), {latest});
            node.constant = node.constant != inner.constant;
            if (timed_.reader_count(latest) == 1 && !timed_.is_root(latest)) added -= gates(inner);
            const bool is_hopeless = std::ranges::any_of(node.heavy, [&](std::uint32_t member) {
                return !timed_.is_parity(member) && timed_.arrival(member) + 1 >= level;
            });
            if (is_hopeless || node.heavy.size() > widest || node.light.size() + node.heavy.size() < 2)
                return;
            if (timed_.level_of(node) >= level) continue;
            place.price = std::max<std::int64_t>(1, per_gate * (added + gates(node)) + 1);
            place.opened = std::move(node);
            return;
        }
    }
    [[nodiscard]] bool is_opened_before(std::uint32_t a, std::uint32_t b) const {
        if (timed_.arrival(a) != timed_.arrival(b)) return timed_.arrival(a) > timed_.arrival(b);
        return timed_.reader_count(a) < timed_.reader_count(b);
    }

    /// Operands all of which one level earlier make the gate one level earlier, none of them in vain, those
    /// that must be earlier anyway first; empty if there are none.
    [[nodiscard]] std::vector<std::uint32_t> late_operands(std::uint32_t index) const {
        const Node& node = timed_.node(index);
        std::vector<std::uint32_t> candidates;
        for_each_operand(node, [&](std::uint32_t operand) {
            if (timed_.arrival(operand) > 0) candidates.push_back(operand);
        });
        std::ranges::sort(candidates);
        candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
        std::ranges::stable_sort(candidates, [&](std::uint32_t a, std::uint32_t b) {
            if (timed_.arrival(a) != timed_.arrival(b)) return timed_.arrival(a) > timed_.arrival(b);
            return number_[a] != nobody && number_[b] == nobody;
        });
        const auto is_earlier = [&](const std::vector<std::uint32_t>& earlier) {
            return timed_.level_of(node, [&](std::uint32_t operand) {
                const bool is_one = std::ranges::find(earlier, operand) != earlier.end();
                return timed_.arrival(operand) - (is_one ? 1 : 0);
            }) < timed_.arrival(index);
        };
        std::vector<std::uint32_t> late;
        for (const std::uint32_t candidate : candidates) {
            late.push_back(candidate);
            if (is_earlier(late)) break;
        }
        if (late.empty() || !is_earlier(late)) return {};
        for (const bool is_marked : {false, true}) {
            for (std::size_t i = late.size(); i-- > 0;) {
                if ((number_[late[i]] != nobody) != is_marked) continue;
                std::vector<std::uint32_t> fewer = late;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
                if (!fewer.empty() && is_earlier(fewer)) late = std::move(fewer);
            }
        }
        return late;
    }

    const DepthReductionOptions& options_;
    TimedNetwork timed_;
    std::vector<std::uint32_t> number_;  ///< of a node's place; nobody, or marked until it is visited
    std::vector<Place> places_;
};

}  // namespace

std::optional<GateNetwork> reduce_depth(const GateNetwork& network, const DepthReductionOptions& options) {
    return Reducer(network, options).run();
}

}  // namespace toroid::compiler
