// SPDX-License-Identifier: Apache-2.0
#include "toroid/values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace toroid {
namespace {

ErrorKind kind_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.kind();
    }
    ADD_FAILURE() << "accepted";
    return ErrorKind::internal;
}

TEST(ApiValues, IntegersAndBitsAreInverse) {
    for (const std::int64_t value :
         {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0}, std::int64_t{77},
          std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_EQ(to_integer(to_bits(value, {"x", 64, true}), true), value);
        EXPECT_EQ(to_integer(to_bits(value, {"x", 90, true}), true), value);
    }
    EXPECT_EQ(to_integer(to_bits(5, {"x", 3, false}), false), 5);
    EXPECT_EQ(to_integer({}, true), 0);
    EXPECT_EQ(kind_of([] { (void)to_bits(8, {"x", 3, false}); }), ErrorKind::value);
    EXPECT_EQ(kind_of([] { (void)to_bits(-1, {"x", 3, false}); }), ErrorKind::value);
    // 2^63 as unsigned, and a signed value of 70 bits
    Bits large(64, false);
    large[63] = true;
    EXPECT_EQ(kind_of([&] { (void)to_integer(large, false); }), ErrorKind::value);
    EXPECT_EQ(to_integer(large, true), std::numeric_limits<std::int64_t>::min());
    Bits wide(70, false);
    wide[65] = true;
    EXPECT_EQ(kind_of([&] { (void)to_integer(wide, true); }), ErrorKind::value);
}

TEST(ApiValues, JsonAndItemsAgree) {
    const std::vector<Port> ports{{"a", 8, false}, {"b", 8, true}, {"c", 1, false}};
    const Values values =
        parse_values(R"({"a": "0xff", "b": -3, "c": [true, false, true]})", ports, Missing::refuse, "here");
    EXPECT_EQ(parse_values({"a=255", "b=-3", "c=1,0,1"}, ports, Missing::refuse), values);
    EXPECT_EQ(parse_values(format_values(values, ports), ports, Missing::refuse, "again"), values);
    EXPECT_EQ(kind_of([&] { (void)parse_values({"a=1"}, ports, Missing::refuse); }), ErrorKind::value);
    EXPECT_EQ(parse_values({"a=1"}, ports, Missing::allow).size(), 1U);
    EXPECT_EQ(kind_of([&] { (void)parse_values({"z=1"}, ports, Missing::allow); }), ErrorKind::value);
    EXPECT_EQ(kind_of([&] { (void)parse_values({"a=256"}, ports, Missing::allow); }), ErrorKind::value);
}

}  // namespace
}  // namespace toroid
