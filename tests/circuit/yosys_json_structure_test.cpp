// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>

#include "circuit/yosys_json_support.hpp"
#include "support/shared_data.hpp"

namespace toroid::circuit::yosys_json_tests {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
}  // namespace toroid::circuit::yosys_json_tests
