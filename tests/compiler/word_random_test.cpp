// SPDX-License-Identifier: Apache-2.0
// Random programs: what the simplifications and the lowering make of words that meet in ways nobody wrote
// down.
#include <random>

#include "compiler/word/constant_arithmetic.hpp"
#include "compiler/word/word_check.hpp"
#include "compiler/word/word_evaluation.hpp"
#include "compiler/word_support.hpp"
#include "support/expect_error.hpp"
#include "support/seed.hpp"

namespace toroid::compiler::tests {
namespace {

/// A graph built step by step beside a reference that computes the same on numbers.
class RandomProgram {
 public:
    explicit RandomProgram(std::uint64_t number) : random_(toroid::tests::generator(1000 + number)) {
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t width = 1 + below(16);
            const auto at = static_cast<std::size_t>(i);
            put(graph.input("x" + std::to_string(i), width, false),
                [at](const Numbers& values) { return values[at]; });
        }
        for (int i = 0; i < 40; ++i) step();
        for (std::size_t i = steps_.size() - 8; i < steps_.size(); ++i)
            graph.output("y" + std::to_string(i), steps_[i].word, false);
    }

    [[nodiscard]] Numbers run(const Numbers& inputs) const {
        Numbers values = inputs;
        for (std::size_t i = inputs.size(); i < steps_.size(); ++i)
            values.push_back(low_bits(steps_[i].compute(values), steps_[i].width));
        return {values.end() - 8, values.end()};
    }

    WordGraph graph;

 private:
    struct Step {
        Word word;
        std::uint32_t width;
        std::function<std::uint64_t(const Numbers&)> compute;
    };
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    void put(Word word, std::function<std::uint64_t(const Numbers&)> compute) {
        steps_.push_back({word, graph.width(word), std::move(compute)});
    }
    /// A step so far (the last ones more often) or a small constant, brought to a width.
    Step operand(std::uint32_t width) {
        if (below(6) == 0) {
            const std::uint64_t value = below(3) == 0 ? ~std::uint64_t{0} << below(8) : below(12);
            return {graph.constant(low_bits(value, width), width), width,
                    [=](const Numbers&) { return low_bits(value, width); }};
        }
        const auto count = static_cast<std::uint32_t>(steps_.size());
        const std::size_t at = below(2) == 0 ? below(count) : count - 1 - below(std::min(count, 6U));
        const std::uint32_t from = steps_[at].width;
        const bool is_signed = below(2) == 0;
        return {graph.resize(steps_[at].word, width, is_signed), width, [=](const Numbers& values) {
                    const auto wide = static_cast<std::uint64_t>(as_signed(values[at], from));
                    return low_bits(is_signed ? wide : values[at], width);
                }};
    }
    void step() {
        const std::uint32_t width = below(4) == 0 ? 1 : 1 + below(24);
        const Step a = operand(width);
        const Step b = operand(width);
        const Step c = operand(1);
        const auto x = a.compute;
        const auto y = b.compute;
        const auto z = c.compute;
        switch (below(18)) {
            case 0:
            case 1:
                return put(graph.add(a.word, b.word), [=](const Numbers& v) { return x(v) + y(v); });
            case 2:
                return put(graph.subtract(a.word, b.word), [=](const Numbers& v) { return x(v) - y(v); });
            case 3:
                return put(graph.multiply(a.word, b.word), [=](const Numbers& v) { return x(v) * y(v); });
            case 4:
                return put(graph.negate(a.word), [=](const Numbers& v) { return 0 - x(v); });
            case 5:
                return put(graph.bit_and(a.word, b.word), [=](const Numbers& v) { return x(v) & y(v); });
            case 6:
                return put(graph.bit_or(a.word, b.word), [=](const Numbers& v) { return x(v) | y(v); });
            case 7:
                return put(graph.bit_xor(a.word, b.word), [=](const Numbers& v) { return x(v) ^ y(v); });
            case 8:
                return put(graph.bit_not(a.word), [=](const Numbers& v) { return ~x(v); });
            case 9:
            case 10:
            case 11:
                return put(graph.select(c.word, a.word, b.word),
                           [=](const Numbers& v) { return z(v) != 0 ? x(v) : y(v); });
            case 12:
                return put(graph.equal(a.word, b.word),
                           [=](const Numbers& v) -> std::uint64_t { return x(v) == y(v) ? 1 : 0; });
            case 13:
                return put(graph.signed_less(a.word, b.word), [=](const Numbers& v) -> std::uint64_t {
                    return as_signed(x(v), width) < as_signed(y(v), width) ? 1 : 0;
                });
            case 14:
                return put(graph.unsigned_less(a.word, b.word),
                           [=](const Numbers& v) -> std::uint64_t { return x(v) < y(v) ? 1 : 0; });
            case 15: {
                const std::uint32_t first = below(width);
                const std::uint32_t part = 1 + below(width - first);
                return put(graph.extract(a.word, first, part),
                           [=](const Numbers& v) { return low_bits(x(v) >> first, part); });
            }
            case 16: {
                const Word parts[] = {a.word, c.word, b.word};
                return put(graph.concatenate(parts),
                           [=](const Numbers& v) { return x(v) | z(v) << width | y(v) << (width + 1); });
            }
            default: {
                const Step amount = operand(1 + below(5));
                const auto by = amount.compute;
                return put(graph.shift_left(a.word, amount.word),
                           [=](const Numbers& v) { return by(v) >= width ? 0 : x(v) << by(v); });
            }
        }
    }

    std::mt19937_64 random_;
    std::vector<Step> steps_;
};

TEST(WordRandom, ProgramsComputeWhatTheirNumbersDo) {
    for (std::uint64_t number = 0; number < 300; ++number) {
        SCOPED_TRACE(number);
        const RandomProgram program(number);
        expect_lowered(
            program.graph, vectors_for(program.graph, number, 64, 6),
            [&](const Numbers& inputs) { return program.run(inputs); },
            {{3, Objective::size}, {3, Objective::depth}, {7, Objective::size}, {14, Objective::depth}});
        if (HasFatalFailure()) return;
    }
}

/// The meaning of words, by which circuits are checked, agrees with numbers too.
TEST(WordRandom, EvaluationAgreesWithNumbersAndCircuits) {
    for (std::uint64_t number = 300; number < 340; ++number) {
        SCOPED_TRACE(number);
        const RandomProgram program(number);
        for (const Numbers& vector : vectors_for(program.graph, number, 16, 4)) {
            std::vector<base::BitVector> inputs;
            for (std::size_t i = 0; i < vector.size(); ++i)
                inputs.push_back(constants::make(vector[i], program.graph.inputs()[i].width));
            const std::vector<base::BitVector> outputs = evaluate(program.graph, inputs);
            const Numbers expected = program.run(vector);
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const auto width = static_cast<std::uint32_t>(outputs[i].size());
                ASSERT_EQ(outputs[i], constants::make(low_bits(expected[i], width), width));
            }
        }
        circuit::Circuit circuit = lower(program.graph, "program", {});
        EXPECT_NO_THROW(check_against_words(program.graph, circuit, 32));
        // A wrong output bit is found.
        circuit::Literal& bit = circuit.outputs.back().bits.back();
        bit = !bit;
        toroid::tests::expect_error(ErrorKind::circuit, {circuit.outputs.back().name, "x0"},
                                    [&] { check_against_words(program.graph, circuit, 32); });
    }
}

}  // namespace
}  // namespace toroid::compiler::tests
