// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "toroid/error.hpp"

namespace toroid {

/// The bits of one value, bit 0 (least significant) first; two's complement for signed ports.
using Bits = std::vector<bool>;

/// Plain values by port name: one Bits for a value held over all clock cycles, else one a cycle.
using Values = std::map<std::string, std::vector<Bits>>;

/// A named, typed input or output of a circuit.
struct Port {
    std::string name;
    std::uint32_t width = 0;  ///< bits
    bool is_signed = false;
    friend bool operator==(const Port&, const Port&) = default;
};

/// Whether each port must be given a value.
enum class Missing : std::uint8_t { refuse, allow };

/// {"a": 5, "b": "-0x1f", "c": [1, 0, 1]}: numbers, booleans and strings of numbers (decimal, 0x, 0b); an
/// array is one value a clock cycle. Error(value) names unknown and missing ports and values out of range,
/// Error(format) what is no such JSON. `source` is named in messages.
[[nodiscard]] Values parse_values(std::string_view json, const std::vector<Port>& ports, Missing missing,
                                  const std::string& source);
/// "name=value" items in the same syntax; a comma-separated list is one value a clock cycle.
[[nodiscard]] Values parse_values(const std::vector<std::string>& items, const std::vector<Port>& ports,
                                  Missing missing);
/// The inverse of parse_values.
[[nodiscard]] std::string format_values(const Values& values, const std::vector<Port>& ports);

/// Bits of an integer in this port. Error(value) if it does not fit.
[[nodiscard]] Bits to_bits(std::int64_t value, const Port& port);
/// The integer that a port's bits stand for. Error(value) if it does not fit 64 bits.
[[nodiscard]] std::int64_t to_integer(const Bits& bits, bool is_signed);
/// Decimal text, of any width.
[[nodiscard]] std::string to_decimal(const Bits& bits, bool is_signed);
/// Hexadecimal text with 0x and all leading zeros of the width.
[[nodiscard]] std::string to_hex(const Bits& bits);

}  // namespace toroid
