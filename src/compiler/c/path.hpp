// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "compiler/c/value.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// Under which conditions control comes here: all of them hold, in the order they were met.
using Path = std::vector<Condition>;

/// Joins paths. Two paths to one place exclude each other, and differ first in some condition: it tells them
/// apart.
class PathLogic {
 public:
    explicit PathLogic(WordGraph& graph) : graph_(graph) {}

    [[nodiscard]] Condition condition(Word word) const;  ///< inverters taken off
    [[nodiscard]] Word word(Condition condition);
    /// All conditions from the k-th on.
    [[nodiscard]] Word conjunction(const Path& path, std::size_t k = 0);

    struct Join {
        Word from_first;  ///< one bit: given that one of both was taken, whether it was the first
        Path path;
    };
    [[nodiscard]] Join join(const Path& first, const Path& second);

    [[nodiscard]] static bool holds(const Path& path, Condition condition);

 private:
    using Codes = std::vector<std::uint32_t>;  // sorted; a condition is id * 2 + inverted
    [[nodiscard]] Codes alternatives(const Path& path, std::size_t k) const;
    static Path without_inverses(const Path& path, std::size_t k, const Codes& codes);

    WordGraph& graph_;
    /// Of disjunctions made here: what they are made of.
    std::unordered_map<std::uint32_t, Codes> alternatives_;
};

}  // namespace toroid::compiler
