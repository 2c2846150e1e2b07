// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "circuit/yosys_json_support.hpp"
#include "support/seed.hpp"

namespace toroid::circuit::yosys_json_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace toroid::circuit::yosys_json_tests
