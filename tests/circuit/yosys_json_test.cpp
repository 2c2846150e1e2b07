// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "circuit/interface.hpp"
#include "circuit/netlist_reader.hpp"
#include "support/seed.hpp"
#include "support/shared_data.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Reading {
    Circuit circuit;
    std::vector<Warning> warnings;
    [[nodiscard]] std::string all_warnings() const {
        std::string text;
        for (const Warning& warning : warnings) text += warning.place + ": " + warning.message + '\n';
        return text;
    }
};

Reading read(const std::string& text) {
    Reading result;
    result.circuit = read_yosys_json(text, "net.json", {false, &result.warnings});
    return result;
}

std::string failure(const std::string& text, ErrorKind kind = ErrorKind::circuit, bool strict = false) {
    try {
        (void)read_yosys_json(text, "net.json", {strict, nullptr});
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        EXPECT_THAT(error.what(), HasSubstr("net.json"));
        return error.what();
    }
    return "accepted";
}

// --- small netlists written as the parts that matter

std::string port(const std::string& name, const std::string& direction, const std::string& bits,
                 const std::string& more = "") {
    return "\"" + name + "\": {\"direction\": \"" + direction + "\", \"bits\": " + bits + more + "}";
}
std::string cell(const std::string& name, const std::string& type, const std::string& connections) {
    return "\"" + name + R"(": {"type": ")" + type + R"(", "connections": {)" + connections + "}}";
}
std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ",\n") + part;
    return text;
}
std::string module(const std::string& name, const std::vector<std::string>& ports,
                   const std::vector<std::string>& cells, const std::vector<std::string>& nets = {},
                   const std::string& attributes = "") {
    return "\"" + name + "\": {\"attributes\": {" + attributes + "}, \"ports\": {" + joined(ports) +
           "}, \"cells\": {" + joined(cells) + "}, \"netnames\": {" + joined(nets) + "}}";
}
std::string file(const std::vector<std::string>& modules) {
    return "{\"modules\": {" + joined(modules) + "}}";
}
std::string one(const std::vector<std::string>& ports, const std::vector<std::string>& cells,
                const std::vector<std::string>& nets = {}) {
    return file({module("m", ports, cells, nets)});
}

base::BitVector bits_of(std::uint64_t number, std::size_t width) {
    base::BitVector bits;
    for (std::size_t i = 0; i < width; ++i) bits.push_back((number >> i & 1) != 0);
    return bits;
}
std::uint64_t number_of(const base::BitVector& bits) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) number |= static_cast<std::uint64_t>(bits[i]) << i;
    return number;
}

using Steps = std::map<std::string, std::vector<std::uint64_t>>;
std::vector<std::uint64_t> run(const Circuit& circuit, const Steps& steps, const std::string& output,
                               std::uint32_t cycles = 1) {
    Values inputs;
    for (const InputPort& input : circuit.inputs) {
        for (const std::uint64_t number : steps.at(input.name)) {
            inputs[input.name].push_back(bits_of(number, input.signals.size()));
        }
    }
    std::vector<std::uint64_t> result;
    const Values results = simulate(circuit, inputs, cycles);
    for (const base::BitVector& bits : results.at(output)) result.push_back(number_of(bits));
    return result;
}

// --- gates

struct GateCase {
    std::string type;
    std::string inputs;
    std::function<bool(unsigned)> value;  // bit i of the argument is input i
};

TEST(YosysJson, EveryGateHasItsTruthTable) {
    const auto bit = [](unsigned row, unsigned i) { return (row >> i & 1) != 0; };
    const std::vector<GateCase> cases = {
        {"$_BUF_", "A", [&](unsigned r) { return bit(r, 0); }},
        {"$_NOT_", "A", [&](unsigned r) { return !bit(r, 0); }},
        {"$_AND_", "AB", [&](unsigned r) { return bit(r, 0) && bit(r, 1); }},
        {"$_NAND_", "AB", [&](unsigned r) { return !(bit(r, 0) && bit(r, 1)); }},
        {"$_OR_", "AB", [&](unsigned r) { return bit(r, 0) || bit(r, 1); }},
        {"$_NOR_", "AB", [&](unsigned r) { return !(bit(r, 0) || bit(r, 1)); }},
        {"$_XOR_", "AB", [&](unsigned r) { return bit(r, 0) != bit(r, 1); }},
        {"$_XNOR_", "AB", [&](unsigned r) { return bit(r, 0) == bit(r, 1); }},
        {"$_ANDNOT_", "AB", [&](unsigned r) { return bit(r, 0) && !bit(r, 1); }},
        {"$_ORNOT_", "AB", [&](unsigned r) { return bit(r, 0) || !bit(r, 1); }},
        {"$_MUX_", "ABS", [&](unsigned r) { return bit(r, 2) ? bit(r, 1) : bit(r, 0); }},
        {"$_NMUX_", "ABS", [&](unsigned r) { return !(bit(r, 2) ? bit(r, 1) : bit(r, 0)); }},
        {"$_AOI3_", "ABC", [&](unsigned r) { return !((bit(r, 0) && bit(r, 1)) || bit(r, 2)); }},
        {"$_OAI3_", "ABC", [&](unsigned r) { return !((bit(r, 0) || bit(r, 1)) && bit(r, 2)); }},
        {"$_AOI4_", "ABCD",
         [&](unsigned r) { return !((bit(r, 0) && bit(r, 1)) || (bit(r, 2) && bit(r, 3))); }},
        {"$_OAI4_", "ABCD",
         [&](unsigned r) { return !((bit(r, 0) || bit(r, 1)) && (bit(r, 2) || bit(r, 3))); }},
        {"$_MUX4_", "ABCDST", [&](unsigned r) { return bit(r, r >> 4 & 3); }},
        {"$_MUX8_", "ABCDEFGHSTU", [&](unsigned r) { return bit(r, r >> 8 & 7); }},
        {"$_MUX16_", "ABCDEFGHIJKLMNOPSTUV", [&](unsigned r) { return bit(r, r >> 16 & 15); }},
    };
    for (const GateCase& gate : cases) {
        const auto width = static_cast<unsigned>(gate.inputs.size());
        std::string bits;
        std::string connections;
        for (unsigned i = 0; i < width; ++i) {
            bits += (i == 0 ? "" : ",") + std::to_string(i + 2);
            connections += std::string("\"") + gate.inputs[i] + "\": [" + std::to_string(i + 2) + "], ";
        }
        const Reading reading =
            read(one({port("in", "input", "[" + bits + "]"), port("y", "output", "[100]")},
                     {cell("g", gate.type, connections + "\"Y\": [100]")}));
        EXPECT_THAT(reading.warnings, IsEmpty());
        auto random = tests::generator(width);
        const unsigned rows = 1U << width;
        for (unsigned trial = 0; trial < std::min(rows, 512U); ++trial) {
            const unsigned row = rows <= 512 ? trial : static_cast<unsigned>(random()) % rows;
            ASSERT_EQ(run(reading.circuit, {{"in", {row}}}, "y")[0], gate.value(row) ? 1U : 0U)
                << gate.type << ' ' << row;
        }
    }
}

TEST(YosysJson, TablesFromLutMapping) {
    const auto lut = [](const std::string& width, const std::string& table) {
        return one({port("in", "input", "[2,3,4]"), port("y", "output", "[9]")},
                   {R"("t": {"type": "$lut", "parameters": {"WIDTH": )" + width + R"(, "LUT": )" + table +
                    R"(}, "connections": {"A": [2,3,4], "Y": [9]}})"});
    };
    const Circuit circuit = read(lut("3", "\"11101000\"")).circuit;
    for (unsigned row = 0; row < 8; ++row) {
        EXPECT_EQ(run(circuit, {{"in", {row}}}, "y")[0], 0b11101000U >> row & 1) << row;
    }
    EXPECT_THAT(failure(lut("3", "\"111010001\"")), AllOf(HasSubstr("cell 't'"), HasSubstr("8 bits")));
    EXPECT_THAT(failure(lut("3", "\"banana\"")), HasSubstr("LUT"));
}

// --- flip-flops: every type of every family against its definition

struct FlipFlopCase {
    std::string type;
    std::string ports;  // control ports in the order of the type's letters
};

bool is_active(char letter, bool value) {
    return (letter == 'P') == value;
}

TEST(YosysJson, EveryFlipFlopFollowsItsDefinition) {
    std::vector<std::pair<std::string, std::string>> types;  // type, pattern
    const std::vector<std::pair<std::string, std::string>> families = {
        {"$_DFF_", "C"},     {"$_DFF_", "CRV"},     {"$_DFFE_", "CE"},    {"$_DFFE_", "CRVE"},
        {"$_DFFSR_", "CSR"}, {"$_DFFSRE_", "CSRE"}, {"$_ALDFF_", "CL"},   {"$_ALDFFE_", "CLE"},
        {"$_SDFF_", "CRV"},  {"$_SDFFE_", "CRVE"},  {"$_SDFFCE_", "CRVE"}};
    auto random = tests::generator();
    for (const auto& [prefix, pattern] : families) {
        for (unsigned choice = 0; choice < 1U << pattern.size(); ++choice) {
            std::string letters;
            for (std::size_t i = 0; i < pattern.size(); ++i) {
                const bool high = (choice >> i & 1) != 0;
                letters += pattern[i] == 'V' ? (high ? '1' : '0') : (high ? 'P' : 'N');
            }
            const std::string type = prefix + letters + "_";
            const auto has = [&, &pattern = pattern](char what) {
                return pattern.find(what) != std::string::npos;
            };
            const auto letter = [&, &pattern = pattern](char what) { return letters[pattern.find(what)]; };

            std::string connections = R"("D": [3], "Q": [20], "C": [2])";
            std::vector<std::string> ports = {port("clk", "input", "[2]"), port("D", "input", "[3]")};
            int net = 4;
            for (const std::string name : {"E", "S", "R", "L"}) {
                if (!has(name[0])) continue;
                ports.push_back(port(name, "input", "[" + std::to_string(net) + "]"));
                connections += ", \"" + name + "\": [" + std::to_string(net++) + "]";
            }
            if (has('L')) {
                ports.push_back(port("AD", "input", "[15]"));
                connections += R"(, "AD": [15])";
            }
            ports.push_back(port("q", "output", "[20]"));
            const bool init = (choice & 1) != 0;
            const Reading reading = read(one(ports, {cell("f", type, connections)},
                                             {std::string(R"("q": {"bits": [20], "attributes": {"init": ")") +
                                              (init ? "1" : "0") + "\"}}"}));
            EXPECT_THAT(reading.warnings, IsEmpty());

            constexpr std::uint32_t cycles = 64;
            Steps steps;
            std::vector<std::uint64_t> expected;
            bool state = init;
            for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
                std::map<char, bool> in;
                for (const InputPort& input : reading.circuit.inputs) {
                    const bool value = (random() & 1) != 0;
                    steps[input.name].push_back(value ? 1 : 0);
                    in[input.name == "AD" ? 'A' : input.name[0]] = value;
                }
                const bool asynchronous = prefix.find("SDFF") == std::string::npos;
                const auto forced = [&](bool value) {
                    if (has('L') && is_active(letter('L'), in['L'])) value = in['A'];
                    if (has('S') && is_active(letter('S'), in['S'])) value = true;
                    if (asynchronous && has('R') && is_active(letter('R'), in['R']))
                        value = has('V') && letter('V') == '1';
                    return value;
                };
                expected.push_back(forced(state) ? 1 : 0);
                bool next = in['D'];
                const bool enabled = !has('E') || is_active(letter('E'), in['E']);
                const bool reset = !asynchronous && is_active(letter('R'), in['R']);
                if (prefix == "$_SDFFCE_") {
                    next = !enabled ? state : reset ? letter('V') == '1' : next;
                } else {
                    if (!enabled) next = state;
                    if (reset) next = letter('V') == '1';
                }
                state = forced(next);
            }
            ASSERT_EQ(run(reading.circuit, steps, "q", cycles), expected) << type;
        }
    }
}

TEST(YosysJson, InitialValuesComeFromNetNames) {
    const auto registers = [](const std::string& init) {
        return one({port("clk", "input", "[2]"), port("d", "input", "[3]"), port("q", "output", "[4,5]")},
                   {cell("f0", "$_DFF_P_", R"("C": [2], "D": [3], "Q": [4])"),
                    cell("f1", "$_DFF_P_", R"("C": [2], "D": [4], "Q": [5])")},
                   {R"("q": {"bits": [4,5], "attributes": {"init": )" + init + "}}"});
    };
    EXPECT_EQ(run(read(registers("\"01\"")).circuit, {{"d", {0}}}, "q", 3),
              (std::vector<std::uint64_t>{1, 2, 0}));
    EXPECT_EQ(run(read(registers("2")).circuit, {{"d", {0}}}, "q", 1)[0], 2U);
    const Reading unknown = read(registers("\"1x\""));
    EXPECT_EQ(run(unknown.circuit, {{"d", {0}}}, "q", 1)[0], 2U);
    EXPECT_THAT(unknown.all_warnings(), HasSubstr("1 register has no initial value and starts at 0: 'q[0]'"));
    EXPECT_THAT(failure(registers("\"1x\""), ErrorKind::circuit, true), HasSubstr("'q[0]'"));
    EXPECT_THAT(failure(registers("\"1q\"")), HasSubstr("init"));
    ASSERT_EQ(unknown.circuit.registers.size(), 2U);
    EXPECT_EQ(unknown.circuit.registers[1].name, "q[1]");
}

TEST(YosysJson, TheClockIsNoInput) {
    const Reading reading = read(
        one({port("clk", "input", "[2]"), port("d", "input", "[3]"), port("q", "output", "[4]")},
            {cell("inv", "$_NOT_", R"("A": [2], "Y": [7])"), cell("buf", "$_BUF_", R"("A": [7], "Y": [8])"),
             cell("f", "$_DFF_N_", R"("C": [8], "D": [3], "Q": [4])")}));
    ASSERT_EQ(reading.circuit.inputs.size(), 1U);
    EXPECT_EQ(reading.circuit.inputs[0].name, "d");
}

TEST(YosysJson, ClocksThatCannotBeOneStepAreRefused) {
    const std::vector<std::string> ports = {port("c", "input", "[2]"), port("e", "input", "[3]"),
                                            port("d", "input", "[4]"), port("q", "output", "[5,6]")};
    const std::vector<std::string> nets = {R"("c": {"bits": [2]})", R"("e": {"bits": [3]})",
                                           R"("g": {"bits": [7]})", R"("q": {"bits": [5,6]})"};
    const auto pair = [&](const std::string& first, const std::string& second) {
        return failure(
            one(ports, {first, second, cell("gate", "$_AND_", R"("A": [2], "B": [3], "Y": [7])")}, nets));
    };
    const std::string plain = cell("f", "$_DFF_P_", R"("C": [2], "D": [4], "Q": [5])");
    EXPECT_THAT(pair(plain, cell("g", "$_DFF_P_", R"("C": [3], "D": [4], "Q": [6])")),
                AllOf(HasSubstr("'c'"), HasSubstr("'e'")));
    EXPECT_THAT(pair(plain, cell("g", "$_DFF_N_", R"("C": [2], "D": [4], "Q": [6])")),
                AllOf(HasSubstr("both edges"), HasSubstr("'q[0]'"), HasSubstr("'q[1]'")));
    EXPECT_THAT(pair(plain, cell("g", "$_DFF_P_", R"("C": [7], "D": [4], "Q": [6])")),
                AllOf(HasSubstr("cell 'g'"), HasSubstr("'g'"), HasSubstr("gated")));
    EXPECT_THAT(pair(plain, cell("g", "$_DFF_P_", R"("C": [2], "D": [2], "Q": [6])")),
                HasSubstr("also used as data"));
    EXPECT_THAT(pair(plain, cell("g", "$_DFF_P_", R"("C": ["1"], "D": [4], "Q": [6])")),
                HasSubstr("cell 'g'"));
    EXPECT_THAT(
        failure(one({port("c", "input", "[2,3]"), port("q", "output", "[5]")},
                    {cell("f", "$_DFF_P_", R"("C": [2], "D": [3], "Q": [5])")}, {R"("c": {"bits": [2,3]})"})),
        AllOf(HasSubstr("'c[0]'"), HasSubstr("wider input")));
}

// --- ports, constants, names

TEST(YosysJson, PortsKeepOrderSignAndBitOrder) {
    const Reading reading =
        read(one({port("z", "output", "[3,2]", R"(, "signed": 1, "offset": 4)"), port("b", "input", "[2]"),
                  port("a", "input", "[3,4]", R"(, "signed": 1, "upto": 1)")},
                 {}));
    const Interface interface = interface_of(reading.circuit);
    EXPECT_EQ(interface.inputs, (std::vector<Interface::Port>{{"b", 1, false}, {"a", 2, true}}));
    EXPECT_EQ(interface.outputs, (std::vector<Interface::Port>{{"z", 2, true}}));
    EXPECT_EQ(reading.circuit.name, "m");
    EXPECT_EQ(run(reading.circuit, {{"b", {1}}, {"a", {2}}}, "z")[0], 2U);
    EXPECT_EQ(run(reading.circuit, {{"b", {0}}, {"a", {1}}}, "z")[0], 1U);
}

TEST(YosysJson, ConstantsAndUnknownsOnOutputs) {
    const std::string text =
        one({port("y", "output", R"(["1","0","x","z"])", R"(, "offset": 8, "upto": 1)")}, {});
    const Reading reading = read(text);
    EXPECT_EQ(run(reading.circuit, {}, "y")[0], 1U);
    EXPECT_THAT(reading.all_warnings(), AllOf(HasSubstr("'y[9]' is x"), HasSubstr("'y[8]' is z")));
    EXPECT_THAT(failure(text, ErrorKind::circuit, true), HasSubstr("'y[9]'"));
}

TEST(YosysJson, UndrivenNetsWarnOnceAndReadAsZero) {
    const std::string text = one(
        {port("a", "input", "[2]"), port("y", "output", "[5,6,9]")},
        {cell("or", "$_OR_", R"("A": [2], "B": [9], "Y": [5])"),
         cell("and", "$_AND_", R"("A": [2], "B": ["x"], "Y": [6])")},
        {R"("u": {"bits": [9]})", R"("hidden": {"hide_name": 1, "bits": [9]})", R"("both": {"bits": [6]})"});
    const Reading reading = read(text);
    EXPECT_EQ(run(reading.circuit, {{"a", {1}}}, "y")[0], 1U);
    ASSERT_EQ(reading.warnings.size(), 2U) << reading.all_warnings();
    EXPECT_THAT(reading.all_warnings(), AllOf(HasSubstr("net 'u'"), HasSubstr("drives 'both' is x")));
    EXPECT_THAT(failure(text, ErrorKind::circuit, true), HasSubstr("net 'u'"));
}

TEST(YosysJson, DeadLogicCostsNothing) {
    const Reading reading =
        read(one({port("clk", "input", "[2]"), port("a", "input", "[3]"), port("y", "output", "[3]")},
                 {cell("g", "$_AND_", R"("A": [3], "B": [9], "Y": [4])"),
                  cell("f", "$_DFF_P_", R"("C": [2], "D": [4], "Q": [9])")}));
    EXPECT_THAT(reading.warnings, IsEmpty());
    EXPECT_FALSE(reading.circuit.is_sequential());
    EXPECT_EQ(reading.circuit.bootstraps(), 0U);
}

// --- hierarchy

std::string half_adder(const std::string& attributes = "") {
    return module("half",
                  {port("a", "input", "[2]"), port("b", "input", "[3]"), port("s", "output", "[4,5]")},
                  {cell("x", "$_XOR_", R"("A": [2], "B": [3], "Y": [4])"),
                   cell("c", "$_AND_", R"("A": [2], "B": [3], "Y": [5])")},
                  {R"("carry": {"bits": [5]})"}, attributes);
}
const std::vector<std::string> full_ports = {port("in", "input", "[2,3,4]"), port("out", "output", "[6,8]")};

TEST(YosysJson, HierarchyIsFlattened) {
    const std::string full = module("full", full_ports,
                                    {cell("u1", "half", R"("a": [2], "b": [3], "s": [5,7])"),
                                     cell("u2", "half", R"("a": [5], "b": [4], "s": [6,9])"),
                                     cell("or", "$_OR_", R"("A": [7], "B": [9], "Y": [8])")});
    const Circuit circuit = read(file({half_adder(), full})).circuit;
    EXPECT_EQ(circuit.name, "full");
    for (unsigned row = 0; row < 8; ++row) {
        EXPECT_EQ(run(circuit, {{"in", {row}}}, "out")[0], static_cast<unsigned>(__builtin_popcount(row)))
            << row;
    }
}

TEST(YosysJson, ConstantsOpenPortsAndPassThroughsCrossModuleBorders) {
    const std::string pass =
        module("pass", {port("i", "input", "[2]"), port("o", "output", R"([2,"1"])")}, {});
    const std::string top =
        module("top", {port("y", "output", "[2,3,5,6]"), port("z", "output", "[5]")},
               {cell("u1", "pass", R"("i": ["1"], "o": [2,3])"),
                cell("u2", "pass", R"("i": ["0"], "o": [5,"x"])"), cell("u3", "pass", R"("o": [6,7])")},
               {R"("open": {"bits": [6]})"});
    const Reading reading = read(file({pass, top}));
    EXPECT_EQ(run(reading.circuit, {}, "y")[0], 3U);
    EXPECT_THAT(reading.all_warnings(), HasSubstr("net 'open'"));
}

TEST(YosysJson, RegistersOfInstancesAreNamedByPath) {
    const std::string delay =
        module("delay", {port("c", "input", "[2]"), port("d", "input", "[3]"), port("q", "output", "[4]")},
               {cell("f", "$_DFF_P_", R"("C": [2], "D": [3], "Q": [4])")},
               {R"("held": {"bits": [4], "attributes": {"init": "1"}})"});
    const std::string top =
        module("top", {port("k", "input", "[2]"), port("d", "input", "[3]"), port("q", "output", "[5]")},
               {cell("u1", "delay", R"("c": [2], "d": [3], "q": [4])"),
                cell("u2", "delay", R"("c": [2], "d": [4], "q": [5])")});
    const Circuit circuit = read(file({top, delay})).circuit;
    ASSERT_EQ(circuit.registers.size(), 2U);
    EXPECT_EQ(circuit.registers[0].name, "u1.held");
    EXPECT_EQ(circuit.registers[1].name, "u2.held");
    EXPECT_EQ(run(circuit, {{"d", {0}}}, "q", 4), (std::vector<std::uint64_t>{1, 1, 0, 0}));
}

TEST(YosysJson, HierarchyFaultsNameModuleAndCell) {
    const auto with = [&](const std::string& connections) {
        return failure(file({half_adder(), module("full", full_ports, {cell("u1", "half", connections)})}));
    };
    EXPECT_THAT(with(R"("a": [2,3], "b": [3], "s": [6,8])"),
                AllOf(HasSubstr("'u1'"), HasSubstr("'a' has 1 bits")));
    EXPECT_THAT(with(R"("q": [2])"), HasSubstr("no port 'q'"));
    EXPECT_THAT(with(R"("a": [2], "b": [3], "s": [2,8])"),
                AllOf(HasSubstr("two drivers"), HasSubstr("u1.x")));
    EXPECT_THAT(failure(file({half_adder(), module("other", full_ports, {})})),
                AllOf(HasSubstr("'half'"), HasSubstr("'other'"), HasSubstr("top")));
    EXPECT_THAT(
        failure(file({half_adder(R"("top": 1)"), module("other", full_ports, {}, {}, R"("top": "0001")")})),
        HasSubstr("top"));
    EXPECT_EQ(read(file({half_adder(R"("top": "00001")"), module("other", full_ports, {})})).circuit.name,
              "half");
    EXPECT_EQ(
        read(file({half_adder(), module("lib", {port("x", "inout", "[2]")}, {}, {}, R"("blackbox": 1)")}))
            .circuit.name,
        "half");
    EXPECT_THAT(
        failure(file({half_adder(R"("blackbox": 1)"), module("full", full_ports, {cell("u1", "half", "")})})),
        AllOf(HasSubstr("'u1'"), HasSubstr("no module of this type")));
    EXPECT_THAT(failure(file({module("a", {}, {cell("x", "b", "")}, {}, R"("top": 1)"),
                              module("b", {}, {cell("y", "a", "")})})),
                AllOf(HasSubstr("contains itself"), HasSubstr("'y'")));
}

TEST(YosysJson, AHierarchyBombIsRefusedBeforeItGrows) {
    std::vector<std::string> modules = {
        module("m0", {port("y", "output", "[2]")}, {cell("g", "$_NOT_", R"("A": ["0"], "Y": [2])")})};
    for (int level = 1; level <= 60; ++level) {
        const std::string below = "m" + std::to_string(level - 1);
        modules.push_back(
            module("m" + std::to_string(level), {}, {cell("l", below, ""), cell("r", below, "")}));
    }
    EXPECT_THAT(failure(file(modules)), HasSubstr("flattens to more than"));
}

// --- faults

TEST(YosysJson, CellFaultsNameTheCell) {
    const auto with = [](const std::string& cell_text) {
        return failure(one({port("a", "input", "[2,3]"), port("y", "output", "[4]")}, {cell_text},
                           {R"("o": {"bits": [4]})"}));
    };
    EXPECT_THAT(with(cell("g", "$_DLATCH_N_", R"("E": [2], "D": [3], "Q": [4])")),
                AllOf(HasSubstr("signal 'o'"), HasSubstr("latch"), HasSubstr("cell 'g'")));
    EXPECT_THAT(with(cell("g", "$_SR_PP_", R"("S": [2], "R": [3], "Q": [4])")), HasSubstr("signal 'o'"));
    EXPECT_THAT(with(cell("g", "$add", R"("A": [2], "B": [3], "Y": [4])")),
                AllOf(HasSubstr("'g'"), HasSubstr("techmap")));
    EXPECT_THAT(with(cell("g", "$mem_v2", "")), HasSubstr("memory_map"));
    EXPECT_THAT(with(cell("g", "$_TBUF_", "")), HasSubstr("tri-state"));
    EXPECT_THAT(with(cell("g", "$_DFF_PX_", "")), AllOf(HasSubstr("'g'"), HasSubstr("$_DFF_PX_")));
    EXPECT_THAT(with(cell("g", "SB_LUT4", "")), AllOf(HasSubstr("'g'"), HasSubstr("SB_LUT4")));
    EXPECT_THAT(with(cell("g", "$_AND_", R"("A": [2], "Y": [4])")),
                AllOf(HasSubstr("'g'"), HasSubstr("port B")));
    EXPECT_THAT(with(cell("g", "$_AND_", R"("A": [2], "B": [2,3], "Y": [4])")), HasSubstr("2 bits"));
    EXPECT_THAT(with(cell("g", "$_AND_", R"("A": [2], "B": [3], "S": [3], "Y": [4])")),
                HasSubstr("4 ports instead of 3"));
    EXPECT_THAT(with(cell("g", "$_AND_", R"("A": [2], "B": ["7"], "Y": [4])")),
                AllOf(HasSubstr("'g'"), HasSubstr("\"7\"")));
    EXPECT_THAT(with(cell("g", "$_AND_", R"("A": [2], "B": [-3], "Y": [4])")), HasSubstr("port B, bit 0"));
    EXPECT_THAT(with(cell("g", "$_AND_", R"("A": [2], "B": [3], "Y": ["1"])")),
                AllOf(HasSubstr("two drivers"), HasSubstr("'g'")));
    EXPECT_THAT(with(R"("g": {"type": "$_AND_"})"), AllOf(HasSubstr("'g'"), HasSubstr("connections")));
    EXPECT_THAT(with(R"("g": {"connections": {}})"), AllOf(HasSubstr("'g'"), HasSubstr("type")));
    EXPECT_THAT(with(R"("g": 7)"), HasSubstr("'g'"));
}

TEST(YosysJson, ChecksAreIgnoredWithAWarning) {
    const Reading reading =
        read(one({port("a", "input", "[2]"), port("y", "output", "[2]")},
                 {cell("c", "$assert", R"("A": [2], "EN": ["1"])"), cell("s", "$scopeinfo", "")}));
    ASSERT_EQ(reading.warnings.size(), 1U);
    EXPECT_THAT(reading.warnings[0].message, HasSubstr("'c'"));
}

TEST(YosysJson, DoubleDriversAndLoopsNameTheNet) {
    EXPECT_THAT(failure(one({port("a", "input", "[2]"), port("y", "output", "[4]")},
                            {cell("g", "$_NOT_", R"("A": [2], "Y": [4])"),
                             cell("h", "$_BUF_", R"("A": [2], "Y": [4])")},
                            {R"("why": {"bits": [4]})"})),
                AllOf(HasSubstr("'why'"), HasSubstr("'g'"), HasSubstr("'h'")));
    EXPECT_THAT(failure(one({port("a", "input", "[2]"), port("b", "input", "[2]")}, {})),
                HasSubstr("two drivers"));
    EXPECT_THAT(failure(one({port("a", "input", "[2]"), port("y", "output", "[4]")},
                            {cell("g", "$_AND_", R"("A": [2], "B": [5], "Y": [4])"),
                             cell("h", "$_NOT_", R"("A": [4], "Y": [5])")},
                            {R"("why": {"bits": [4]})", R"("back": {"bits": [5]})"})),
                AllOf(HasSubstr("loop"), ::testing::AnyOf(HasSubstr("'why'"), HasSubstr("'back'"))));
    EXPECT_THAT(failure(one({port("y", "output", "[4]")}, {cell("g", "$_NOT_", R"("A": [4], "Y": [4])")})),
                HasSubstr("loop"));
    // A reset that depends on the register it resets at once.
    EXPECT_THAT(failure(one({port("c", "input", "[2]"), port("y", "output", "[4]")},
                            {cell("f", "$_DFF_PP0_", R"("C": [2], "D": ["1"], "Q": [4], "R": [4])")})),
                HasSubstr("loop"));
}

TEST(YosysJson, ALongChainNeedsNoRecursion) {
    constexpr int length = 200000;
    std::vector<std::string> cells;
    cells.reserve(length);
    for (int i = length; i > 0; --i) {
        const std::string out = std::to_string(i + 2);
        cells.push_back(cell("g" + std::to_string(i), "$_NOT_",
                             "\"A\": [" + std::to_string(i + 1) + "], \"Y\": [" + out + "]"));
    }
    const Reading reading = read(
        one({port("a", "input", "[2]"), port("y", "output", "[" + std::to_string(length + 2) + "]")}, cells));
    EXPECT_EQ(run(reading.circuit, {{"a", {1}}}, "y")[0], 1U);
}

TEST(YosysJson, BrokenJsonIsAFormatErrorWithItsPlace) {
    const std::string good = one({port("a", "input", "[2]"), port("y", "output", "[4]")},
                                 {cell("g", "$_NOT_", R"("A": [2], "Y": [4])")}, {R"("o": {"bits": [4]})"});
    (void)read(good);
    for (std::size_t length = 0; length < good.size(); ++length) {
        EXPECT_NE(failure(good.substr(0, length), ErrorKind::format), "accepted") << length;
    }
    EXPECT_THAT(failure("{\"modules\":\n {,}}", ErrorKind::format), HasSubstr("line 2, column 3"));
    EXPECT_THAT(failure(one({port("a", "input", "[2]"), port("a", "input", "[3]")}, {}), ErrorKind::format),
                AllOf(HasSubstr("\"a\""), HasSubstr("twice")));
    EXPECT_NE(failure(std::string(1000000, '['), ErrorKind::format), "accepted");
    EXPECT_THAT(failure(std::string(100000, '[') + std::string(100000, ']')), HasSubstr("modules"));
}

TEST(YosysJson, WrongTypesAreRefusedByName) {
    EXPECT_THAT(failure("{}"), HasSubstr("modules"));
    EXPECT_THAT(failure(R"({"modules": []})"), HasSubstr("modules"));
    EXPECT_THAT(failure(R"({"modules": {}})"), HasSubstr("top"));
    EXPECT_THAT(failure(R"({"modules": {"m": 1}})"), HasSubstr("module 'm'"));
    EXPECT_THAT(failure(R"({"modules": {"m": {"ports": 1}}})"), HasSubstr("ports"));
    EXPECT_THAT(failure(one({port("a", "sideways", "[2]")}, {})),
                AllOf(HasSubstr("port 'a'"), HasSubstr("direction")));
    EXPECT_THAT(failure(one({port("a", "inout", "[2]")}, {})), AllOf(HasSubstr("'a'"), HasSubstr("inout")));
    EXPECT_THAT(failure(one({port("a", "input", "[]")}, {})), AllOf(HasSubstr("'a'"), HasSubstr("no bits")));
    EXPECT_THAT(failure(one({port("a", "input", "[\"0\"]")}, {})),
                AllOf(HasSubstr("two drivers"), HasSubstr("'a'")));
    EXPECT_THAT(failure(one({port("a", "input", "2")}, {})),
                AllOf(HasSubstr("port 'a'"), HasSubstr("array")));
    EXPECT_THAT(failure(one({port("a", "input", "[2.5]")}, {})), HasSubstr("port 'a', bit 0"));
    EXPECT_THAT(failure(one({port("a", "input", "[99999999999999999999]")}, {})),
                HasSubstr("port 'a', bit 0"));
    EXPECT_THAT(failure(one({port("a", "input", "[2]", R"(, "offset": "x")")}, {})), HasSubstr("offset"));
    EXPECT_THAT(failure(R"({"modules": {"m": {"memories": {"r": {}}, "ports": {}}}})"),
                HasSubstr("memory_map"));
}

// --- the shared files

std::string slurp(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(YosysJson, CasePassThrough) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    const Reading reading = read(slurp(shared / "cases/n03_pass.json"));
    EXPECT_THAT(reading.all_warnings(), HasSubstr("'mix[7]' is x"));
    EXPECT_EQ(reading.warnings.size(), 1U);
    EXPECT_EQ(reading.circuit.bootstraps(), 1U);
    const auto value = [&](unsigned in, const std::string& name) {
        return run(reading.circuit, {{"in", {in}}}, name)[0];
    };
    EXPECT_EQ(value(1, "thru"), 1U);
    EXPECT_EQ(value(1, "p"), 1U);
    EXPECT_EQ(value(1, "q"), 1U);
    EXPECT_EQ(value(1, "mix"), 0b0110U);
    EXPECT_EQ(value(2, "mix"), 0b1110U);
    EXPECT_EQ(value(1, "rev"), 0b110U);
    EXPECT_EQ(value(2, "rev"), 0b101U);
}

class YosysJsonShared : public ::testing::TestWithParam<std::string> {};

TEST_P(YosysJsonShared, GivesTheKnownAnswers) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    const std::string name = "yosys-json/" + GetParam();
    const json vectors = json::parse(slurp(shared / "circuits/vectors.json")).at("files").at(name);
    const Circuit circuit = read_netlist(shared / "circuits" / name, {});
    const json& cases = vectors.at("vectors");
    ASSERT_FALSE(cases.empty());
    const bool is_sequential = vectors.at("sequential").get<bool>();

    // A sequential file has one run with an entry a cycle, any other a run for each entry.
    const std::size_t run_length = is_sequential ? cases.size() : 1;
    const Interface interface = interface_of(circuit);
    for (std::size_t start = 0; start < cases.size(); start += run_length) {
        Values inputs;
        Values expected;
        for (std::size_t i = start; i < start + run_length; ++i) {
            for (const Interface::Port& in : interface.inputs) {
                const std::string text = cases[i].at("in").value(in.name, "0x0");
                inputs[in.name].push_back(base::parse_bits(text, in.width, false, in.name));
            }
            for (const auto& [out, value] : cases[i].at("out").items()) {
                ASSERT_NE(interface.find_output(out), nullptr) << out;
                expected[out].push_back(base::parse_bits(value.get<std::string>(),
                                                         interface.find_output(out)->width, false, out));
            }
            for (const auto& [in, value] : cases[i].at("in").items())
                ASSERT_NE(interface.find_input(in), nullptr) << in;
        }
        const Values results = simulate(circuit, inputs, static_cast<std::uint32_t>(run_length));
        for (const auto& [out, values] : expected)
            ASSERT_EQ(results.at(out), values) << out << " from entry " << start;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, YosysJsonShared,
                         ::testing::Values("addr-4_2bit-yosys.json", "addr-4bit-yosys.json",
                                           "and-4bit-yosys.json", "cahp-pearl-core-yosys.json.gz",
                                           "const-4bit-yosys.json", "counter-4bit-yosys.json",
                                           "dff-reset.json", "div-8bit-yosys.json", "mux-4bit-yosys.json",
                                           "pass-4bit-yosys.json", "register-4bit-yosys.json",
                                           "register-init-4bit-yosys.json"));

}  // namespace
}  // namespace toroid::circuit
