// SPDX-License-Identifier: Apache-2.0
#include "base/bit_vector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <functional>

#include "toroid/error.hpp"

namespace toroid::base {
namespace {

using Integer = boost::multiprecision::cpp_int;

/// Decimal conversion is quadratic in the length, so a decimal number of any port stops here (33,000 bits);
/// hexadecimal has no such limit.
constexpr std::size_t most_decimal_digits = 10000;

/// The user's text as it may stand in a message.
std::string quoted(std::string_view text) {
    std::string out;
    for (const char character : text.substr(0, 40)) {
        out += character >= 0x20 && character < 0x7f ? character : '?';
    }
    return fmt::format("'{}{}'", out, text.size() > 40 ? "..." : "");
}

[[noreturn]] void fail(std::string_view what, std::string_view text, std::string_view reason) {
    throw Error(ErrorKind::value, fmt::format("{}: {} {}", what, quoted(text), reason));
}

[[noreturn]] void fail_range(std::string_view what, std::string_view text, std::size_t width,
                             bool is_signed) {
    const std::string port =
        fmt::format("{} {} bit{}", is_signed ? "signed" : "unsigned", width, width == 1 ? "" : "s");
    if (width == 0 || width > 64) fail(what, text, fmt::format("does not fit in {}", port));
    const Integer low = is_signed ? Integer(-(Integer(1) << (width - 1))) : Integer(0);
    const Integer high = (Integer(1) << (is_signed ? width - 1 : width)) - 1;
    fail(what, text, fmt::format("does not fit in {} ({} to {})", port, low.str(), high.str()));
}

int digit_value(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    if (character >= 'A' && character <= 'F') return character - 'A' + 10;
    return 16;
}

/// Digits of `digit_bits` bits each, most significant first, laid directly into the bits.
BitVector parse_digits(std::string_view text, std::string_view digits, std::size_t digit_bits,
                       std::size_t width, bool is_signed, std::string_view what) {
    if (digits.empty()) fail(what, text, "has no digits");
    BitVector bits(width);
    std::size_t position = 0;
    bool fits = true;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        const int value = digit_value(*digit);
        if (value >= (1 << digit_bits)) fail(what, text, "is not a number");
        for (std::size_t bit = 0; bit < digit_bits; ++bit, ++position) {
            if (((value >> bit) & 1) == 0) continue;
            if (position < width) {
                bits[position] = true;
            } else {
                fits = false;
            }
        }
    }
    if (!fits) fail_range(what, text, width, is_signed);
    return bits;
}

/// "-" and the digits of a magnitude, which must be at most 2^(width - 1).
BitVector parse_negative_digits(std::string_view text, std::string_view digits, std::size_t digit_bits,
                                std::size_t width, bool is_signed, std::string_view what) {
    BitVector bits = parse_digits(text, digits, digit_bits, width, is_signed, what);
    const auto lowest_one = std::find(bits.begin(), bits.end(), true);
    if (lowest_one == bits.end()) return bits;
    if (!is_signed || (bits.back() && lowest_one + 1 != bits.end())) fail_range(what, text, width, is_signed);
    // Two's complement: all bits above the lowest 1 flip.
    std::transform(lowest_one + 1, bits.end(), lowest_one + 1, std::logical_not<>());
    return bits;
}

BitVector parse_decimal(std::string_view text, std::size_t width, bool is_signed, std::string_view what) {
    std::string_view digits = text;
    const bool negative = !digits.empty() && digits.front() == '-';
    if (negative) digits.remove_prefix(1);
    if (digits.empty()) fail(what, text, "has no digits");
    if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
        fail(what, text, "is not a number");
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    // A number of d digits needs more than 3 (d - 1) bits: far too long a text is refused without computing
    // it.
    if (digits.size() > 1 && 3 * (digits.size() - 1) > width) fail_range(what, text, width, is_signed);
    if (digits.size() > most_decimal_digits) {
        fail(what, text,
             fmt::format("has {} decimal digits; write so long a value in hexadecimal", digits.size()));
    }
    const Integer magnitude = digits.empty() ? Integer(0) : Integer(std::string(digits));
    // Negative values are kept as magnitude - 1, whose complemented bits they are.
    const Integer stored = negative && magnitude != 0 ? Integer(magnitude - 1) : magnitude;
    const bool below_zero = negative && magnitude != 0;
    const std::size_t used = stored == 0 ? 0 : boost::multiprecision::msb(stored) + 1;
    const std::size_t room = is_signed && width > 0 ? width - 1 : width;
    if (used > room || (below_zero && (!is_signed || width == 0))) fail_range(what, text, width, is_signed);
    BitVector bits(width, below_zero);
    for (std::size_t bit = 0; bit < used; ++bit) {
        bits[bit] = bit_test(stored, static_cast<unsigned>(bit)) != below_zero;
    }
    return bits;
}

}  // namespace

BitVector parse_bits(std::string_view text, std::size_t width, bool is_signed, std::string_view what) {
    if (text.empty()) throw Error(ErrorKind::value, fmt::format("{}: the value is empty", what));
    if (text == "true" || text == "false") {
        if (width != 1) fail(what, text, fmt::format("is one bit, but the port has {}", width));
        return BitVector(1, text == "true");
    }
    const bool negative = text.front() == '-';
    const std::string_view magnitude = text.substr(negative ? 1 : 0);
    const std::string_view prefix = magnitude.substr(0, 2);
    const std::size_t digit_bits = prefix == "0x" || prefix == "0X"   ? 4
                                   : prefix == "0b" || prefix == "0B" ? 1
                                                                      : 0;
    if (digit_bits != 0) {
        const auto parse = negative ? parse_negative_digits : parse_digits;
        return parse(text, magnitude.substr(2), digit_bits, width, is_signed, what);
    }
    return parse_decimal(text, width, is_signed, what);
}

std::string format_decimal(const BitVector& bits, bool is_signed) {
    const bool negative = is_signed && !bits.empty() && bits.back();
    std::vector<std::uint8_t> bytes((bits.size() + 7) / 8);
    for (std::size_t bit = 0; bit < bits.size(); ++bit) {
        if (bits[bit] != negative)
            bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | (1U << (bit % 8)));
    }
    Integer value = 0;
    if (!bytes.empty()) boost::multiprecision::import_bits(value, bytes.begin(), bytes.end(), 8, false);
    return negative ? Integer(-value - 1).str() : value.str();
}

std::string format_hex(const BitVector& bits) {
    const std::size_t digits = std::max<std::size_t>(1, (bits.size() + 3) / 4);
    std::string text = "0x" + std::string(digits, '0');
    for (std::size_t digit = 0; digit < digits; ++digit) {
        unsigned value = 0;
        for (std::size_t bit = 0; bit < 4; ++bit) {
            const std::size_t position = 4 * digit + bit;
            if (position < bits.size() && bits[position]) value |= 1U << bit;
        }
        text[text.size() - 1 - digit] = "0123456789abcdef"[value];
    }
    return text;
}

}  // namespace toroid::base
