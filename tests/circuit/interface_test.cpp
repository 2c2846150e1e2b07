// SPDX-License-Identifier: Apache-2.0
#include "circuit/interface.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circuit/circuit_builder.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

Interface example() {
    Interface result;
    result.circuit_name = "score \"quoted\" \\ name";
    result.inputs = {{"income", 16, false}, {"balance[3]", 12, true}};
    result.outputs = {{"zażółć", 1, false}};
    result.is_sequential = true;
    return result;
}

std::string failure(const std::string& json) {
    try {
        (void)interface_from_json(json, "ports.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::format);
        return error.what();
    }
    return "accepted";
}

TEST(Interface, JsonRoundTripKeepsEverything) {
    const Interface before = example();
    const Interface after = interface_from_json(interface_to_json(before), "ports.json");
    EXPECT_EQ(after.circuit_name, before.circuit_name);
    EXPECT_EQ(after.inputs, before.inputs);
    EXPECT_EQ(after.outputs, before.outputs);
    EXPECT_EQ(after.is_sequential, before.is_sequential);
    EXPECT_EQ(after.fingerprint(), before.fingerprint());
}

TEST(Interface, AnEmptyInterfaceRoundTrips) {
    const Interface after = interface_from_json(interface_to_json(Interface{}), "ports.json");
    EXPECT_TRUE(after.inputs.empty());
    EXPECT_TRUE(after.outputs.empty());
}

TEST(Interface, TheFingerprintDependsOnEveryPort) {
    const Interface base = example();
    const auto differs = [&](auto change) {
        Interface other = base;
        change(other);
        return other.fingerprint() != base.fingerprint();
    };
    EXPECT_TRUE(differs([](Interface& i) { i.inputs[0].name = "incomf"; }));
    EXPECT_TRUE(differs([](Interface& i) { i.inputs[0].width = 17; }));
    EXPECT_TRUE(differs([](Interface& i) { i.inputs[1].is_signed = false; }));
    EXPECT_TRUE(differs([](Interface& i) { std::swap(i.inputs[0], i.inputs[1]); }));
    EXPECT_TRUE(differs([](Interface& i) { i.outputs.swap(i.inputs); }));
    EXPECT_TRUE(differs([](Interface& i) {
        i.outputs.insert(i.outputs.begin(), i.inputs.back());
        i.inputs.pop_back();
    }));
    EXPECT_FALSE(differs([](Interface& i) { i.circuit_name = "renamed"; }));
}

TEST(Interface, ComesFromACircuit) {
    CircuitBuilder builder("pair");
    const auto a = builder.add_input("a", 3, true);
    builder.add_output("low", {a[0], a[1]});
    const Interface result = interface_of(builder.finish());
    EXPECT_EQ(result.circuit_name, "pair");
    EXPECT_FALSE(result.is_sequential);
    ASSERT_NE(result.find_input("a"), nullptr);
    EXPECT_EQ(*result.find_input("a"), (Interface::Port{"a", 3, true}));
    ASSERT_NE(result.find_output("low"), nullptr);
    EXPECT_EQ(result.find_output("low")->width, 2U);
    EXPECT_EQ(result.find_input("low"), nullptr);
    EXPECT_EQ(result.find_output("a"), nullptr);
}

TEST(Interface, BadJsonIsRefusedWithItsReason) {
    const std::string good = interface_to_json(example());
    for (std::size_t length = 0; length + 2 < good.size(); length += 7) {
        EXPECT_NE(failure(good.substr(0, length)), "accepted") << length;
    }
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return failure(text);
    };
    EXPECT_THAT(changed("\"width\": 16", "\"width\": 0"), ::testing::HasSubstr("inputs[0] has width 0"));
    EXPECT_THAT(changed("\"width\": 16", "\"width\": 16777217"), ::testing::HasSubstr("16777217"));
    EXPECT_THAT(changed("\"width\": 16", "\"width\": -1"), ::testing::HasSubstr("whole number"));
    EXPECT_THAT(changed("\"width\": 16", "\"width\": \"16\""), ::testing::HasSubstr("whole number"));
    EXPECT_THAT(changed("\"width\": 16, ", ""), ::testing::HasSubstr("no \"width\""));
    EXPECT_THAT(changed("\"income\"", "\"balance[3]\""), ::testing::HasSubstr("repeats the name"));
    EXPECT_THAT(changed("_interface\": 1", "_interface\": 2"), ::testing::HasSubstr("version 2"));
    EXPECT_THAT(changed("\"sequential\"", "\"x\": 1, \"sequential\""), ::testing::HasSubstr("does not know"));
    EXPECT_THAT(failure("{]"), ::testing::HasSubstr("line 1, column 2"));
    EXPECT_THAT(failure(std::string(200000, '[')), ::testing::HasSubstr("ports.json"));
}

}  // namespace
}  // namespace toroid::circuit
