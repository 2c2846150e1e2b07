// SPDX-License-Identifier: Apache-2.0
// The one-bit cells of Yosys's internal library ("help $_AND_" and so on in Yosys).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "circuit/circuit_builder.hpp"

namespace toroid::circuit {

/// A gate without state: one letter an input port, output port Y.
struct YosysGateType {
    enum class Function : std::uint8_t {
        buffer,
        inverter,
        and2,
        nand2,
        or2,
        nor2,
        xor2,
        xnor2,
        and_not,
        or_not,
        mux,  ///< data inputs first, then selects, low select first: 2, 4, 8 or 16 data inputs
        negated_mux,
        and_or_invert3,
        or_and_invert3,
        and_or_invert4,
        or_and_invert4,
    };
    std::string_view name;
    Function function;
    std::string_view inputs;
};
[[nodiscard]] const YosysGateType* find_yosys_gate(std::string_view type);
[[nodiscard]] Literal build_yosys_gate(CircuitBuilder& builder, YosysGateType::Function function,
                                       std::span<const Literal> inputs);

/// A flip-flop. Ports: D, Q, and C, E, S, R, L with AD as far as the type has them.
struct YosysFlipFlopType {
    enum class Level : std::uint8_t { absent, low, high };
    Level clock = Level::absent;  ///< high: rising edge; absent: $_FF_, which follows the global clock
    Level enable = Level::absent;
    Level set = Level::absent;    ///< asynchronous
    Level reset = Level::absent;  ///< stronger than set
    Level load = Level::absent;   ///< asynchronous load of AD
    bool reset_value = false;
    bool reset_is_asynchronous = false;
    bool enable_over_reset = false;

    [[nodiscard]] bool is_asynchronous() const {
        return set != Level::absent || load != Level::absent ||
               (reset != Level::absent && reset_is_asynchronous);
    }
};
[[nodiscard]] std::optional<YosysFlipFlopType> parse_yosys_flip_flop(std::string_view type);

[[nodiscard]] bool is_yosys_latch(std::string_view type);

}  // namespace toroid::circuit
