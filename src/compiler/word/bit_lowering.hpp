// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/word/column_sum.hpp"
#include "compiler/word/divider.hpp"
#include "compiler/word/gate_net.hpp"
#include "compiler/word/lower.hpp"
#include "compiler/word/multiplier.hpp"
#include "compiler/word/number.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// Turns the words that a graph's outputs need into wires of a GateNet. A word that only one other word reads
/// may be taken apart by it: sums of sums become one carry-save sum, trees of selects one one-hot selection.
class BitLowering {
 public:
    using Bits = std::vector<Literal>;

    BitLowering(const WordGraph& graph, GateNet& net, Objective objective);
    /// Lowers all outputs. Then bits() of every input and output may be asked for.
    void run();
    [[nodiscard]] const Bits& bits(Word word) const { return bits_[word.id]; }

 private:
    /// One summand, sign 2^exponent times: a word, a product of two (`factor`), or a choice: a select one of
    /// whose arms is a negation.
    struct Summand {
        enum class Kind : std::uint8_t { word, product, choice };
        Kind kind = Kind::word;
        bool negative = false;
        Word word;
        Word factor;
        std::uint64_t exponent = 0;
    };
    /// A tree of selects: leaf i is chosen if all the conditions of its path hold.
    struct SelectTree {
        struct Leaf {
            Word word;
            std::uint32_t path = 0;
        };
        struct Path {
            std::uint32_t parent = 0;
            Word condition;
            bool negated = false;
        };
        std::vector<Leaf> leaves;
        std::vector<Path> paths{{}};  ///< paths[0] is the root
        bool balanced = false;
    };

    void count_readers();
    [[nodiscard]] WordOp op(Word word) const { return graph_.node(word).op; }
    [[nodiscard]] Word operand(Word word, std::size_t i) const { return graph_.operands(word)[i]; }
    [[nodiscard]] std::uint32_t width(Word word) const { return graph_.width(word); }
    [[nodiscard]] bool is_inner(Word word) const { return readers_[word.id] == 1; }
    [[nodiscard]] Number number(Word word) const { return number_of(bits_[word.id], ranges_[word.id]); }
    [[nodiscard]] ValueRange range(Word word) const;

    /// The words whose bits `word` is made of.
    std::vector<Word> requirements(Word word);
    void lower_word(Word word);
    Bits lower_structure(Word word);
    Bits lower_bitwise(Word word);
    Bits lower_compare(Word word);
    Bits lower_popcount(Word word);
    const Division& division(Word word);
    void gather_leaves(Word word, std::vector<Word>& leaves, std::vector<Word>& products) const;
    void find_range(Word word);

    [[nodiscard]] bool is_sum(Word word) const;
    [[nodiscard]] Word inner_sum(Word word, std::uint64_t& exponent) const;
    [[nodiscard]] std::vector<Summand> gather(Word word) const;
    [[nodiscard]] Word without_negation(Word word, bool& negated) const;
    Bits resolve_sum(Word word, const std::vector<Summand>& summands);
    void add_choice(ColumnSum& sum, const Summand& summand);
    [[nodiscard]] ValueRange summand_range(const Summand& summand) const;

    [[nodiscard]] bool negates(Word word, Word& value, bool& if_one) const;
    [[nodiscard]] SelectTree select_tree(Word word) const;
    [[nodiscard]] bool prefer_one_hot(const SelectTree& tree, std::uint32_t width) const;
    bool lower_table(const SelectTree& tree, std::uint32_t width, Bits& out);
    Bits lower_one_hot(const SelectTree& tree, std::uint32_t width);
    Bits lower_select(Word word);

    const WordGraph& graph_;
    GateNet& net_;
    Objective objective_;
    std::vector<std::uint32_t> readers_;
    std::vector<Bits> bits_;
    std::vector<ValueRange> ranges_;
    std::vector<bool> done_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Division> divisions_;
};

}  // namespace toroid::compiler
