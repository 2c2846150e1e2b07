// SPDX-License-Identifier: Apache-2.0
// What well-known programs cost: the figures the compiler is measured by, at other widths, in other orders
// and under other names too.
#include "compiler/word_programs.hpp"
#include "circuit/netlist_reader.hpp"
#include "compiler/word_support.hpp"
#include "support/expect_error.hpp"

namespace toroid::compiler::tests {
namespace {

struct Cost {
    std::uint64_t bootstraps;
    std::uint32_t depth;
};

Cost cost_of(const WordGraph& graph, int weight_limit, Objective objective) {
    const circuit::Circuit circuit = lower(graph, "program", {weight_limit, objective});
    EXPECT_LE(circuit::noise_profile(circuit).largest_weight_norm, weight_limit);
    const circuit::Statistics statistics = circuit::statistics(circuit);
    return {statistics.bootstraps, statistics.depth};
}

void expect_at_most(const WordGraph& graph, int weight_limit, Objective objective, Cost limit) {
    const Cost cost = cost_of(graph, weight_limit, objective);
    EXPECT_LE(cost.bootstraps, limit.bootstraps);
    EXPECT_LE(cost.depth, limit.depth);
}

std::uint32_t logarithm(std::uint32_t n) {
    std::uint32_t out = 0;
    while (1U << out < n) ++out;
    return out;
}

TEST(WordPrograms, CostWhatTheyMay) {
    using enum Objective;
    expect_at_most(programs::dot_product(16, 16, 32), 3, depth, {12400, 20});
    expect_at_most(programs::dot_product(16, 16, 32), 14, depth, {7700, 18});
    expect_at_most(programs::multiply(16), 3, depth, {830, 14});
    expect_at_most(programs::multiply(16), 3, size, {740, 31});
    expect_at_most(programs::multiply(16), 14, depth, {615, 12});
    expect_at_most(programs::multiply(16), 14, size, {495, 40});
    expect_at_most(programs::add(32), 3, size, {64, 32});
    expect_at_most(programs::add(32), 3, depth, {153, 7});
    expect_at_most(programs::add(32), 14, depth, {136, 6});
    for (const int weight : {3, 14}) {
        expect_at_most(programs::signed_less(32), weight, size, {32, 32});
        expect_at_most(programs::signed_less(32), weight, depth, {58, 6});
    }
    expect_at_most(programs::popcount(64), 3, size, {126, 11});
    expect_at_most(programs::popcount(64), 14, size, {87, 9});
    expect_at_most(programs::sort(8, 8), 3, size, {760, 60});
    expect_at_most(programs::sort(8, 8), 14, size, {610, 54});
    for (const Objective objective : {size, depth}) {
        expect_at_most(programs::table_entry(4, 64), 3, objective, {1600, 7});
        expect_at_most(programs::table_entry(4, 64), 14, objective, {1112, 5});
    }
}

TEST(WordPrograms, CostByFormulaAtOtherWidths) {
    using enum Objective;
    for (const std::uint32_t n : {5U, 12U, 24U, 40U, 61U}) {
        SCOPED_TRACE(n);
        expect_at_most(programs::add(n), 3, size, {2 * n - 1, n});
        expect_at_most(programs::add(n), 3, depth, {n * (logarithm(n) + 1), logarithm(n) + 2});
        expect_at_most(programs::add(n), 11, depth, {n * (logarithm(n) + 1), logarithm(n) + 1});
        expect_at_most(programs::signed_less(n), 3, size, {n, n});
        expect_at_most(programs::signed_less(n), 3, depth, {2 * n, logarithm(n) + 1});
        expect_at_most(programs::popcount(n), 3, size, {2 * n - 2, 2 * logarithm(n)});
        expect_at_most(programs::sort(4, n), 3, size, {5 * 5 * n, 3 * (n + 2)});
        expect_at_most(programs::sort(4, n), 6, size, {5 * 4 * n, 3 * (n + 1)});
    }
    for (const std::uint32_t n : {6U, 11U, 24U}) {
        SCOPED_TRACE(n);
        expect_at_most(programs::multiply(n), 3, size, {3 * n * n - 2 * n, 2 * n + 1});
        expect_at_most(programs::multiply(n), 3, depth, {3 * n * n + 4 * n, 2 * logarithm(n) + 6});
        expect_at_most(programs::multiply(n), 14, size, {2 * n * n + 2 * n, 3 * n});
    }
}

/// The same sum with the products in another order, the operands swapped, and subtracted from a negative
/// start.
TEST(WordPrograms, SumsCostTheSameHoweverTheyAreWritten) {
    WordGraph graph;
    std::vector<Word> x;
    for (std::uint32_t i = 0; i < 32; ++i)
        x.push_back(graph.sign_extend(graph.input("in" + std::to_string(31 - i), 16, true), 32));
    Word left = graph.constant(0, 32);
    Word right = graph.constant(0, 32);
    for (std::uint32_t i = 0; i < 8; ++i) {
        left = graph.subtract(left, graph.multiply(x[31 - i], x[i]));
        right = graph.add(graph.multiply(x[15 - i], x[16 + i]), right);
    }
    graph.output("r", graph.subtract(right, left), true);
    expect_at_most(graph, 3, Objective::depth, {12400, 20});
    expect_at_most(graph, 14, Objective::depth, {7700, 18});
}

/// Bytes to memory and back are the word again.
TEST(WordPrograms, WordsSurviveMemory) {
    WordGraph graph;
    const Word a = graph.input("a", 32, true);
    const Word b = graph.input("b", 32, true);
    const Word c = graph.input("c", 1, false);
    std::vector<Word> bytes;
    for (std::uint32_t i = 0; i < 4; ++i) {
        bytes.push_back(
            graph.select(c, graph.extract(a, 8 * i, 8), graph.extract(graph.add(a, b), 8 * i, 8)));
    }
    const Word loaded = graph.concatenate(bytes);
    EXPECT_EQ(loaded, graph.select(c, a, graph.add(a, b)));
    std::vector<Word> extended;
    const Word wide = graph.sign_extend(graph.extract(a, 0, 16), 32);
    for (std::uint32_t i = 0; i < 4; ++i) extended.push_back(graph.extract(wide, 8 * i, 8));
    EXPECT_EQ(graph.concatenate(extended), wide);
    const Word tall = graph.zero_extend(a, 64);
    const Word halves[] = {graph.extract(tall, 0, 32), graph.extract(tall, 32, 32)};
    EXPECT_EQ(graph.concatenate(halves), tall);
}

/// Chains as long as a loop makes them, taken apart at their end.
TEST(WordPrograms, LongChainsNeedNoDeepStack) {
    WordGraph graph;
    Word x = graph.input("x", 16, false);
    Word y = x;
    const Word condition = graph.input("c", 1, false);
    for (std::uint32_t i = 0; i < 30000; ++i) {
        x = graph.bit_xor(graph.bit_or(x, graph.constant(0x5500, 16)), graph.constant(0x3355, 16));
        const Word parts[] = {graph.extract(y, 8, 8), graph.extract(graph.bit_xor(x, y), 0, 8)};
        y = graph.select(condition, graph.concatenate(parts), graph.add(y, x));
    }
    graph.output("low", graph.extract(x, 0, 8), false);
    EXPECT_EQ(graph.width(y), 16U);
    const circuit::Circuit circuit = lower(graph, "chain", {});
    circuit::Simulator simulator(circuit);
    EXPECT_EQ(simulate(circuit, simulator, {{0x1234, 0}}), (std::vector<Numbers>{{0x34}}));
}

TEST(WordPrograms, NarrowWordsInWideArithmeticCostTheirOwnWidth) {
    // int64 arithmetic on bytes.
    WordGraph graph;
    const Word a = graph.sign_extend(graph.input("a", 8, true), 64);
    const Word b = graph.sign_extend(graph.input("b", 8, true), 64);
    const Word c = graph.zero_extend(graph.input("c", 8, false), 64);
    graph.output("y", graph.add(graph.multiply(a, b), c), true);
    graph.output("less", graph.signed_less(a, b), false);
    graph.output("q", graph.unsigned_divide(c, graph.constant(10, 64)), false);
    EXPECT_LT(cost_of(graph, 3, Objective::size).bootstraps, 3 * 64 + 16 + 8 + 8 * 14);
}

/// if (c_i) sum += v_i; the guarded words are one carry-save sum.
TEST(WordPrograms, ConditionalAdditionsAreOneSum) {
    WordGraph graph;
    Word sum = graph.constant(0, 32);
    for (std::uint32_t i = 0; i < 8; ++i) {
        const Word value = graph.sign_extend(graph.input("v" + std::to_string(i), 16, true), 32);
        const Word condition = graph.input("c" + std::to_string(i), 1, false);
        sum = graph.select(condition, i % 2 == 0 ? graph.add(sum, value) : graph.subtract(sum, value), sum);
    }
    graph.output("sum", sum, true);
    // 16 ANDs a word, then 7 additions of 16 bits and a little more.
    expect_at_most(graph, 3, Objective::size, {8 * 16 + 7 * 2 * 19, 30});
    expect_at_most(graph, 3, Objective::depth, {8 * 16 + 7 * 2 * 19 + 120, 11});
    expect_lowered(
        graph, vectors_for(graph, 1),
        [](const Numbers& v) {
            std::uint64_t out = 0;
            for (std::size_t i = 0; i < 8; ++i) {
                const auto value = static_cast<std::uint64_t>(as_signed(v[2 * i], 16));
                if (v[2 * i + 1] != 0) out += i % 2 == 0 ? value : 0 - value;
            }
            return Numbers{out};
        },
        all_mappings());
}

TEST(WordPrograms, TheSameGraphGivesTheSameBytes) {
    for (const MappingOptions& options : all_mappings()) {
        const auto text = [&] {
            return circuit::write_native(lower(programs::dot_product(3, 9, 24), "dot", options));
        };
        EXPECT_EQ(text(), text()) << name_of(options);
    }
}

TEST(WordPrograms, UnusedInputsAndConstantOutputsStay) {
    WordGraph graph;
    const Word a = graph.input("a", 8, true);
    static_cast<void>(graph.input("unused", 3, false));
    graph.output("fixed", graph.constant(0xd7, 8), true);
    graph.output("same", a, false);
    const circuit::Circuit circuit = lower(graph, "ports", {});
    EXPECT_EQ(circuit.bootstraps(), 0U);
    ASSERT_EQ(circuit.inputs.size(), 2U);
    EXPECT_EQ(circuit.inputs[1].name, "unused");
    EXPECT_EQ(circuit.inputs[1].signals.size(), 3U);
    circuit::Simulator simulator(circuit);
    EXPECT_EQ(simulate(circuit, simulator, {{0x35, 0}}), (std::vector<Numbers>{{0xd7, 0x35}}));
}

TEST(WordPrograms, CostsAreChargedToTheLinesTheyComeFrom) {
    WordGraph graph;
    const std::uint32_t file = graph.add_file("a.c");
    EXPECT_EQ(graph.add_file("a.c"), file);
    const Word a = graph.input("a", 8, false);
    const Word b = graph.input("b", 8, false);
    graph.set_location({file, 7, 1});
    const Word sum = graph.add(a, b);
    graph.set_location({file, 9, 3});
    graph.output("y", graph.unsigned_less(sum, a), false);
    CostByLocation cost;
    const circuit::Circuit circuit = lower(graph, "carry", {}, &cost);
    std::uint64_t total = 0;
    for (const auto& [location, bootstraps] : cost.bootstraps) total += bootstraps;
    EXPECT_EQ(total, circuit.bootstraps());
    EXPECT_EQ(cost.bootstraps.at({file, 7, 1}), 15U);
    EXPECT_EQ(cost.bootstraps.at({file, 9, 3}), 8U);
}

TEST(WordPrograms, WidthsThatDoNotFitAreAnInternalError) {
    WordGraph graph;
    const Word a = graph.input("a", 8, false);
    const Word b = graph.input("b", 7, false);
    const auto refused = [&](auto&& call) {
        toroid::tests::expect_error(ErrorKind::internal, {"word"}, call);
    };
    refused([&] { static_cast<void>(graph.add(a, b)); });
    refused([&] { static_cast<void>(graph.equal(a, b)); });
    refused([&] { static_cast<void>(graph.select(a, b, b)); });
    refused([&] { static_cast<void>(graph.extract(b, 4, 4)); });
    refused([&] { static_cast<void>(graph.zero_extend(a, 7)); });
    refused([&] { static_cast<void>(graph.concatenate({})); });
}

}  // namespace
}  // namespace toroid::compiler::tests
