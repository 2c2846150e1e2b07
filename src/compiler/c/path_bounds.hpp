// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/c/path.hpp"
#include "compiler/c/word_bounds.hpp"

namespace toroid::compiler {

/// What words can be where the conditions of a path hold: what ends loops over narrow counters, keeps indices
/// to the elements they can reach, and tells whether a divisor can be 0. What a condition says about the
/// words that it compares goes on to what those are made of (sums with constants, extensions, inverses), and
/// from there to every word made of these. Of a narrow word that conditions depend on alone, whatever they
/// compute from it, each value is tried.
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
    /// The only word, narrow enough to try its values, that the word depends on; or a constant of
    /// path_bounds.cpp.
    [[nodiscard]] std::uint32_t source_of(Word word, int depth);
    /// The values of the source with which the bit can be `value`, of those still possible: a bit for each.
    [[nodiscard]] std::uint32_t values_for(std::uint32_t source, Word bit, bool value);
    void keep_values(Word bit, bool value);

    const WordGraph& graph_;
    WordBounds everywhere_;
    Path path_;
    struct Mark {
        std::size_t facts = 0;
        std::size_t values = 0;
    };
    std::vector<Mark> marks_;  ///< by condition of the path: how long both trails were before it
    std::unordered_map<std::uint32_t, std::uint32_t> sources_;
    std::unordered_map<std::uint32_t, std::uint32_t> possible_;          ///< by source: a bit for each value
    std::vector<std::pair<std::uint32_t, std::uint32_t>> values_trail_;  ///< source and what was possible
    std::unordered_map<std::uint32_t, Bounds> facts_;
    std::vector<Undo> trail_;
    std::unordered_map<std::uint32_t, Remembered> memory_;  ///< of `evaluate`, as long as the facts stay
    bool contradicts_ = false;
};

}  // namespace toroid::compiler
