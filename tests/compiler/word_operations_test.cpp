// SPDX-License-Identifier: Apache-2.0
// Every operation of the word graph against plain integer arithmetic, through the circuit.
#include <bit>

#include "compiler/word_support.hpp"
#include "support/seed.hpp"

namespace toroid::compiler::tests {

std::vector<Numbers> vectors_for(const WordGraph& graph, std::uint64_t purpose, std::size_t random_count,
                                 std::uint32_t most_exhaustive_bits) {
    std::uint32_t total = 0;
    for (const WordGraph::Input& input : graph.inputs()) total += input.width;
    std::vector<Numbers> out;
    if (total <= most_exhaustive_bits) {
        for (std::uint64_t all = 0; all < std::uint64_t{1} << total; ++all) {
            Numbers vector;
            std::uint32_t at = 0;
            for (const WordGraph::Input& input : graph.inputs()) {
                vector.push_back(low_bits(all >> at, input.width));
                at += input.width;
            }
            out.push_back(vector);
        }
        return out;
    }
    auto random = toroid::tests::generator(purpose);
    for (std::size_t v = 0; v < random_count; ++v) {
        Numbers vector;
        for (const WordGraph::Input& input : graph.inputs()) {
            const std::uint64_t sign = std::uint64_t{1} << (input.width - 1);
            const std::uint64_t edges[] = {0, 1, ~std::uint64_t{0}, sign, sign - 1, sign + 1, 2};
            const std::uint64_t value = random();
            std::uint64_t word = random() >> (random() % 64);
            if (value % 4 == 0) word = edges[value / 4 % 7];
            // Equal and nearly equal operands are as rare as they are telling.
            if (value % 16 == 1 && !vector.empty()) word = vector.back() + value / 16 % 3 - 1;
            vector.push_back(low_bits(word, input.width));
        }
        out.push_back(vector);
    }
    return out;
}

namespace {

using Make = std::function<Word(WordGraph&, Word, Word)>;
using Compute = std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint32_t)>;
struct Operation {
    std::string name;
    Make make;
    Compute compute;
};

std::uint64_t signed_quotient(std::uint64_t x, std::uint64_t y, std::uint32_t w) {
    const std::int64_t a = as_signed(x, w);
    const std::int64_t b = as_signed(y, w);
    if (b == 0) return a < 0 ? 1 : ~std::uint64_t{0};
    return b == -1 ? 0 - x : static_cast<std::uint64_t>(a / b);
}
std::uint64_t signed_rest(std::uint64_t x, std::uint64_t y, std::uint32_t w) {
    const std::int64_t a = as_signed(x, w);
    const std::int64_t b = as_signed(y, w);
    if (b == 0) return x;
    return b == -1 ? 0 : static_cast<std::uint64_t>(a % b);
}
std::uint64_t shifted_left(std::uint64_t x, std::uint64_t y, std::uint32_t w) {
    return y >= w ? 0 : x << y;
}
std::uint64_t shifted_right(std::uint64_t x, std::uint64_t y, std::uint32_t w) {
    return y >= w ? 0 : x >> y;
}
std::uint64_t rotated(std::uint64_t x, std::uint64_t by, std::uint32_t w) {
    by %= w;
    return by == 0 ? x : x << by | x >> (w - by);
}
std::uint64_t leading_zeros(std::uint64_t x, std::uint32_t w) {
    return static_cast<std::uint64_t>(std::countl_zero(x)) - (64 - w);
}
std::uint64_t trailing_zeros(std::uint64_t x, std::uint32_t w) {
    return x == 0 ? w : static_cast<std::uint64_t>(std::countr_zero(x));
}

std::vector<Operation> operations() {
    using G = WordGraph;
    return {
        {"add", [](G& g, Word a, Word b) { return g.add(a, b); }, [](auto a, auto b, auto) { return a + b; }},
        {"subtract", [](G& g, Word a, Word b) { return g.subtract(a, b); },
         [](auto a, auto b, auto) { return a - b; }},
        {"multiply", [](G& g, Word a, Word b) { return g.multiply(a, b); },
         [](auto a, auto b, auto) { return a * b; }},
        {"square", [](G& g, Word a, Word) { return g.multiply(a, a); },
         [](auto a, auto, auto) { return a * a; }},
        {"unsigned_divide", [](G& g, Word a, Word b) { return g.unsigned_divide(a, b); },
         [](auto a, auto b, auto) { return b == 0 ? ~std::uint64_t{0} : a / b; }},
        {"unsigned_remainder", [](G& g, Word a, Word b) { return g.unsigned_remainder(a, b); },
         [](auto a, auto b, auto) { return b == 0 ? a : a % b; }},
        {"signed_divide", [](G& g, Word a, Word b) { return g.signed_divide(a, b); }, signed_quotient},
        {"signed_remainder", [](G& g, Word a, Word b) { return g.signed_remainder(a, b); }, signed_rest},
        {"negate", [](G& g, Word a, Word) { return g.negate(a); }, [](auto a, auto, auto) { return 0 - a; }},
        {"bit_and", [](G& g, Word a, Word b) { return g.bit_and(a, b); },
         [](auto a, auto b, auto) { return a & b; }},
        {"bit_or", [](G& g, Word a, Word b) { return g.bit_or(a, b); },
         [](auto a, auto b, auto) { return a | b; }},
        {"bit_xor", [](G& g, Word a, Word b) { return g.bit_xor(a, b); },
         [](auto a, auto b, auto) { return a ^ b; }},
        {"bit_not", [](G& g, Word a, Word) { return g.bit_not(a); }, [](auto a, auto, auto) { return ~a; }},
        {"shift_left", [](G& g, Word a, Word b) { return g.shift_left(a, b); }, shifted_left},
        {"shift_right_logical", [](G& g, Word a, Word b) { return g.shift_right_logical(a, b); },
         shifted_right},
        {"shift_right_arithmetic", [](G& g, Word a, Word b) { return g.shift_right_arithmetic(a, b); },
         [](auto a, auto b, auto w) {
             return static_cast<std::uint64_t>(as_signed(a, w) >> std::min<std::uint64_t>(b, w - 1));
         }},
        {"rotate_left", [](G& g, Word a, Word b) { return g.rotate_left(a, b); }, rotated},
        {"rotate_right", [](G& g, Word a, Word b) { return g.rotate_right(a, b); },
         [](auto a, auto b, auto w) { return rotated(a, w - b % w, w); }},
        {"equal", [](G& g, Word a, Word b) { return g.equal(a, b); },
         [](auto a, auto b, auto) -> std::uint64_t { return a == b ? 1 : 0; }},
        {"not_equal", [](G& g, Word a, Word b) { return g.not_equal(a, b); },
         [](auto a, auto b, auto) -> std::uint64_t { return a != b ? 1 : 0; }},
        {"unsigned_less", [](G& g, Word a, Word b) { return g.unsigned_less(a, b); },
         [](auto a, auto b, auto) -> std::uint64_t { return a < b ? 1 : 0; }},
        {"signed_less", [](G& g, Word a, Word b) { return g.signed_less(a, b); },
         [](auto a, auto b, auto w) -> std::uint64_t { return as_signed(a, w) < as_signed(b, w) ? 1 : 0; }},
        {"maximum", [](G& g, Word a, Word b) { return g.select(g.signed_less(a, b), b, a); },
         [](auto a, auto b, auto w) { return as_signed(a, w) < as_signed(b, w) ? b : a; }},
        {"absolute difference",
         [](G& g, Word a, Word b) {
             return g.select(g.unsigned_less(a, b), g.subtract(b, a), g.subtract(a, b));
         },
         [](auto a, auto b, auto) { return a < b ? b - a : a - b; }},
        {"absolute",
         [](G& g, Word a, Word) {
             return g.select(g.signed_less(a, g.constant(0, g.width(a))), g.negate(a), a);
         },
         [](auto a, auto, auto w) { return as_signed(a, w) < 0 ? 0 - a : a; }},
        {"conditional sum",
         [](G& g, Word a, Word b) {
             return g.select(g.signed_less(a, b), g.add(a, b), g.subtract(a, g.multiply(b, a)));
         },
         [](auto a, auto b, auto w) { return as_signed(a, w) < as_signed(b, w) ? a + b : a - b * a; }},
        {"popcount", [](G& g, Word a, Word) { return g.popcount(a, g.width(a)); },
         [](auto a, auto, auto) { return static_cast<std::uint64_t>(std::popcount(a)); }},
        {"count_leading_zeros", [](G& g, Word a, Word) { return g.count_leading_zeros(a); },
         [](auto a, auto, auto w) { return leading_zeros(a, w); }},
        {"count_trailing_zeros", [](G& g, Word a, Word) { return g.count_trailing_zeros(a); },
         [](auto a, auto, auto w) { return trailing_zeros(a, w); }},
        {"any_bit", [](G& g, Word a, Word) { return g.any_bit(a); },
         [](auto a, auto, auto) -> std::uint64_t { return a != 0 ? 1 : 0; }},
        {"parity", [](G& g, Word a, Word) { return g.parity(a); },
         [](auto a, auto, auto) { return static_cast<std::uint64_t>(std::popcount(a) % 2); }},
    };
}

class WordOperation : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(WordOperation, ComputesWhatIntegersDo) {
    const std::uint32_t width = GetParam();
    for (const Operation& operation : operations()) {
        SCOPED_TRACE(operation.name);
        WordGraph graph;
        const Word a = graph.input("a", width, false);
        const Word b = graph.input("b", width, false);
        graph.output("y", operation.make(graph, a, b), false);
        const Reference reference = [&](const Numbers& v) {
            return Numbers{operation.compute(v[0], v[1], width)};
        };
        // All 2^18 vectors of the widest exhaustive case for the two mappings that differ most.
        const std::vector<MappingOptions> few{{3, Objective::size}, {14, Objective::depth}};
        const bool long_case = width == 8 || width == 9;
        expect_lowered(graph, vectors_for(graph, width), reference, long_case ? few : all_mappings());
        if (HasFatalFailure()) return;
    }
}
INSTANTIATE_TEST_SUITE_P(Widths, WordOperation, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 64));

}  // namespace
}  // namespace toroid::compiler::tests
