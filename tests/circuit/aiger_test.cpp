// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "circuit/interface.hpp"
#include "circuit/netlist_reader.hpp"
#include "circuit/simulator.hpp"
#include "support/shared_data.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Circuit read(const std::string& text, std::vector<Warning>* warnings = nullptr) {
    ReadOptions options;
    options.warnings = warnings;
    return read_aiger(text, "t.aag", options);
}
std::string error_of(const std::string& text, bool strict = false) {
    try {
        ReadOptions options;
        options.strict = strict;
        (void)read_aiger(text, "t.aag", options);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::circuit) << error.what();
        return error.what();
    }
    return "no error";
}

// sum = x ^ y, carry = x & y
const std::string half_adder =
    "aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\ni0 x\ni1 y\no0 sum\no1 carry\nc\nanything at all\n";

std::string binary(std::initializer_list<int> bytes) {
    std::string out;
    for (const int byte : bytes) out += static_cast<char>(byte);
    return out;
}

TEST(Aiger, AsciiHalfAdderWithGatesInAnyOrder) {
    const Circuit circuit = read(half_adder);
    const Interface interface = interface_of(circuit);
    ASSERT_EQ(interface.inputs.size(), 2U);
    EXPECT_EQ(interface.inputs[1].name, "y");
    EXPECT_EQ(interface.outputs[0].name, "sum");
    Simulator simulator(circuit);
    const std::vector<std::uint64_t> inputs{0b0101, 0b0011};
    const auto out = simulator.step(inputs);
    EXPECT_THAT((std::vector{out[0] & 15, out[1] & 15}), ElementsAre(0b0110, 0b0001));
    EXPECT_EQ(circuit.name, "t");
}

TEST(Aiger, BinaryIsTheSameCircuit) {
    // Gates 6 = 4 & 2, 8 = 5 & 3, 10 = !6 & !8.
    const std::string text =
        "aig 5 2 0 2 3\n10\n6\n" + binary({2, 2, 3, 2, 1, 2}) + "i0 x\ni1 y\no0 sum\no1 carry\n";
    const Circuit circuit = read(text);
    Simulator simulator(circuit);
    const std::vector<std::uint64_t> inputs{0b0101, 0b0011};
    const auto out = simulator.step(inputs);
    EXPECT_THAT((std::vector{out[0] & 15, out[1] & 15}), ElementsAre(0b0110, 0b0001));
}

TEST(Aiger, DifferencesOfSeveralBytes) {
    // 100 inputs, one gate 202 = 102 & 2: differences 100 and 100; then 204 = 202 & 3 with 199 = 0xc7 0x01.
    const std::string text = "aig 102 100 0 2 2\n202\n204\n" + binary({100, 100, 2, 0xc7, 0x01});
    const Circuit circuit = read(text);
    ASSERT_EQ(circuit.inputs.size(), 1U);
    EXPECT_EQ(circuit.inputs[0].name, "i");
    EXPECT_EQ(circuit.inputs[0].signals.size(), 100U);
    Simulator simulator(circuit);
    std::vector<std::uint64_t> inputs(100, 0);
    inputs[0] = 0b01;
    inputs[50] = 0b11;
    const auto out = simulator.step(inputs);
    EXPECT_THAT((std::vector{out[0] & 3, out[1] & 3}), ElementsAre(0b01, 0b00));
}

TEST(Aiger, LatchesStartWhereTheySay) {
    // q0 toggles from 1, q1 copies q0 from 0, q2 has no initial value and holds.
    std::vector<Warning> warnings;
    const Circuit circuit = read("aag 3 0 3 3 0\n2 3 1\n4 2\n6 6 6\n2\n4\n6\nl0 toggle\n", &warnings);
    ASSERT_EQ(circuit.registers.size(), 3U);
    EXPECT_EQ(circuit.registers[0].name, "toggle");
    EXPECT_EQ(circuit.registers[1].name, "l[1]");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].place, "t.aag:4");
    EXPECT_THAT(warnings[0].message, HasSubstr("latch 2"));
    Simulator simulator(circuit);
    std::vector<std::vector<std::uint64_t>> bits;
    for (int cycle = 0; cycle < 3; ++cycle) {
        bits.push_back(simulator.step({}));
        for (std::uint64_t& word : bits.back()) word &= 1;
    }
    EXPECT_THAT(bits, ElementsAre(ElementsAre(1, 0, 0), ElementsAre(0, 1, 0), ElementsAre(1, 0, 0)));
    EXPECT_THAT(error_of("aag 1 0 1 1 0\n2 2 2\n2\n", true), HasSubstr("t.aag:2"));
}

TEST(Aiger, BinaryLatches) {
    const Circuit circuit = read("aig 2 0 2 1 0\n5\n2 1\n2\n");
    ASSERT_EQ(circuit.registers.size(), 2U);
    EXPECT_FALSE(circuit.registers[0].init);
    EXPECT_TRUE(circuit.registers[1].init);
    EXPECT_TRUE(circuit.registers[0].next.negated());
}

TEST(Aiger, ConstantsAndWiresAreOutputs) {
    const Circuit circuit = read("aag 1 1 0 4 0\n2\n0\n1\n2\n3\n");
    EXPECT_EQ(circuit.outputs[0].name, "o");
    EXPECT_TRUE(circuit.gates.empty());
    Simulator simulator(circuit);
    const std::vector<std::uint64_t> inputs{0b10};
    auto out = simulator.step(inputs);
    for (std::uint64_t& word : out) word &= 3;
    EXPECT_THAT(out, ElementsAre(0b00, 0b11, 0b10, 0b01));
}

TEST(Aiger, WrongFilesAreNamed) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "begins with"},
        {"aag 1 1 0\n", "t.aag:1: the header"},
        {"aag 1 1 0 x 0\n2\n2\n", "'x' in the header"},
        {"aag 1 1 0 0 0 1\n2\n2\n", "bad state properties"},
        {"aag 1 1 0 0 0 0 0 2\n2\n2\n", "justice properties"},
        {"aag 0 1 0 0 0\n2\n", "the largest variable is 0"},
        {"aag 1 1 0 1 0\n3\n2\n", "t.aag:2: literal 3 cannot be defined: it is negated"},
        {"aag 1 1 0 1 0\n0\n2\n", "it is a constant"},
        {"aag 2 2 0 1 0\n2\n2\n2\n", "t.aag:3: literal 2 is defined twice"},
        {"aag 1 1 0 1 0\n2\n4\n", "t.aag:3: literal 4 is above"},
        {"aag 2 1 0 1 0\n2\n4\n", "t.aag:3: literal 4 is used but never defined"},
        {"aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", "reads itself, through 2 gates"},
        {"aag 1 1 0 1 0\n2\n", "too short"},
        {"aag 1 1 0 1 0\n2 2\n2\n", "t.aag:2: input 0 is '2 2'"},
        {"aag 1 0 1 1 0\n2 2 4\n2\n", "above the largest"},
        {"aag 2 1 1 1 0\n2\n4 2 2\n2\n", "starts at 2"},
        {"aag 1 1 0 1 0\n2\n2\ni1 x\n", "a name for i1"},
        {"aag 1 1 0 1 0\n2\n2\ni0 x\ni0 y\n", "i0 is named twice"},
        {"aag 2 2 0 1 0\n2\n4\n2\ni0 x\ni1 x\n", "i0 and i1 are both named x"},
        {"aag 1 1 0 1 0\n2\n2\nnonsense\n", "t.aag:4: 'nonsense' is no symbol"},
        {"aig 3 1 0 1 1\n2\n" + binary({1, 1}), "the largest variable is 3"},
        {"aig 2 1 0 1 1\n4\n" + binary({0, 1}), "gate 4 reads no earlier literal"},
        {"aig 2 1 0 1 1\n4\n" + binary({2, 3}), "below 0"},
        {"aig 2 1 0 1 1\n4\n" + binary({0x82, 0x80}), "ends within the gates"},
        {"aig 2 1 0 1 1\n4\n" + binary({0x82, 0x80, 0x80, 0x80, 0x80, 0x01}), "more than 32 bits"},
        {"aig 1000000000 1000000000 0 0 0\n", "limit"},
        {"aag 1000000000 0 0 0 0\n", "the largest variable is 1000000000"},
    };
    for (const auto& [text, words] : cases) EXPECT_THAT(error_of(text), HasSubstr(words)) << text;
}

TEST(Aiger, EveryCutFileIsRefusedOrRead) {
    const std::string text = "aig 5 2 0 2 3\n10\n6\n" + binary({2, 2, 3, 2, 1, 2}) + "i0 x\n";
    for (std::size_t length = 0; length < text.size(); ++length) (void)error_of(text.substr(0, length));
}

TEST(Aiger, EpflHypotenuseIsRead) {
    TOROID_REQUIRE_SHARED_DATA(folder);
    const Circuit circuit = read_netlist(folder / "circuits/epfl/hyp.aig", {});
    EXPECT_EQ(interface_of(circuit).inputs.size(), 2U);
    EXPECT_GT(circuit.gates.size(), 200'000U);
}

}  // namespace
}  // namespace toroid::circuit
