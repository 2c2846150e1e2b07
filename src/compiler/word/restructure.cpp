// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/restructure.hpp"

#include <algorithm>

namespace toroid::compiler {
namespace {

class Restructuring {
 public:
    explicit Restructuring(const WordGraph& from) : from_(from), to_(from.size()), readers_(from.size(), 0) {}

    WordGraph run() {
        count_readers();
        for (const std::string& file : from_.files()) static_cast<void>(out_.add_file(file));
        for (const WordGraph::Input& input : from_.inputs()) {
            out_.set_location(from_.node(input.word).location);
            to_[input.word.id] = out_.input(input.name, input.width, input.is_signed);
        }
        // Operands are older than what reads them.
        for (std::uint32_t id = 0; id < from_.size(); ++id) {
            if (readers_[id] == 0 || from_.node({id}).op == WordOp::input) continue;
            out_.set_location(from_.node({id}).location);
            to_[id] = rebuild({id});
        }
        for (const WordGraph::Output& output : from_.outputs())
            out_.output(output.name, to_[output.word.id], output.is_signed);
        return std::move(out_);
    }

 private:
    void count_readers() {
        std::vector<Word> open;
        const auto read = [&](Word word, std::uint32_t times) {
            if (readers_[word.id] == 0) open.push_back(word);
            readers_[word.id] += times;
        };
        for (const WordGraph::Output& output : from_.outputs()) read(output.word, 2);
        while (!open.empty()) {
            const Word word = open.back();
            open.pop_back();
            for (const Word operand : from_.operands(word)) read(operand, 1);
        }
    }
    [[nodiscard]] bool is(Word word, WordOp op) const { return from_.node(word).op == op; }
    [[nodiscard]] bool is_inner(Word word) const { return readers_[word.id] == 1; }
    [[nodiscard]] Word made(Word word) const { return to_[word.id]; }

    /// The summands of a sum of two that only its select reads, else the word itself.
    [[nodiscard]] std::vector<Word> summands(Word word) const {
        if (is(word, WordOp::add) && is_inner(word)) {
            const auto operands = from_.operands(word);
            return {operands.begin(), operands.end()};
        }
        return {word};
    }
    Word rebuild_select(Word word) {
        const auto operands = from_.operands(word);
        const Word condition = made(operands[0]);
        std::vector<Word> arms[] = {summands(operands[1]), summands(operands[2])};
        if (arms[0].size() + arms[1].size() > 2) {
            for (const Word common : arms[0]) {
                const auto other = std::find(arms[1].begin(), arms[1].end(), common);
                if (other == arms[1].end()) continue;
                arms[1].erase(other);
                arms[0].erase(std::find(arms[0].begin(), arms[0].end(), common));
                const auto rest = [&](const std::vector<Word>& arm) {
                    return arm.empty() ? out_.constant(0, from_.width(word)) : made(arm.front());
                };
                const Word if_one = rest(arms[0]);
                return out_.add(made(common), gate(condition, if_one, rest(arms[1])));
            }
        }
        return gate(condition, made(operands[1]), made(operands[2]));
    }
    /// A product under a condition is a product of a factor under the condition, which is a word less wide.
    Word gate(Word condition, Word if_one, Word if_zero) {
        const auto factor = [&](Word product, bool one) {
            const Word x = out_.operands(product)[0];
            const Word y = out_.operands(product)[1];
            const Word zero = out_.constant(0, out_.width(y));
            return out_.multiply(x, one ? out_.select(condition, y, zero) : out_.select(condition, zero, y));
        };
        const auto product = [&](Word word) {
            return out_.node(word).op == WordOp::multiply && !out_.is_constant(out_.operands(word)[1]);
        };
        if (product(if_one) && out_.is_zero(if_zero)) return factor(if_one, true);
        if (product(if_zero) && out_.is_zero(if_one)) return factor(if_zero, false);
        return out_.select(condition, if_one, if_zero);
    }
    Word rebuild(Word word) {
        const WordGraph::Node& node = from_.node(word);
        const auto x = [&](std::size_t i) { return made(from_.operands(word)[i]); };
        switch (node.op) {
            case WordOp::input:
                return made(word);
            case WordOp::constant:
                return out_.constant(from_.constant_bits(word));
            case WordOp::add:
                return out_.add(x(0), x(1));
            case WordOp::multiply:
                return out_.multiply(x(0), x(1));
            case WordOp::unsigned_divide:
                return out_.unsigned_divide(x(0), x(1));
            case WordOp::unsigned_remainder:
                return out_.unsigned_remainder(x(0), x(1));
            case WordOp::bit_and:
                return out_.bit_and(x(0), x(1));
            case WordOp::bit_or:
                return out_.bit_or(x(0), x(1));
            case WordOp::bit_xor:
                return out_.bit_xor(x(0), x(1));
            case WordOp::bit_not:
                return out_.bit_not(x(0));
            case WordOp::negate:
                return out_.negate(x(0));
            case WordOp::shift_left:
                return out_.shift_left(x(0), x(1));
            case WordOp::shift_right_logical:
                return out_.shift_right_logical(x(0), x(1));
            case WordOp::shift_right_arithmetic:
                return out_.shift_right_arithmetic(x(0), x(1));
            case WordOp::equal:
                return out_.equal(x(0), x(1));
            case WordOp::unsigned_less:
                return out_.unsigned_less(x(0), x(1));
            case WordOp::signed_less:
                return out_.signed_less(x(0), x(1));
            case WordOp::select:
                return rebuild_select(word);
            case WordOp::concatenate: {
                std::vector<Word> parts;
                for (const Word part : from_.operands(word)) parts.push_back(made(part));
                return out_.concatenate(parts);
            }
            case WordOp::extract:
                return out_.extract(x(0), node.parameter, node.width);
            case WordOp::zero_extend:
                return out_.zero_extend(x(0), node.width);
            case WordOp::sign_extend:
                return out_.sign_extend(x(0), node.width);
            case WordOp::popcount:
                return out_.popcount(x(0), node.width);
            case WordOp::lookup:
                return out_.lookup(x(0), from_.table(word));
        }
        return made(word);
    }

    const WordGraph& from_;
    WordGraph out_;
    std::vector<Word> to_;
    std::vector<std::uint32_t> readers_;
};

}  // namespace

WordGraph restructure(const WordGraph& graph) {
    return Restructuring(graph).run();
}

}  // namespace toroid::compiler
