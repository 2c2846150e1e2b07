// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/c/path.hpp"
#include "compiler/c/word_bounds.hpp"

namespace toroid::compiler {

/// What words can be where the conditions of a path hold: what ends loops over narrow counters, keeps indices
/// to the elements they can reach, and tells whether a divisor can be 0. What a condition says about the
/// words that it compares goes on to what those are made of (sums with constants, extensions, inverses), and
/// from there to every word made of these.
class PathBounds {
 public:
    explicit PathBounds(const WordGraph& graph) : graph_(graph), everywhere_(graph) {}

    /// The path that the other functions speak of. Cheap if it has most conditions in common with the one
    /// before.
    void set_path(const Path& path);

    /// As WordBounds::of, narrowed by the path.
    [[nodiscard]] Bounds of(Word word);
    /// Of a one-bit word, if it can have one value only.
    [[nodiscard]] std::optional<bool> truth(Word bit);
    /// Whether the condition contradicts the path.
    [[nodiscard]] bool excludes(Condition condition);

 private:
    struct Undo {
        std::uint32_t word = 0;
        std::optional<Bounds> before;
    };
    struct Remembered {
        int depth = 0;
        Bounds bounds;
    };
    [[nodiscard]] Bounds evaluate(Word word, int depth);
    void assume(Word bit, bool value, int depth);
    void narrow(Word word, const Bounds& bounds, int depth);
    void narrow_operands(Word word, const Bounds& bounds, int depth);
    void forget_from(std::size_t trail_size);

    const WordGraph& graph_;
    WordBounds everywhere_;
    Path path_;
    std::vector<std::size_t> marks_;  ///< by condition of the path: how long the trail was before it
    std::unordered_map<std::uint32_t, Bounds> facts_;
    std::vector<Undo> trail_;
    std::unordered_map<std::uint32_t, Remembered> memory_;  ///< of `evaluate`, as long as the facts stay
    bool contradicts_ = false;
};

}  // namespace toroid::compiler
