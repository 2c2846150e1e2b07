// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circuit/circuit_builder.hpp"
#include "circuit/interface.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using ::testing::HasSubstr;
using Ports = std::vector<Interface::Port>;

const Ports ports = {
    {"a", 8, false}, {"s", 8, true}, {"flag", 1, false}, {"wide", 200, true}, {"x=y", 4, false}};

std::string decimal(const Values& values, const std::string& name, std::size_t step = 0) {
    const auto port = std::find_if(ports.begin(), ports.end(), [&](const auto& p) { return p.name == name; });
    return base::format_decimal(values.at(name).at(step), port->is_signed);
}

Values read(const std::string& json) {
    return values_from_json(json, ports, true, "in.json");
}

std::string failure(const std::function<void()>& action, ErrorKind kind = ErrorKind::value) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    }
    return "accepted";
}
std::string json_failure(const std::string& json, ErrorKind kind = ErrorKind::value) {
    return failure([&] { (void)read(json); }, kind);
}

TEST(Values, JsonInEveryNotation) {
    EXPECT_EQ(decimal(read(R"({"a": 255})"), "a"), "255");
    EXPECT_EQ(decimal(read(R"({"a": "0x1f"})"), "a"), "31");
    EXPECT_EQ(decimal(read(R"({"a": "0b101"})"), "a"), "5");
    EXPECT_EQ(decimal(read(R"({"s": -128})"), "s"), "-128");
    EXPECT_EQ(decimal(read(R"({"s": "-5"})"), "s"), "-5");
    EXPECT_EQ(decimal(read(R"({"s": "0xff"})"), "s"), "-1");
    EXPECT_EQ(decimal(read(R"({"flag": true})"), "flag"), "1");
    EXPECT_EQ(decimal(read(R"({"flag": false})"), "flag"), "0");
    const Values list = read(R"({"a": [1, "2", "0x3"], "flag": [true, false, 1]})");
    ASSERT_EQ(list.at("a").size(), 3U);
    EXPECT_EQ(decimal(list, "a", 2), "3");
    EXPECT_EQ(decimal(list, "flag", 1), "0");
}

TEST(Values, WideNumbersKeepEveryDigit) {
    const std::string digits = "-123456789012345678901234567890123456789";
    EXPECT_EQ(decimal(read("{\"wide\": " + digits + "}"), "wide"), digits);
    EXPECT_EQ(decimal(read("{\"wide\": \"" + digits + "\"}"), "wide"), digits);
    EXPECT_EQ(decimal(read("{\"wide\": 18446744073709551615}"), "wide"), "18446744073709551615");
    EXPECT_EQ(decimal(read("{\"wide\": 18446744073709551616}"), "wide"), "18446744073709551616");
    EXPECT_EQ(decimal(read("{\"wide\": -9223372036854775809}"), "wide"), "-9223372036854775809");
}

TEST(Values, JsonFaultsNameThePort) {
    EXPECT_THAT(json_failure(R"({"a": 256})"), AllOf(HasSubstr("port 'a'"), HasSubstr("0 to 255")));
    EXPECT_THAT(json_failure(R"({"a": -1})"), HasSubstr("0 to 255"));
    EXPECT_THAT(json_failure(R"({"s": 128})"), HasSubstr("-128 to 127"));
    EXPECT_THAT(json_failure(R"({"a": 1.0})"), AllOf(HasSubstr("port 'a'"), HasSubstr("1.0")));
    EXPECT_THAT(json_failure(R"({"a": 1e2})"), HasSubstr("1e2"));
    EXPECT_THAT(json_failure(R"({"a": null})"), HasSubstr("null"));
    EXPECT_THAT(json_failure(R"({"a": {"b": 1}})"), HasSubstr("an object"));
    EXPECT_THAT(json_failure(R"({"a": [[1]]})"), HasSubstr("list inside a list"));
    EXPECT_THAT(json_failure(R"({"a": []})"), HasSubstr("empty list"));
    EXPECT_THAT(json_failure(R"({"a": ""})"), HasSubstr("port 'a'"));
    EXPECT_THAT(json_failure(R"({"a": "12 "})"), HasSubstr("port 'a'"));
    EXPECT_THAT(json_failure(R"({"flag": 2})"), HasSubstr("0 to 1"));
    EXPECT_THAT(json_failure(R"({"b": 1})"), AllOf(HasSubstr("no port 'b'"), HasSubstr("'flag'")));
    EXPECT_THAT(json_failure(R"({"a": 1, "a": 1})"), HasSubstr("twice"));
    EXPECT_THAT(json_failure("[1]"), HasSubstr("must be an object"));
    EXPECT_THAT(json_failure("7"), HasSubstr("must be an object"));
    EXPECT_THAT(failure([] { (void)values_from_json(R"({"a": 1})", ports, false, "in.json"); }),
                AllOf(HasSubstr("in.json"), HasSubstr("'s', 'flag', 'wide'")));
}

TEST(Values, BrokenJsonIsAFormatErrorWithItsPlace) {
    EXPECT_THAT(json_failure("{\"a\": 1,\n \"s\" 2}", ErrorKind::format), HasSubstr("line 2"));
    EXPECT_THAT(json_failure("", ErrorKind::format), HasSubstr("in.json"));
    EXPECT_THAT(json_failure("{\"a\": 1} x", ErrorKind::format), HasSubstr("line 1"));
    EXPECT_THAT(json_failure("{\"wide\": 1" + std::string(400, '0') + "}", ErrorKind::format),
                HasSubstr("as strings"));
    EXPECT_NE(json_failure("{\"a\": " + std::string(100000, '[')), "accepted");
}

TEST(Values, ItemsTakeTheSameSyntax) {
    const Values values = values_from_items({"a=0x10", "s=-3,4", "flag=true", "x=y=7"}, ports, true);
    EXPECT_EQ(decimal(values, "a"), "16");
    EXPECT_EQ(decimal(values, "s", 0), "-3");
    EXPECT_EQ(decimal(values, "s", 1), "4");
    EXPECT_EQ(decimal(values, "flag"), "1");
    EXPECT_EQ(decimal(values, "x=y"), "7");
    const auto fails = [](const std::string& item) {
        return failure([&] { (void)values_from_items({item}, ports, true); });
    };
    EXPECT_THAT(fails("a"), HasSubstr("name=value"));
    EXPECT_THAT(fails("=1"), HasSubstr("name=value"));
    EXPECT_THAT(fails("a="), HasSubstr("port 'a'"));
    EXPECT_THAT(fails("a=1,,2"), HasSubstr("port 'a'"));
    EXPECT_THAT(fails("a=300"), HasSubstr("0 to 255"));
    EXPECT_THAT(fails("b=1"), HasSubstr("no port 'b'"));
    EXPECT_THAT(failure([] { (void)values_from_items({"a=1", "a=2"}, ports, true); }), HasSubstr("twice"));
    EXPECT_THAT(failure([] { (void)values_from_items({"a=1"}, ports, false); }), HasSubstr("'x=y'"));
}

TEST(Values, JsonRoundTripOfRandomValues) {
    auto random = tests::generator();
    for (int round = 0; round < 50; ++round) {
        Values before;
        for (const auto& port : ports) {
            const std::size_t steps = 1 + random() % 3;
            for (std::size_t step = 0; step < steps; ++step) {
                base::BitVector bits;
                for (std::uint32_t i = 0; i < port.width; ++i) bits.push_back((random() & 1) != 0);
                before[port.name].push_back(bits);
            }
        }
        EXPECT_EQ(read(values_to_json(before, ports)), before);
    }
}

TEST(Values, NumbersStayExactForEveryJsonReader) {
    const Ports port = {{"n", 64, true}};
    const auto written = [&](const std::string& value) {
        return values_to_json(values_from_items({"n=" + value}, port, false), port);
    };
    EXPECT_EQ(written("9007199254740991"), "{\n  \"n\": 9007199254740991\n}\n");
    EXPECT_EQ(written("9007199254740992"), "{\n  \"n\": \"9007199254740992\"\n}\n");
    EXPECT_EQ(written("-9007199254740991"), "{\n  \"n\": -9007199254740991\n}\n");
    EXPECT_EQ(written("-9007199254740992"), "{\n  \"n\": \"-9007199254740992\"\n}\n");
    EXPECT_EQ(written("1,2"), "{\n  \"n\": [1, 2]\n}\n");
    EXPECT_EQ(values_to_json({}, port), "{}\n");
    EXPECT_THAT(failure([&] { (void)values_to_json({{"m", {{true}}}}, port); }), HasSubstr("no port 'm'"));
    EXPECT_THAT(failure([&] { (void)values_to_json({{"n", {{true}}}}, port); }), HasSubstr("width of 64"));
}

// Every kind of gate record, and a register.
Circuit mixed_circuit() {
    CircuitBuilder builder("mixed");
    const auto a = builder.add_input("a", 3);
    const auto b = builder.add_input("b", 3);
    const Literal state = builder.add_register("state", true);
    const Literal carry = builder.majority(a[0], b[0], state);
    const std::vector<WeightedLiteral> sum = {{a[0], 1}, {b[0], 1}, {state, 1}, {carry, -2}};
    const Literal form = builder.linear_form(sum, 0);
    builder.set_next(state, builder.xor_gate(form, a[2]));
    builder.add_output("mux", {builder.mux(a[1], b[1], form), builder.mux(b[2], !a[2], !carry)});
    builder.add_output(
        "more", {builder.and_gate(form, !b[2]), builder.e2_gate(a, b), Literal::constant(true), form}, true);
    return builder.finish();
}

Values steps_of(const std::string& name, std::uint32_t width, const std::vector<unsigned>& numbers) {
    Values values;
    for (const unsigned number : numbers) {
        base::BitVector bits;
        for (std::uint32_t i = 0; i < width; ++i) bits.push_back((number >> i & 1) != 0);
        values[name].push_back(bits);
    }
    return values;
}

TEST(BindInputs, AgreesWithSimulationForEveryConstant) {
    const Circuit circuit = mixed_circuit();
    const std::vector<unsigned> sequence = {0, 1, 2, 3, 4, 5, 6, 7, 3, 1, 6};
    const auto cycles = static_cast<std::uint32_t>(sequence.size());
    for (const std::string bound : {"a", "b"}) {
        const std::string free = bound == "a" ? "b" : "a";
        for (unsigned constant = 0; constant < 8; ++constant) {
            Values inputs = steps_of(free, 3, sequence);
            const Values fixed = steps_of(bound, 3, {constant});
            const Circuit small = bind_inputs(circuit, fixed);
            ASSERT_EQ(small.inputs.size(), 1U);
            EXPECT_EQ(small.inputs[0].name, free);
            EXPECT_LT(small.bootstraps(), circuit.bootstraps());
            EXPECT_EQ(interface_of(small).outputs, interface_of(circuit).outputs);
            const Values expected_inputs = [&] {
                Values all = inputs;
                all.insert(fixed.begin(), fixed.end());
                return all;
            }();
            EXPECT_EQ(simulate(small, inputs, cycles), simulate(circuit, expected_inputs, cycles))
                << bound << '=' << constant;
        }
    }
}

TEST(BindInputs, WithNothingBoundKeepsCostAndFunction) {
    const Circuit circuit = mixed_circuit();
    const Circuit copy = bind_inputs(circuit, {});
    EXPECT_EQ(copy.bootstraps(), circuit.bootstraps());
    EXPECT_EQ(interface_of(copy).fingerprint(), interface_of(circuit).fingerprint());
}

TEST(BindInputs, AllBoundLeavesAConstantCircuit) {
    CircuitBuilder builder("and");
    const auto a = builder.add_input("a", 2);
    builder.add_output("y", {builder.and_gate(a[0], a[1])});
    const Circuit circuit = bind_inputs(builder.finish(), steps_of("a", 2, {3}));
    EXPECT_EQ(circuit.bootstraps(), 0U);
    EXPECT_TRUE(circuit.inputs.empty());
    EXPECT_EQ(simulate(circuit, {}, 1).at("y").at(0), base::BitVector{true});
}

// A pair that is no multiplexer: AND(a, b) + AND(NOT a, NOT b) + 1/8 is XNOR.
TEST(BindInputs, CopiesAPairThatIsNoMultiplexer) {
    Circuit circuit;
    circuit.name = "pair";
    circuit.signal_count = 4;
    circuit.inputs = {{"a", false, {1}}, {"b", false, {2}}};
    circuit.operands = {{1, 1}, {2, 1}, {1, -1}, {2, -1}};
    circuit.gates = {{3, 0, 2, 2, -1, -1, 1, base::GateForm::pair}};
    circuit.outputs = {{"y", false, {Literal(3, false)}}};
    const Circuit copy = bind_inputs(circuit, {});
    for (unsigned row = 0; row < 4; ++row) {
        Values inputs = steps_of("a", 1, {row & 1});
        inputs.merge(steps_of("b", 1, {row >> 1}));
        EXPECT_EQ(simulate(copy, inputs, 1), simulate(circuit, inputs, 1)) << row;
        EXPECT_EQ(simulate(copy, inputs, 1).at("y").at(0).at(0), (row & 1) == row >> 1);
    }
}

TEST(BindInputs, RefusesWhatDoesNotFit) {
    const Circuit circuit = mixed_circuit();
    EXPECT_THAT(failure([&] { (void)bind_inputs(circuit, steps_of("c", 3, {1})); }),
                HasSubstr("no input 'c'"));
    EXPECT_THAT(failure([&] { (void)bind_inputs(circuit, steps_of("a", 2, {1})); }), HasSubstr("width of 3"));
    EXPECT_THAT(failure([&] {
                    (void)bind_inputs(circuit, steps_of("a", 3, {1, 2}));
                }),
                HasSubstr("takes one"));
}

TEST(Simulate, CarriesRegistersFromCycleToCycle) {
    CircuitBuilder builder("counter");
    const auto enable = builder.add_input("enable", 1);
    const Literal low = builder.add_register("low", false);
    const Literal high = builder.add_register("high", true);
    builder.set_next(low, builder.xor_gate(low, enable[0]));
    builder.set_next(high, builder.xor_gate(high, builder.and_gate(low, enable[0])));
    builder.add_output("count", {low, high});
    const Circuit circuit = builder.finish();
    const Values held = simulate(circuit, steps_of("enable", 1, {1}), 5);
    EXPECT_EQ(held, steps_of("count", 2, {2, 3, 0, 1, 2}));
    const Values stepped = simulate(circuit, steps_of("enable", 1, {1, 0, 1}), 3);
    EXPECT_EQ(stepped, steps_of("count", 2, {2, 3, 3}));
}

TEST(Simulate, RefusesWhatDoesNotFit) {
    const Circuit circuit = mixed_circuit();
    Values inputs = steps_of("a", 3, {1});
    EXPECT_THAT(failure([&] { (void)simulate(circuit, inputs, 1); }), HasSubstr("input 'b'"));
    inputs.merge(steps_of("b", 3, {1, 2}));
    EXPECT_THAT(failure([&] { (void)simulate(circuit, inputs, 3); }), HasSubstr("2 values for 3 cycles"));
    EXPECT_THAT(failure([&] { (void)simulate(circuit, inputs, 0); }), HasSubstr("at least one cycle"));
    inputs.merge(steps_of("c", 1, {0}));
    EXPECT_THAT(failure([&] { (void)simulate(circuit, inputs, 2); }), HasSubstr("no input 'c'"));
}

}  // namespace
}  // namespace toroid::circuit
