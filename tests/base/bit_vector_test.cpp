// SPDX-License-Identifier: Apache-2.0
#include "base/bit_vector.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/expect_error.hpp"
#include "support/seed.hpp"

namespace toroid::base {
namespace {

using tests::expect_error;

BitVector bits_of(std::uint64_t value, std::size_t width) {
    BitVector bits(width);
    for (std::size_t i = 0; i < width; ++i) bits[i] = ((value >> i) & 1) != 0;
    return bits;
}

TEST(ParseBits, ReadsEachNotation) {
    EXPECT_EQ(parse_bits("12", 8, false, "a"), bits_of(12, 8));
    EXPECT_EQ(parse_bits("0012", 8, false, "a"), bits_of(12, 8));
    EXPECT_EQ(parse_bits("-12", 8, true, "a"), bits_of(0xf4, 8));
    EXPECT_EQ(parse_bits("-0", 8, false, "a"), bits_of(0, 8));
    EXPECT_EQ(parse_bits("0x1F", 8, false, "a"), bits_of(31, 8));
    EXPECT_EQ(parse_bits("0xff", 8, true, "a"), bits_of(255, 8));
    EXPECT_EQ(parse_bits("0b101", 4, false, "a"), bits_of(5, 4));
    EXPECT_EQ(parse_bits("-0x1f", 8, true, "a"), bits_of(0xe1, 8));
    EXPECT_EQ(parse_bits("-0B11", 8, true, "a"), bits_of(0xfd, 8));
    EXPECT_EQ(parse_bits("-0x0", 8, false, "a"), bits_of(0, 8));
    EXPECT_EQ(parse_bits("true", 1, false, "a"), bits_of(1, 1));
    EXPECT_EQ(parse_bits("false", 1, false, "a"), bits_of(0, 1));
    EXPECT_EQ(parse_bits("0", 0, false, "a"), BitVector());
}

TEST(ParseBits, HoldsExactlyTheRange) {
    for (const std::size_t width : {1U, 2U, 7U, 8U, 31U, 32U, 33U, 62U}) {
        const auto high = std::int64_t{1} << width;
        const auto half = high / 2;
        EXPECT_EQ(parse_bits(std::to_string(high - 1), width, false, "a"), BitVector(width, true));
        expect_error(ErrorKind::value, {"port", std::to_string(high), std::to_string(high - 1)},
                     [&] { static_cast<void>(parse_bits(std::to_string(high), width, false, "port")); });
        expect_error(ErrorKind::value, {"port"},
                     [&] { static_cast<void>(parse_bits("-1", width, false, "port")); });
        EXPECT_EQ(parse_bits(std::to_string(half - 1), width, true, "a"),
                  bits_of(static_cast<std::uint64_t>(half - 1), width));
        EXPECT_EQ(parse_bits(std::to_string(-half), width, true, "a"),
                  bits_of(static_cast<std::uint64_t>(half), width));
        expect_error(ErrorKind::value, {std::to_string(half)},
                     [&] { static_cast<void>(parse_bits(std::to_string(half), width, true, "port")); });
        expect_error(ErrorKind::value, {std::to_string(-half - 1)},
                     [&] { static_cast<void>(parse_bits(std::to_string(-half - 1), width, true, "port")); });
    }
    expect_error(ErrorKind::value, {"port"}, [] { static_cast<void>(parse_bits("0x10", 4, false, "port")); });
    expect_error(ErrorKind::value, {"port"},
                 [] { static_cast<void>(parse_bits("0b10000", 4, false, "port")); });
    EXPECT_EQ(parse_bits("0x00f", 4, false, "a"), BitVector(4, true));
}

TEST(ParseBits, ASignMakesANumberOfHexadecimal) {
    for (int value = 0; value <= 128; ++value) {
        const BitVector expected = parse_bits(std::to_string(-value), 8, true, "a");
        EXPECT_EQ(parse_bits(fmt::format("-0x{:x}", value), 8, true, "a"), expected) << value;
        EXPECT_EQ(parse_bits(fmt::format("-0b{:b}", value), 8, true, "a"), expected) << value;
    }
    for (const char* text : {"-0x81", "-0xff", "-0x100", "-0b10000001"}) {
        expect_error(ErrorKind::value, {"port", "-128 to 127"},
                     [&] { static_cast<void>(parse_bits(text, 8, true, "port")); });
    }
    expect_error(ErrorKind::value, {"port", "0 to 255"},
                 [] { static_cast<void>(parse_bits("-0x1", 8, false, "port")); });
    EXPECT_EQ(parse_bits("-0b1", 1, true, "a"), BitVector(1, true));
    EXPECT_EQ(parse_bits("-0x0", 0, true, "a"), BitVector());
    expect_error(ErrorKind::value, {"port"}, [] { static_cast<void>(parse_bits("-0x1", 0, true, "port")); });
}

TEST(ParseBits, RefusesWhatIsNoValue) {
    for (const char* text :
         {"",    "-",   "+1",    " 1",  "1 ",   "1.5",  "1e3",   "0x",   "0b",       "0xg", "0b2",
          "--1", "-0x", "--0x1", "0o7", "True", "0x-1", "1_000", "\x01", "\xff\xfe", "nan", "１"}) {
        expect_error(ErrorKind::value, {"port 'x'"},
                     [&] { static_cast<void>(parse_bits(text, 16, true, "port 'x'")); });
    }
    expect_error(ErrorKind::value, {"one bit"},
                 [] { static_cast<void>(parse_bits("true", 2, false, "port")); });
    expect_error(ErrorKind::value, {"port"},
                 [] { static_cast<void>(parse_bits(std::string_view("1\0", 2), 8, false, "port")); });
}

TEST(ParseBits, MessagesHoldNoControlCharactersAndStayShort) {
    const std::string message = expect_error(ErrorKind::value, {"port", "?[31m"}, [] {
        static_cast<void>(parse_bits("\x1b[31m" + std::string(1000000, '9'), 8, false, "port"));
    });
    EXPECT_LT(message.size(), 200U);
}

TEST(ParseBits, RefusesLongTextWithoutComputingIt) {
    // Quadratic conversion of these would take minutes.
    const std::string nines(5000000, '9');
    expect_error(ErrorKind::value, {"port"},
                 [&] { static_cast<void>(parse_bits(nines, 64, false, "port")); });
    expect_error(ErrorKind::value, {"hexadecimal"},
                 [&] { static_cast<void>(parse_bits(nines, 20000000, false, "port")); });
    EXPECT_EQ(parse_bits("0x" + std::string(250000, 'f'), 1000000, false, "port"), BitVector(1000000, true));
    EXPECT_EQ(parse_bits(std::string(5000000, '0') + "7", 3, false, "port"), BitVector(3, true));
}

TEST(FormatDecimal, IsTheInverseOfParse) {
    auto generator = tests::generator();
    for (int i = 0; i < 500; ++i) {
        const std::size_t width = 1 + generator() % 300;
        const bool is_signed = generator() % 2 == 0;
        BitVector bits(width);
        for (std::size_t bit = 0; bit < width; ++bit) bits[bit] = generator() % 2 == 0;
        if (i % 5 == 0) std::fill(bits.begin(), bits.end(), i % 2 == 0);
        EXPECT_EQ(parse_bits(format_decimal(bits, is_signed), width, is_signed, "a"), bits);
        EXPECT_EQ(parse_bits(format_hex(bits), width, is_signed, "a"), bits);
    }
}

TEST(FormatDecimal, GivesKnownTexts) {
    EXPECT_EQ(format_decimal(bits_of(0xf4, 8), true), "-12");
    EXPECT_EQ(format_decimal(bits_of(0xf4, 8), false), "244");
    EXPECT_EQ(format_decimal(BitVector(128, true), false), "340282366920938463463374607431768211455");
    EXPECT_EQ(format_decimal(BitVector(128, true), true), "-1");
    EXPECT_EQ(format_decimal(bits_of(std::uint64_t{1} << 63, 64), true), "-9223372036854775808");
    EXPECT_EQ(format_decimal({}, false), "0");
    EXPECT_EQ(format_hex(bits_of(0x1f, 9)), "0x01f");
    EXPECT_EQ(format_hex(bits_of(0xabcdef, 24)), "0xabcdef");
    EXPECT_EQ(format_hex({}), "0x0");
}

}  // namespace
}  // namespace toroid::base
