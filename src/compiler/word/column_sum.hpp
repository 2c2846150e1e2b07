// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/word/gate_net.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::compiler {

/// What a way of making some wires costs.
struct Outcome {
    std::uint32_t level = 0;  ///< of the latest wire
    std::uint64_t cost = 0;   ///< bootstraps

    [[nodiscard]] static Outcome of(const GateNet& net, std::span<const Literal> wires,
                                    std::size_t first_new);
    /// Size: fewer bootstraps, then less depth. Depth: fewer bootstraps times squared levels after the
    /// `latest` operand, for a level less is worth many gates, but not any number of them.
    [[nodiscard]] bool better_than(const Outcome& other, Objective objective, std::uint32_t latest) const;
};

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

    /// The sum's bits. What the bits summed up cost since the net had `since` signals counts when ways of
    /// adding are compared. Gates that no output needs may be left over in the net.
    [[nodiscard]] std::vector<Literal> resolve(GateNet& net, Objective objective, std::size_t since) const;

 private:
    std::vector<std::vector<Literal>> columns_;
    std::vector<bool> constant_;
};

}  // namespace toroid::compiler
