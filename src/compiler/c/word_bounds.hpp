// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// The values that a word of at most 64 bits can take, read as unsigned and as signed.
struct Bounds {
    std::uint64_t unsigned_low = 0;
    std::uint64_t unsigned_high = UINT64_MAX;
    std::int64_t signed_low = INT64_MIN;
    std::int64_t signed_high = INT64_MAX;
};

/// Interval analysis over a graph, whatever path is taken: what ends loops over narrow counters, keeps
/// indices to the elements they can reach, and tells whether a divisor can be 0.
class WordBounds {
 public:
    explicit WordBounds(const WordGraph& graph) : graph_(graph) {}
    /// Of a word of more than 64 bits only constants and extensions are known, and only as unsigned numbers;
    /// UINT64_MAX then stands for "or more".
    [[nodiscard]] const Bounds& of(Word word);

 private:
    [[nodiscard]] Bounds compute(Word word) const;

    const WordGraph& graph_;
    std::vector<Bounds> known_;  // by word id
};

}  // namespace toroid::compiler
