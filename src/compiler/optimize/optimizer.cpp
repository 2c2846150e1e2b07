// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/optimizer.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "circuit/interface.hpp"
#include "compiler/optimize/circuit_cost.hpp"
#include "compiler/optimize/control_rewriting.hpp"
#include "compiler/optimize/cut_mapper.hpp"
#include "compiler/optimize/depth_reduction.hpp"
#include "compiler/optimize/exclusive_inputs.hpp"
#include "compiler/optimize/gate_network.hpp"
#include "compiler/optimize/parity_absorption.hpp"
#include "compiler/optimize/parity_sharing.hpp"

namespace toroid::compiler {
namespace {

/// From here on fewer ways are tried.
constexpr std::uint32_t large_graph = 100'000;
/// ABC is for graphs with less than one XOR in so many gates, and for small ones.
constexpr std::uint32_t few_exclusive_ors = 8;
constexpr std::uint32_t largest_control = 60'000;
constexpr std::uint32_t small_graph = 2'000;
/// A depth within one in so many of the least is as good, since the number of bootstraps may differ by much
/// more.
constexpr std::uint32_t depth_tolerance = 100;
/// c ^ (a & b) is one gate: a multiplexer may be two gates of which the XOR is shared.
constexpr int weight_of_and_xor = 6;
/// Depths kept by covers, as multiples of the least.
constexpr double tight = 1.0;
constexpr double nearly_tight = 1.06;
/// Gates are given for depth in steps of one in so many levels, from so many networks, up to so many times
/// the fewest gates.
constexpr std::uint32_t depth_steps = 50;
constexpr std::size_t most_traded = 4;
constexpr double largest_growth = 1.2;
constexpr double balanced_growth = 1.05;

struct Candidate {
    circuit::Circuit circuit;
    CircuitCost cost;
};

/// A network whose XORs are shared at any depth.
struct Start {
    GateNetwork network;
    std::uint64_t bootstraps = 0;
    std::uint32_t depth = 0;
};

std::uint32_t network_depth(const GateNetwork& network, const std::vector<std::uint32_t>& order) {
    const std::vector<std::uint32_t> levels = network_levels(network, order);
    std::uint32_t depth = 0;
    for (const Edge root : network.roots) depth = std::max(depth, levels[root.node()]);
    return depth;
}

class Search {
 public:
    Search(const circuit::Circuit& circuit, const OptimizerOptions& options)
        : circuit_(circuit), options_(options), limit_(options.mapping.weight_limit) {}

    circuit::Circuit run() {
        consider(circuit_);
        // Equal gates once, constants folded, what nobody reads removed.
        consider(circuit::bind_inputs(circuit_, {}));
        absorb(to_gate_network(circuit_));
        const LogicGraph plain = to_logic_graph(circuit_);
        for (const LogicGraph& graph : variants(plain)) cover(graph);
        rewrite_control(plain);
        if (wants_trade()) trade_for_depth();
        return take_best();
    }

 private:
    void check() const {
        if (options_.checkpoint) options_.checkpoint();
    }

    void consider(circuit::Circuit candidate) {
        check();
        CircuitCost cost = circuit_cost(candidate, limit_);
        const Objective objective = options_.mapping.objective;
        const auto is_no_better = [&](const Candidate& other) {
            return !is_better(cost, other.cost, objective, options_.device_width) &&
                   (!keeps_all_depths() || !is_better(cost, other.cost, other_objective()));
        };
        if (std::ranges::any_of(kept_, is_no_better)) return;
        std::erase_if(kept_, [&](const Candidate& other) {
            return is_better(cost, other.cost, objective, options_.device_width) &&
                   (!keeps_all_depths() || is_better(cost, other.cost, other_objective()));
        });
        kept_.push_back({std::move(candidate), std::move(cost)});
    }

    [[nodiscard]] bool wants_least_depth() const {
        return options_.mapping.objective == Objective::depth && options_.device_width == 0;
    }
    [[nodiscard]] bool wants_balance() const {
        return options_.is_balanced && options_.mapping.objective == Objective::size &&
               options_.device_width == 0;
    }
    /// Whether take_best() decides with an eye on the objective that is not asked for.
    [[nodiscard]] bool keeps_all_depths() const { return wants_least_depth() || wants_balance(); }
    [[nodiscard]] Objective other_objective() const {
        return options_.mapping.objective == Objective::size ? Objective::depth : Objective::size;
    }
    /// Whether less depth may be worth more bootstraps.
    [[nodiscard]] bool wants_trade() const { return keeps_all_depths() || options_.device_width != 0; }

    circuit::Circuit take_best() {
        if (wants_balance()) {
            std::vector<const CircuitCost*> costs;
            for (const Candidate& candidate : kept_) costs.push_back(&candidate.cost);
            return std::move(kept_[most_balanced(costs)].circuit);
        }
        const auto least = [&](Objective objective, const auto& counts) {
            Candidate* best = nullptr;
            for (Candidate& candidate : kept_) {
                if (!counts(candidate)) continue;
                if (best == nullptr ||
                    is_better(candidate.cost, best->cost, objective, options_.device_width))
                    best = &candidate;
            }
            return best;
        };
        Candidate* best = least(options_.mapping.objective, [](const Candidate&) { return true; });
        if (wants_least_depth()) {
            const std::uint64_t most = best->cost.depth + best->cost.depth / depth_tolerance;
            best = least(Objective::size, [&](const Candidate& other) {
                return other.cost.depth <= most && other.cost.too_heavy <= best->cost.too_heavy;
            });
        }
        return std::move(best->circuit);
    }

    [[nodiscard]] std::vector<LogicGraph> variants(const LogicGraph& plain) const {
        std::vector<LogicGraph> out;
        const bool is_large = plain.size() > large_graph;
        for (const bool balance_exclusive_ors : {false, true}) {
            if (is_large && balance_exclusive_ors) continue;
            const RebuildOptions rebuilding{.balance_conjunctions = true,
                                            .balance_exclusive_ors = balance_exclusive_ors,
                                            .find_multiplexers = limit_ >= weight_of_and_xor};
            check();
            // Twice: balanced trees meet new rules.
            LogicGraph graph = rebuild(rebuild(plain, rebuilding), rebuilding);
            LogicGraph exclusive = rebuild(use_exclusive_inputs(graph, options_.checkpoint), rebuilding);
            if (!is_large) out.push_back(std::move(graph));
            out.push_back(std::move(exclusive));
        }
        return out;
    }

    void rewrite_control(const LogicGraph& plain) {
        const RebuildOptions rebuilding{.find_multiplexers = limit_ >= weight_of_and_xor};
        const LogicGraph graph = rebuild(plain, rebuilding);
        std::uint32_t exclusive_ors = 0;
        for (const LogicGraph::Node& node : graph.nodes())
            exclusive_ors += node.kind == LogicGraph::Kind::exclusive_or ? 1 : 0;
        const std::uint32_t gates = graph.size() - graph.leaves() - 1;
        const bool is_control = few_exclusive_ors * exclusive_ors < gates && gates <= largest_control;
        if (!options_.use_abc || (!is_control && gates > small_graph)) return;
        ControlRewritingOptions rewriting;
        rewriting.time_limit = options_.time_limit;
        rewriting.checkpoint = options_.checkpoint;
        const std::optional<LogicGraph> rewritten = rewrite_control_logic(graph, rewriting);
        if (!rewritten) return;
        const LogicGraph balanced = rebuild(*rewritten, rebuilding);
        cover(balanced);
        cover(rebuild(use_exclusive_inputs(balanced, options_.checkpoint), rebuilding));
    }

    void cover(const LogicGraph& graph) {
        std::vector<double> depth_limits{0, tight};
        if (wants_trade()) depth_limits.push_back(nearly_tight);
        std::vector<std::uint32_t> multiplexer_costs{2};
        // Below this their noise costs their readers a refresh.
        if (limit_ < weight_of_and_xor && graph.size() <= large_graph) multiplexer_costs.push_back(0);
        for (const double depth_limit : depth_limits) {
            for (const std::uint32_t multiplexer_cost : multiplexer_costs) {
                check();
                CutMapperOptions mapping;
                mapping.weight_limit = limit_;
                mapping.depth_limit = depth_limit;
                mapping.multiplexer_cost = multiplexer_cost;
                mapping.checkpoint = options_.checkpoint;
                const GateNetwork network = map_cuts(graph, mapping);
                consider(network);
                absorb(network);
            }
        }
    }

    void absorb(const GateNetwork& network) {
        AbsorptionOptions absorption;
        absorption.weight_limit = limit_;
        absorption.checkpoint = options_.checkpoint;
        for (const int growth : {-1, 0}) {
            absorption.allowed_growth = growth;
            consider(decompose(absorb_parities(network, absorption), limit_));
        }
        // Wide gates leave little to share.
        if (limit_ >= weight_of_and_xor || network.size() > large_graph) return;
        GateNetwork shared = absorb_parities(network, absorption);
        for (int pass = 0; pass < 2; ++pass) shared = share(absorb_parities(shared, absorption), any_depth);
        const GateNetwork gates = decompose(shared, limit_);
        consider(gates);
        if (wants_trade()) {
            const std::vector<std::uint32_t> order = topological_nodes(gates);
            starts_.push_back(
                {std::move(shared), network_bootstraps(gates, order), network_depth(gates, order)});
        }
    }

    [[nodiscard]] GateNetwork share(const GateNetwork& network, std::uint32_t depth_limit) const {
        return share_parities(network, {limit_, depth_limit, options_.checkpoint});
    }

    /// From the networks that no other one beats in both, gates for depth in small steps.
    void trade_for_depth() {
        std::ranges::stable_sort(starts_, [](const Start& a, const Start& b) {
            return a.bootstraps != b.bootstraps ? a.bootstraps < b.bootstraps : a.depth < b.depth;
        });
        std::uint32_t least_depth = any_depth;
        std::vector<const Start*> fronts;
        for (const Start& start : starts_) {
            if (start.depth >= least_depth) continue;
            least_depth = start.depth;
            fronts.push_back(&start);
        }
        // The smallest, the shallowest, and some between.
        while (fronts.size() > most_traded)
            fronts.erase(fronts.begin() + static_cast<std::ptrdiff_t>(fronts.size() / 2));
        for (const Start* start : fronts) trade_for_depth(*start, starts_.front().bootstraps);
    }
    void trade_for_depth(const Start& start, std::uint64_t fewest) {
        const double most =
            static_cast<double>(fewest) * (wants_balance() ? balanced_growth : largest_growth);
        GateNetwork network = start.network;
        std::uint32_t depth = start.depth;
        std::uint64_t bootstraps = start.bootstraps;
        while (depth > 0 && static_cast<double>(bootstraps) <= most) {
            const std::uint32_t aim = depth - std::max(1U, depth / depth_steps);
            while (depth > aim) {
                std::optional<GateNetwork> reduced = reduce_depth(network, {limit_, options_.checkpoint});
                if (!reduced) return;
                network = std::move(*reduced);
                const GateNetwork gates = decompose(network, limit_);
                depth = network_depth(gates, topological_nodes(gates));
            }
            network = share(network, depth);
            const GateNetwork gates = decompose(network, limit_);
            bootstraps = network_bootstraps(gates, topological_nodes(gates));
            consider(gates);
        }
    }
    void consider(const GateNetwork& network) { consider(to_circuit(network, circuit_)); }

    const circuit::Circuit& circuit_;
    const OptimizerOptions& options_;
    int limit_;
    std::vector<Start> starts_;
    std::vector<Candidate> kept_;  ///< none of them as good as another in all that counts
};

}  // namespace

circuit::Circuit optimize(const circuit::Circuit& circuit, const OptimizerOptions& options) {
    return Search(circuit, options).run();
}

}  // namespace toroid::compiler
