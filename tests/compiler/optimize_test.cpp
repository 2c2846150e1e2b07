// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/optimizer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>

#include "circuit/netlist_reader.hpp"
#include "compiler/optimize/circuit_cost.hpp"
#include "compiler/optimize/control_rewriting.hpp"
#include "compiler/optimize/cost_by_output.hpp"
#include "compiler/optimize/cut_mapper.hpp"
#include "compiler/optimize/cut_match.hpp"
#include "compiler/optimize/depth_reduction.hpp"
#include "compiler/optimize/exclusive_inputs.hpp"
#include "compiler/optimize/gate_network.hpp"
#include "compiler/optimize/minimum_cut.hpp"
#include "compiler/optimize/parity_absorption.hpp"
#include "compiler/optimize/parity_sharing.hpp"
#include "compiler/optimize/timed_network.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/verify/equivalence.hpp"
#include "optimize_support.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

using circuit::CircuitBuilder;
using circuit::Literal;

constexpr std::uint32_t test_vectors = 512;
constexpr std::array weight_limits = {2, 3, 6, 14};

class Passes : public testing::TestWithParam<int> {
 protected:
    circuit::Circuit circuit_ = tests::random_circuit(tests::seed() + static_cast<std::uint64_t>(GetParam()),
                                                      9, 120, GetParam() % 2 == 0 ? 0 : 4);
};

TEST_P(Passes, GateNetworkIsTheCircuit) {
    const GateNetwork network = to_gate_network(circuit_);
    verify_equal(circuit_, to_circuit(network, circuit_), test_vectors);
    verify_equal(circuit_, to_circuit(cleaned(network), circuit_), test_vectors);
}

TEST_P(Passes, LogicGraphCoveredByCutsIsTheCircuit) {
    for (const bool flag : {false, true}) {
        const RebuildOptions rebuilding{flag, flag, flag};
        const LogicGraph graph = rebuild(to_logic_graph(circuit_), rebuilding);
        for (const int limit : weight_limits) {
            for (const double depth_limit : {0.0, 1.0, 1.2}) {
                const GateNetwork network = map_cuts(graph, {limit, depth_limit, 2, {}});
                verify_equal(circuit_, to_circuit(network, circuit_), test_vectors);
                for (const std::uint32_t node : topological_nodes(network))
                    EXPECT_LE(weight_norm(network.nodes[node]), static_cast<std::uint32_t>(limit));
            }
        }
    }
}

TEST_P(Passes, ExclusiveInputsKeepTheFunction) {
    const LogicGraph graph = use_exclusive_inputs(to_logic_graph(circuit_));
    verify_equal(circuit_, to_circuit(map_cuts(graph, {}), circuit_), test_vectors);
}

TEST_P(Passes, AbsorbedAndDecomposedIsTheCircuitAndNotLarger) {
    // Covers hold no gate above the limit, so that no gate must grow.
    for (const int limit : weight_limits) {
        const GateNetwork network = map_cuts(to_logic_graph(circuit_), {limit, 0, 2, {}});
        const std::uint64_t before = network_bootstraps(network, topological_nodes(network));
        for (const int growth : {-1, 0}) {
            const GateNetwork wide = absorb_parities(network, {limit, growth, 256, {}});
            verify_equal(circuit_, to_circuit(wide, circuit_), test_vectors);
            const GateNetwork out = decompose(wide, limit);
            verify_equal(circuit_, to_circuit(out, circuit_), test_vectors);
            EXPECT_LE(network_bootstraps(out, topological_nodes(out)), before);
            for (const std::uint32_t node : topological_nodes(out))
                EXPECT_LE(weight_norm(out.nodes[node]), static_cast<std::uint32_t>(limit));
        }
    }
}

TEST_P(Passes, OptimizedIsTheCircuitWithinTheLimitAndNotWorse) {
    for (const int limit : weight_limits) {
        for (const Objective objective : {Objective::size, Objective::depth}) {
            OptimizerOptions options;
            options.mapping = {limit, objective};
            options.use_abc = false;
            const circuit::Circuit out = optimize(circuit_, options);
            verify_equal(circuit_, out, test_vectors);
            const CircuitCost cost = circuit_cost(out, limit);
            EXPECT_EQ(cost.too_heavy, 0U);
            EXPECT_FALSE(is_better(circuit_cost(circuit_, limit), cost, objective));
            EXPECT_EQ(circuit::write_native(optimize(circuit_, options)), circuit::write_native(out));
        }
    }
}

/// What the passes count with; decompose() may find a gate less, where two XORs happen to start alike.
std::uint64_t gates_counted(const GateNetwork& network, int limit) {
    std::uint64_t sum = 0;
    for (const std::uint32_t index : topological_nodes(network)) {
        const GateNetwork::Node& node = network.nodes[index];
        if (node.kind == GateNetwork::Kind::multiplexer) sum += 2;
        if (node.kind == GateNetwork::Kind::gate)
            sum += gates_of(node.light.size(), outer_count(node), limit);
    }
    return sum;
}

TEST_P(Passes, SharedParitiesKeepTheFunctionAndSave) {
    for (const int limit : weight_limits) {
        const GateNetwork network = map_cuts(to_logic_graph(circuit_), {limit, 0, 2, {}});
        const GateNetwork wide = absorb_parities(network, {limit, 2, 14, {}});
        const GateNetwork shared = share_parities(wide, {limit, any_depth, {}});
        verify_equal(circuit_, to_circuit(shared, circuit_), test_vectors);
        EXPECT_LE(gates_counted(shared, limit), gates_counted(wide, limit));
    }
}

std::uint32_t depth_of(const GateNetwork& network) {
    const std::vector<std::uint32_t> levels = network_levels(network, topological_nodes(network));
    std::uint32_t depth = 0;
    for (const Edge root : network.roots) depth = std::max(depth, levels[root.node()]);
    return depth;
}

/// Gates with XORs that many others read, so that sharing and depth are at odds.
circuit::Circuit linear_circuit(std::uint64_t seed) {
    return tests::random_linear_circuit(seed, 16, 40, 3);
}

TEST_P(Passes, TimedLevelsAreThoseOfTheGatesMade) {
    for (const circuit::Circuit& source : {circuit_, linear_circuit(tests::seed() + 11)}) {
        for (const int limit : weight_limits) {
            const GateNetwork network =
                absorb_parities(map_cuts(to_logic_graph(source), {limit, 0, 2, {}}), {limit, 2, 40, {}});
            const TimedNetwork timed(network, limit, any_depth);
            verify_equal(source, to_circuit(timed.network(), source), test_vectors);
            // Equal gates are made once, at the earlier of two times.
            EXPECT_LE(depth_of(decompose(timed.network(), limit)), timed.depth());
            EXPECT_GE(depth_of(decompose(timed.network(), limit)) + 2, timed.depth());
        }
    }
}

TEST_P(Passes, SharingWithinADepthKeepsItAndTheFunction) {
    const circuit::Circuit source = linear_circuit(tests::seed() + static_cast<std::uint64_t>(GetParam()));
    for (const int limit : weight_limits) {
        const GateNetwork wide =
            absorb_parities(map_cuts(to_logic_graph(source), {limit, 0, 2, {}}), {limit, 4, 14, {}});
        const std::uint32_t depth = TimedNetwork(wide, limit, any_depth).depth();
        for (const std::uint32_t depth_limit : {depth, depth + 2, any_depth}) {
            const GateNetwork shared = share_parities(wide, {limit, depth_limit, {}});
            const GateNetwork gates = decompose(shared, limit);
            verify_equal(source, to_circuit(gates, source), test_vectors);
            EXPECT_LE(depth_of(gates), depth_limit);
            EXPECT_LE(gates_counted(shared, limit), gates_counted(wide, limit));
            // Narrow gates leave much to share.
            if (limit <= 3 && depth_limit == any_depth) {
                EXPECT_LT(gates_counted(shared, limit), gates_counted(wide, limit));
            }
        }
    }
}

TEST_P(Passes, OpenedParitiesKeepTheFunctionAndAreLessDeep) {
    const circuit::Circuit source = linear_circuit(tests::seed() + static_cast<std::uint64_t>(GetParam()));
    int steps = 0;
    for (const int limit : {2, 3, 6}) {
        GateNetwork network = share_parities(
            absorb_parities(map_cuts(to_logic_graph(source), {limit, 0, 2, {}}), {limit, 4, 14, {}}),
            {limit, any_depth, {}});
        std::uint32_t depth = TimedNetwork(network, limit, any_depth).depth();
        while (const std::optional<GateNetwork> reduced = reduce_depth(network, {limit, {}})) {
            verify_equal(source, to_circuit(decompose(*reduced, limit), source), test_vectors);
            EXPECT_LT(TimedNetwork(*reduced, limit, any_depth).depth(), depth);
            depth = TimedNetwork(*reduced, limit, any_depth).depth();
            EXPECT_LE(depth_of(decompose(*reduced, limit)), depth);
            network = *reduced;
            ++steps;
        }
    }
    EXPECT_GT(steps, 0);
}

INSTANTIATE_TEST_SUITE_P(RandomCircuits, Passes, testing::Range(0, 6));

TEST(CutMatch, EveryMatchIsItsTable) {
    std::size_t single = 0;
    for (unsigned table = 0; table < 256; ++table) {
        const CutMatch& match = cut_matches()[table];
        if (match.bootstraps == CutMatch::impossible) continue;
        single += match.bootstraps == 1 ? 1 : 0;
        CircuitBuilder builder("match");
        const auto in = builder.add_input("x", 3);
        Literal out;
        const auto literal = [&](unsigned input, bool negated) { return negated ? !in[input] : in[input]; };
        if (match.is_multiplexer) {
            out = builder.mux(in[match.select], literal(match.if_one, match.negated_if_one),
                              literal(match.if_zero, match.negated_if_zero));
        } else {
            GateNetwork network(3);
            std::vector<Edge> light;
            std::vector<Edge> heavy;
            for (std::uint32_t i = 0; i < 3; ++i) {
                if ((match.light >> i & 1) != 0) light.push_back(network.leaf(i));
                if ((match.heavy >> i & 1) != 0) heavy.push_back(network.leaf(i));
            }
            network.roots.push_back(network.gate(light, heavy, match.constant));
            builder.add_output("y", {in[0]});
            const circuit::Circuit shape = builder.finish();
            CircuitBuilder expected("match");
            const auto inputs = expected.add_input("x", 3);
            const std::uint64_t bits = table;
            expected.add_output("y", {expected.table(inputs, {&bits, 1})});
            verify_equal(expected.finish(), to_circuit(network, shape), 64);
            continue;
        }
        const circuit::Circuit found = [&] {
            builder.add_output("y", {out});
            return builder.finish();
        }();
        CircuitBuilder expected("match");
        const auto inputs = expected.add_input("x", 3);
        const std::uint64_t bits = table;
        expected.add_output("y", {expected.table(inputs, {&bits, 1})});
        verify_equal(expected.finish(), found, 64);
    }
    // 3 x 8 ANDs, 3 x 2 XORs; MAJ3 and NAE3, 8 and 8 of them with negations... all of E2(A) ^ any linear
    // function.
    EXPECT_EQ(single, 3U * 8 + 3 * 2 + 2 + 3 * 8 + 16);
}

TEST(MinimumCut, IsTheLeastOfAllCuts) {
    constexpr std::uint32_t nodes = 8;
    std::mt19937_64 random(tests::seed());
    for (int round = 0; round < 200; ++round) {
        MinimumCut cut(nodes);
        std::int64_t capacity[nodes][nodes] = {};
        for (int i = 0; i < 18; ++i) {
            const auto from = static_cast<std::uint32_t>(random() % nodes);
            const auto to = static_cast<std::uint32_t>(random() % nodes);
            const std::int64_t value =
                random() % 6 == 0 ? MinimumCut::uncuttable : static_cast<std::int64_t>(random() % 20);
            cut.add_edge(from, to, value);
            capacity[from][to] += value;
        }
        const auto cost_of = [&](std::uint32_t side) {
            std::int64_t sum = 0;
            for (std::uint32_t a = 0; a < nodes; ++a) {
                for (std::uint32_t b = 0; b < nodes; ++b)
                    sum += (side >> a & 1) != 0 && (side >> b & 1) == 0 ? capacity[a][b] : 0;
            }
            return sum;
        };
        std::int64_t least = MinimumCut::uncuttable;
        for (std::uint32_t side = 0; side < 1U << nodes; ++side) {
            if ((side & 1) != 0 && (side >> (nodes - 1)) == 0) least = std::min(least, cost_of(side));
        }
        const std::optional<std::vector<bool>> found = cut.source_side(0, nodes - 1);
        ASSERT_EQ(found.has_value(), least < MinimumCut::uncuttable);
        if (!found) continue;
        std::uint32_t side = 0;
        for (std::uint32_t i = 0; i < nodes; ++i) side |= (*found)[i] ? 1U << i : 0;
        EXPECT_EQ(cost_of(side), least);
    }
}

TEST(Optimize, BalancedTakesDepthForAFewBootstraps) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const circuit::Circuit source = linear_circuit(tests::seed() + seed);
        OptimizerOptions options;
        options.use_abc = false;
        const CircuitCost small = circuit_cost(optimize(source, options), 3);
        options.is_balanced = true;
        const circuit::Circuit out = optimize(source, options);
        verify_equal(source, out, test_vectors);
        const CircuitCost balanced = circuit_cost(out, 3);
        const std::uint64_t fewest = small.bootstraps + small.refreshes;
        EXPECT_LE(balanced.bootstraps + balanced.refreshes, fewest + fewest / 20);
        EXPECT_LE(balanced.depth, small.depth);
    }
}

TEST(Optimize, NextToNothingIsDoneForEveryObjective) {
    for (const int gates : {0, 1, 2}) {
        CircuitBuilder builder("next_to_nothing");
        const auto in = builder.add_input("x", 3);
        Literal wire = in[0];
        for (int i = 0; i < gates; ++i) wire = builder.xor_gate(builder.and_gate(wire, in[1]), in[2]);
        builder.add_output("y", {wire, !in[1], Literal::constant(true)});
        const circuit::Circuit source = builder.finish();
        for (const Objective objective : {Objective::size, Objective::depth}) {
            for (const bool is_balanced : {false, true}) {
                for (const std::uint64_t width : {0, 1, 1000}) {
                    for (const int limit : weight_limits) {
                        OptimizerOptions options;
                        options.mapping.objective = objective;
                        options.mapping.weight_limit = limit;
                        options.is_balanced = is_balanced;
                        options.device_width = width;
                        options.use_abc = false;
                        verify_equal(source, optimize(source, options), test_vectors);
                    }
                }
            }
        }
    }
}

TEST(CircuitCost, MostBalancedIsTheShallowestOfTheSmall) {
    const auto cost = [](std::uint64_t bootstraps, std::uint32_t depth, std::uint64_t too_heavy) {
        CircuitCost out;
        out.bootstraps = bootstraps;
        out.depth = depth;
        out.too_heavy = too_heavy;
        return out;
    };
    const CircuitCost fewest = cost(1000, 50, 0);
    const CircuitCost within = cost(1050, 30, 0);
    const CircuitCost above = cost(1051, 20, 0);
    const CircuitCost heavy = cost(900, 10, 1);
    EXPECT_EQ(most_balanced(std::array{&heavy, &fewest, &within, &above}), 2U);
    EXPECT_EQ(most_balanced(std::array{&fewest, &above}), 0U);
    EXPECT_EQ(most_balanced(std::array{&heavy}), 0U);
}

TEST(Optimize, FullAdderOfTwoInputGatesTakesTwoBootstraps) {
    for (const std::uint32_t width : {1U, 8U, 33U}) {
        const circuit::Circuit adder = tests::two_input_adder(width);
        for (const int limit : weight_limits) {
            if (limit < 3) continue;
            OptimizerOptions options;
            options.mapping.weight_limit = limit;
            const CircuitCost cost = circuit_cost(optimize(adder, options), limit);
            EXPECT_EQ(cost.bootstraps, 2 * width);
            EXPECT_EQ(cost.depth, width);
        }
    }
}

TEST(Optimize, XorsGrowAsWideAsTheLimit) {
    CircuitBuilder builder("parity");
    const auto in = builder.add_input("x", 27);
    Literal sum = in[0];
    for (std::size_t i = 1; i < in.size(); ++i) sum = builder.xor_gate(sum, in[i]);
    builder.add_output("y", {sum});
    const circuit::Circuit chain = builder.finish();
    OptimizerOptions options;
    const CircuitCost narrow = circuit_cost(optimize(chain, options), 3);
    EXPECT_EQ(narrow.bootstraps, 13U);
    EXPECT_EQ(narrow.depth, 3U);
    options.mapping.weight_limit = 14;
    const CircuitCost wide = circuit_cost(optimize(chain, options), 14);
    EXPECT_EQ(wide.bootstraps, 2U);
    EXPECT_EQ(wide.depth, 2U);
}

TEST(Optimize, OneHotSelectionBecomesAnXor) {
    CircuitBuilder builder("select");
    const auto index = builder.add_input("i", 2);
    const auto data = builder.add_input("d", 4);
    std::vector<Literal> rows;
    for (std::size_t row = 0; row < 4; ++row) {
        const Literal hit =
            builder.and_gate((row & 1) != 0 ? index[0] : !index[0], (row & 2) != 0 ? index[1] : !index[1]);
        rows.push_back(builder.and_gate(hit, data[row]));
    }
    builder.add_output("y", {builder.or_of(rows)});
    const circuit::Circuit selection = builder.finish();
    OptimizerOptions options;
    options.mapping.weight_limit = 14;
    const circuit::Circuit out = optimize(selection, options);
    verify_equal(selection, out, test_vectors);
    EXPECT_LE(circuit_cost(out, 14).bootstraps, 8U);  // the three ORs of 11 gates became one XOR
    EXPECT_EQ(circuit_cost(selection, 14).bootstraps, 11U);
}

TEST(Optimize, RegistersKeepNamesAndInitialValues) {
    CircuitBuilder builder("counter");
    const auto enable = builder.add_input("enable", 1);
    const Literal low = builder.add_register("low", true);
    const Literal high = builder.add_register("high", false);
    builder.set_next(low, builder.xor_gate(low, enable[0]));
    builder.set_next(high, builder.xor_gate(high, builder.and_gate(low, enable[0])));
    builder.add_output("y", {low, high});
    const circuit::Circuit counter = builder.finish();
    OptimizerOptions options;
    options.mapping.weight_limit = 6;
    const circuit::Circuit out = optimize(counter, options);
    verify_equal(counter, out, test_vectors);
    ASSERT_EQ(out.registers.size(), 2U);
    EXPECT_EQ(out.registers[0].name, "low");
    EXPECT_TRUE(out.registers[0].init);
    EXPECT_FALSE(out.registers[1].init);
    EXPECT_EQ(out.bootstraps(), 2U);  // c ^ (a & b) is one gate
}

TEST(Optimize, AbcRestructuresControlLogic) {
    if (!find_program("berkeley-abc") && !find_program("yosys-abc")) GTEST_SKIP() << "ABC is not installed";
    // A four-bit decoder of one row as a sum of all its cofactors: ABC sees that most of it is one product.
    CircuitBuilder builder("redundant");
    const auto in = builder.add_input("x", 6);
    std::vector<Literal> rows;
    for (unsigned row = 0; row < 16; ++row) {
        std::vector<Literal> factors{in[4], in[5]};
        for (unsigned bit = 0; bit < 4; ++bit) factors.push_back((row >> bit & 1) != 0 ? in[bit] : !in[bit]);
        rows.push_back(builder.and_of(factors));
    }
    builder.add_output("y", {builder.or_of(rows)});
    const circuit::Circuit redundant = builder.finish();
    const circuit::Circuit out = optimize(redundant, {});
    verify_equal(redundant, out, test_vectors);
    EXPECT_LE(out.bootstraps(), 2U);
}

TEST(Optimize, GraphsGoThroughAiger) {
    const circuit::Circuit circuit = tests::random_circuit(5, 7, 60, 3);
    const LogicGraph graph = to_logic_graph(circuit);
    const LogicGraph back = to_logic_graph(circuit::read_aiger(to_aiger(graph), "t", {}));
    EXPECT_EQ(back.leaves(), graph.leaves());
    EXPECT_TRUE(agree_on_random_vectors(graph, back));
    LogicGraph other = back;
    other.roots.front() = !other.roots.front();
    EXPECT_FALSE(agree_on_random_vectors(graph, other));
}

TEST(Optimize, StopsAtTheCheckpoint) {
    OptimizerOptions options;
    int calls = 0;
    options.checkpoint = [&] {
        if (++calls == 3) throw Error(ErrorKind::interrupted, "stop");
    };
    EXPECT_THROW((void)optimize(tests::two_input_adder(16), options), Error);
    EXPECT_EQ(calls, 3);
}

TEST(CircuitCost, CountsRefreshesOfNoisyOperandsOnce) {
    CircuitBuilder builder("muxes");
    const auto in = builder.add_input("x", 8);
    const Literal a = builder.mux(in[0], in[1], in[2]);
    const Literal b = builder.mux(in[3], in[4], in[5]);
    builder.add_output(
        "y", {builder.and_gate(a, b), builder.majority(a, in[6], in[7]), builder.xor_gate(a, in[6])});
    const circuit::Circuit circuit = builder.finish();
    const CircuitCost cost = circuit_cost(circuit, 3);
    EXPECT_EQ(cost.bootstraps, 7U);
    EXPECT_EQ(cost.refreshes, 1U);  // a, which MAJ3 cannot read as it is, serves the AND too
    EXPECT_EQ(cost.too_heavy, 0U);
    EXPECT_EQ(circuit_cost(circuit, 4).refreshes, 0U);
    EXPECT_EQ(circuit_cost(circuit, 2).too_heavy, 1U);  // MAJ3
    EXPECT_EQ(cost.width_by_level, (std::vector<std::uint64_t>{4, 3}));
    EXPECT_EQ(cost.rounds(3), 3U);
}

TEST(CostByOutput, CountsSharedGatesOnce) {
    CircuitBuilder builder("shared");
    const auto in = builder.add_input("x", 4);
    const Literal both = builder.and_gate(in[0], in[1]);
    builder.add_output("p", {builder.and_gate(both, in[2])});
    builder.add_output("q", {builder.xor_gate(both, in[3]), builder.or_gate(in[2], in[3])});
    const auto costs = cost_by_output(builder.finish());
    const std::vector<std::pair<std::string, std::uint64_t>> expected{
        {"shared by several outputs", 1}, {"output p", 1}, {"output q", 2}};
    EXPECT_EQ(costs, expected);
}

}  // namespace
}  // namespace toroid::compiler
