// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toroid::base {

/// The bits of one value, bit 0 first. Any width.
using BitVector = std::vector<bool>;

/// Parses decimal ("-12"), hexadecimal ("0x1f", "-0x1f"), binary ("0b101") or "true"/"false" into `width`
/// bits, two's complement if is_signed. Hexadecimal and binary without a sign fill a signed value's bits
/// directly ("0xff" is -1 in 8 bits); with one they are a number like any other. A value out of range is
/// Error(value). `what` names the port in the message.
[[nodiscard]] BitVector parse_bits(std::string_view text, std::size_t width, bool is_signed,
                                   std::string_view what);

/// Decimal text of the value; the inverse of parse_bits.
[[nodiscard]] std::string format_decimal(const BitVector& bits, bool is_signed);

/// Hexadecimal text with 0x and all leading zeros of the width.
[[nodiscard]] std::string format_hex(const BitVector& bits);

}  // namespace toroid::base
