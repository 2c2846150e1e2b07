// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/optimizer.hpp"

#include <gtest/gtest.h>

#include "circuit/netlist_reader.hpp"
#include "compiler/optimize/circuit_cost.hpp"
#include "compiler/optimize/control_rewriting.hpp"
#include "compiler/optimize/cost_by_output.hpp"
#include "compiler/optimize/cut_mapper.hpp"
#include "compiler/optimize/cut_match.hpp"
#include "compiler/optimize/exclusive_inputs.hpp"
#include "compiler/optimize/gate_network.hpp"
#include "compiler/optimize/parity_absorption.hpp"
#include "compiler/optimize/parity_sharing.hpp"
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

TEST_P(Passes, SharedParitiesKeepTheFunctionAndSave) {
    for (const int limit : weight_limits) {
        const GateNetwork network = map_cuts(to_logic_graph(circuit_), {limit, 0, 2, {}});
        const GateNetwork wide = absorb_parities(network, {limit, 2, 14, {}});
        const GateNetwork shared = share_parities(wide, limit);
        verify_equal(circuit_, to_circuit(shared, circuit_), test_vectors);
        const auto bootstraps = [&](const GateNetwork& any) {
            const GateNetwork gates = decompose(any, limit);
            return network_bootstraps(gates, topological_nodes(gates));
        };
        EXPECT_LE(bootstraps(shared), bootstraps(wide));
    }
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
