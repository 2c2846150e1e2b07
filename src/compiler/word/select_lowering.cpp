// SPDX-License-Identifier: Apache-2.0
// Selects: conditional negation, one-hot selection from trees, else bit by bit.
#include <algorithm>
#include <cmath>

#include "compiler/word/bit_lowering.hpp"
#include "compiler/word/carry_chain.hpp"
#include "compiler/word/gate_trees.hpp"
#include "compiler/word/selection.hpp"

namespace toroid::compiler {
namespace {

constexpr std::size_t largest_table_index = 16;

}  // namespace

/// Whether the select is -value under a condition, else value; `if_one`: if the condition is 1.
bool BitLowering::negates(Word word, Word& value, bool& if_one) const {
    for (std::size_t arm = 1; arm <= 2; ++arm) {
        const Word negation = operand(word, arm);
        value = operand(word, 3 - arm);
        if_one = arm == 1;
        if (op(negation) == WordOp::negate && is_inner(negation) && operand(negation, 0) == value)
            return true;
    }
    return false;
}

/// The selects that only `word` reads, directly or through each other.
BitLowering::SelectTree BitLowering::select_tree(Word word) const {
    SelectTree out;
    std::vector<SelectTree::Leaf> open{{word, 0}};
    std::vector<std::uint32_t> depth{0};
    std::uint32_t deepest = 0;
    while (!open.empty()) {
        const SelectTree::Leaf at = open.back();
        open.pop_back();
        Word value;
        bool if_one = false;
        const bool apart = op(at.word) == WordOp::select && (at.word == word || is_inner(at.word)) &&
                           !negates(at.word, value, if_one);
        if (!apart) {
            out.leaves.push_back(at);
            continue;
        }
        for (const bool one : {true, false}) {
            const auto path = static_cast<std::uint32_t>(out.paths.size());
            out.paths.push_back({at.path, operand(at.word, 0), !one});
            depth.push_back(depth[at.path] + 1);
            deepest = std::max(deepest, depth.back());
            open.push_back({operand(at.word, one ? 1 : 2), path});
        }
    }
    out.balanced = (std::size_t{1} << std::min(deepest, 40U)) <= 4 * out.leaves.size();
    return out;
}

/// Whether one wire for each leaf, ANDed with the leaf and added, takes fewer gates than the selects.
bool BitLowering::prefer_one_hot(const SelectTree& tree, std::uint32_t width) const {
    if (tree.leaves.size() < 3) return false;
    double data = 0;
    double constants = 0;
    for (const SelectTree::Leaf& leaf : tree.leaves) {
        if (graph_.is_zero(leaf.word)) continue;
        (graph_.is_constant(leaf.word) ? constants : data) += 1;
    }
    if (data == 0) return true;
    const double leaves = static_cast<double>(tree.leaves.size());
    const double fan_in = net_.weight_limit();
    const double selects = width * (2 * (data - 1) + constants);
    const double rows = data + constants / 2;
    const double one_hot = 1.5 * leaves + width * (data + std::ceil((rows - 1) / (fan_in - 1)));
    return one_hot < selects;
}

/// A complete tree of constants, every level under one condition, is a table.
bool BitLowering::lower_table(const SelectTree& tree, std::uint32_t width, Bits& out) {
    std::vector<Literal> index;  // the condition nearest to the leaves first
    std::vector<base::BitVector> entries;
    for (const SelectTree::Leaf& leaf : tree.leaves) {
        if (!graph_.is_constant(leaf.word)) return false;
        std::vector<Literal> conditions;
        std::size_t number = 0;
        for (std::uint32_t path = leaf.path; path != 0; path = tree.paths[path].parent) {
            const Literal condition = bits_[tree.paths[path].condition.id][0];
            if (conditions.size() == largest_table_index) return false;
            if (!tree.paths[path].negated) number |= std::size_t{1} << conditions.size();
            conditions.push_back(condition);
        }
        if (entries.empty()) {
            index = conditions;
            entries.resize(std::size_t{1} << index.size());
        }
        if (conditions != index || !entries[number].empty()) return false;
        entries[number] = graph_.constant_bits(leaf.word);
    }
    if (tree.leaves.size() != entries.size()) return false;
    out = table_lookup(net_, index, entries, width);
    return true;
}

BitLowering::Bits BitLowering::lower_one_hot(const SelectTree& tree, std::uint32_t width) {
    Bits out;
    if (lower_table(tree, width, out)) return out;
    std::vector<Literal> chosen(tree.paths.size(), Literal::constant(true));
    if (tree.balanced) {
        // Conditions pairwise from the leaves' end, so that leaves share what they have in common there.
        for (const SelectTree::Leaf& leaf : tree.leaves) {
            std::vector<Literal> conditions;
            for (std::uint32_t path = leaf.path; path != 0; path = tree.paths[path].parent) {
                const Literal condition = bits_[tree.paths[path].condition.id][0];
                conditions.push_back(tree.paths[path].negated ? !condition : condition);
            }
            std::sort(conditions.begin(), conditions.end(),
                      [](Literal a, Literal b) { return a.signal() < b.signal(); });
            while (conditions.size() > 1) {
                std::vector<Literal> next;
                for (std::size_t i = 0; i + 1 < conditions.size(); i += 2)
                    next.push_back(net_.and_gate(conditions[i], conditions[i + 1]));
                if (conditions.size() % 2 != 0) next.push_back(conditions.back());
                conditions = std::move(next);
            }
            chosen[leaf.path] = conditions.front();
        }
    } else {
        for (std::size_t path = 1; path < tree.paths.size(); ++path) {
            const Literal condition = bits_[tree.paths[path].condition.id][0];
            chosen[path] = net_.and_gate(chosen[tree.paths[path].parent],
                                         tree.paths[path].negated ? !condition : condition);
        }
    }
    for (std::uint32_t bit = 0; bit < width; ++bit) {
        std::vector<std::pair<Literal, Literal>> products;
        for (const SelectTree::Leaf& leaf : tree.leaves)
            products.emplace_back(chosen[leaf.path], bits_[leaf.word.id][bit]);
        out.push_back(xor_of_products(net_, {}, std::move(products)));
    }
    return out;
}

BitLowering::Bits BitLowering::lower_select(Word word) {
    const Bits& condition = bits_[operand(word, 0).id];
    Word value;
    bool if_one = false;
    if (negates(word, value, if_one)) {
        // Whether a lower bit was 1 and the word is to be negated: u_(i+1) = MAJ(c, x_i, u_i), and bit i is
        // x_i ^ u_i. That is the carry chain of x + (c c ... c), whose sum bits have another c in them.
        const Literal negate = if_one ? condition[0] : !condition[0];
        const Bits& bits = bits_[value.id];
        return CarryChain(net_, bits, Bits(bits.size(), negate), Literal::constant(false))
            .sum(objective_, negate);
    }
    const SelectTree tree = select_tree(word);
    if (prefer_one_hot(tree, width(word))) return lower_one_hot(tree, width(word));
    Bits out;
    for (std::uint32_t bit = 0; bit < width(word); ++bit) {
        out.push_back(
            choose(net_, condition[0], bits_[operand(word, 1).id][bit], bits_[operand(word, 2).id][bit]));
    }
    return out;
}

}  // namespace toroid::compiler
