// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// The values that a word of at most 64 bits can take, read as unsigned and as signed.
struct Bounds {
    std::uint64_t unsigned_low = 0;
    std::uint64_t unsigned_high = UINT64_MAX;
    std::int64_t signed_low = INT64_MIN;
    std::int64_t signed_high = INT64_MAX;

    [[nodiscard]] bool is_empty() const { return unsigned_low > unsigned_high || signed_low > signed_high; }
    friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// What lies in both, each reading narrowed by the other one.
[[nodiscard]] Bounds common(const Bounds& a, const Bounds& b, std::uint32_t width);

/// Narrows the operands of a comparison (equal, unsigned_less, signed_less) whose result is known.
void narrow_compared(WordOp op, bool result, Bounds& a, Bounds& b, std::uint32_t width);

/// Whether a word is the upper bits of another one, which comparisons with powers of two and with 0 leave.
[[nodiscard]] bool is_upper_part(const WordGraph& graph, Word word);
/// Of the whole word, as far as unsigned numbers go.
[[nodiscard]] Bounds from_upper_part(const Bounds& part, std::uint32_t lower_bits);

/// The bounds of a word of at most 64 bits whose operands have these.
[[nodiscard]] Bounds bounds_from(const WordGraph& graph, Word word, std::span<const Bounds> operands);

/// Interval analysis over a graph, whatever path is taken.
class WordBounds {
 public:
    explicit WordBounds(const WordGraph& graph) : graph_(graph) {}
    /// Of a word of more than 64 bits only constants and extensions are known, and only as unsigned numbers;
    /// UINT64_MAX then stands for "or more".
    [[nodiscard]] const Bounds& of(Word word);

 private:
    [[nodiscard]] Bounds compute(Word word);
    struct Fact {
        Word condition;
        bool value = false;
    };
    [[nodiscard]] Bounds where(Word word, std::vector<Fact>& facts) const;

    const WordGraph& graph_;
    std::vector<Bounds> known_;  // by word id
    std::vector<Bounds> operands_;
};

}  // namespace toroid::compiler
