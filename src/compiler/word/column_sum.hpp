// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/word/gate_net.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::compiler {

/// A sum modulo 2^width as columns of bits: column i holds bits of weight 2^i. Negative bits are turned
/// round, -b 2^i = !b 2^i - 2^i, and all constants are gathered in one.
class ColumnSum {
 public:
    explicit ColumnSum(std::uint32_t width) : columns_(width), constant_(width, false) {}

    [[nodiscard]] std::uint32_t width() const { return static_cast<std::uint32_t>(columns_.size()); }
    /// Adds (or subtracts) bit 2^exponent.
    void add(Literal bit, std::uint64_t exponent, bool negative = false);
    /// Adds (or subtracts) word 2^exponent. The highest bit of a signed word counts negative.
    void add_word(std::span<const Literal> word, bool is_signed, std::uint64_t exponent,
                  bool negative = false);
    void add_constant(std::uint64_t exponent, bool negative = false);

    /// The sum's bits. Gates that no output needs may be left over in the net.
    [[nodiscard]] std::vector<Literal> resolve(GateNet& net, Objective objective) const;

 private:
    std::vector<std::vector<Literal>> columns_;
    std::vector<bool> constant_;
};

}  // namespace toroid::compiler
