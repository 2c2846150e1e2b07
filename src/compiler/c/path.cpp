// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/path.hpp"

#include <algorithm>

namespace toroid::compiler {
namespace {

std::uint32_t code_of(Condition condition) {
    return condition.word.id << 1 | static_cast<std::uint32_t>(condition.inverted);
}

}  // namespace

Condition PathLogic::condition(Word word) const {
    Condition result{word, false};
    while (graph_.node(result.word).op == WordOp::bit_not)
        result = {graph_.operands(result.word)[0], !result.inverted};
    return result;
}

Word PathLogic::word(Condition condition) {
    return condition.inverted ? graph_.bit_not(condition.word) : condition.word;
}

Word PathLogic::conjunction(const Path& path, std::size_t k) {
    std::vector<Word> words;
    for (; k < path.size(); ++k) words.push_back(word(path[k]));
    if (words.empty()) return graph_.ones(1);
    while (words.size() > 1) {
        std::vector<Word> halved;
        for (std::size_t i = 0; i < words.size(); i += 2)
            halved.push_back(i + 1 < words.size() ? graph_.bit_and(words[i], words[i + 1]) : words[i]);
        words = std::move(halved);
    }
    return words[0];
}

bool PathLogic::holds(const Path& path, Condition condition) {
    return std::ranges::find(path, condition) != path.end();
}

PathLogic::Codes PathLogic::alternatives(const Path& path, std::size_t k) const {
    if (path.size() != k + 1) return {};
    if (!path[k].inverted) {
        const auto found = alternatives_.find(path[k].word.id);
        if (found != alternatives_.end()) return found->second;
    }
    return {code_of(path[k])};
}

// x or (not x and y) is x or y.
Path PathLogic::without_inverses(const Path& path, std::size_t k, const Codes& codes) {
    Path result;
    for (; k < path.size(); ++k) {
        if (!std::ranges::binary_search(codes, code_of(!path[k]))) result.push_back(path[k]);
    }
    return result;
}

PathLogic::Join PathLogic::join(const Path& first, const Path& second) {
    std::size_t k = 0;
    while (k < first.size() && k < second.size() && first[k] == second[k]) ++k;
    Join result;
    result.path.assign(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(k));
    const bool opposite = k < first.size() && k < second.size() && first[k] == !second[k];
    if (opposite) {
        result.from_first = word(first[k]);
    } else if (first.size() <= second.size()) {
        result.from_first = conjunction(first, k);
    } else {
        result.from_first = graph_.bit_not(conjunction(second, k));
    }
    if (opposite && first.size() == k + 1 && second.size() == k + 1) return result;

    Codes codes = alternatives(first, k);
    const Codes second_codes = alternatives(second, k);
    const Path first_rest = without_inverses(first, k, second_codes);
    const Path second_rest = without_inverses(second, k, codes);
    if (first_rest.empty() || second_rest.empty()) return result;
    const Word either = graph_.bit_or(conjunction(first_rest), conjunction(second_rest));
    if (graph_.is_constant(either)) return result;
    if (codes.empty()) codes = alternatives(first_rest, 0);
    if (codes.empty()) codes.push_back(code_of(condition(conjunction(first_rest))));
    Codes others = second_codes.empty() ? alternatives(second_rest, 0) : second_codes;
    if (others.empty()) others.push_back(code_of(condition(conjunction(second_rest))));
    Codes all;
    std::ranges::set_union(codes, others, std::back_inserter(all));
    result.path.push_back(condition(either));
    if (!result.path.back().inverted) alternatives_[result.path.back().word.id] = std::move(all);
    return result;
}

}  // namespace toroid::compiler
