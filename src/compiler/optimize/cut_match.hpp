// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace toroid::compiler {

/// How a function of up to three inputs is made: one gate of the family, or a multiplexer.
struct CutMatch {
    static constexpr std::uint8_t impossible = 255;
    std::uint8_t bootstraps = impossible;  ///< 0: a constant or an input
    std::uint8_t weight_norm = 0;
    bool is_multiplexer = false;
    bool constant = false;   ///< c
    std::uint8_t light = 0;  ///< masks over the inputs
    std::uint8_t heavy = 0;
    std::uint8_t select = 0;  ///< multiplexer: number of the select, then of the other two, with negations
    std::uint8_t if_one = 0;
    std::uint8_t if_zero = 0;
    bool negated_if_one = false;
    bool negated_if_zero = false;
};

/// For each table of three inputs (bit i is the value at input index i) the cheapest match.
[[nodiscard]] const std::array<CutMatch, 256>& cut_matches();

}  // namespace toroid::compiler
