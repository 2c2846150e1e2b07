// SPDX-License-Identifier: Apache-2.0
#include "compiler/verilog/verilog_reader.hpp"

#include <cstdlib>

#include "circuit/statistics.hpp"
#include "compiler/verilog_support.hpp"
#include "support/shared_data.hpp"

namespace toroid::compiler::tests {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Column = std::vector<std::int64_t>;

TEST(VerilogReader, PortsKeepOrderWidthAndSign) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const Reading reading = read_text(
        "module m(input signed [7:0] z, input a, output signed [8:0] sum, output [0:1] up);\n"
        "  assign sum = z + 9'sd1; assign up = {a, 1'b0};\nendmodule\n");
    EXPECT_THAT(reading.warnings, IsEmpty());
    const circuit::Interface interface = interface_of(reading.circuit);
    EXPECT_EQ(interface.circuit_name, "m");
    EXPECT_EQ(interface.inputs, (std::vector<circuit::Interface::Port>{{"z", 8, true}, {"a", 1, false}}));
    EXPECT_EQ(interface.outputs, (std::vector<circuit::Interface::Port>{{"sum", 9, true}, {"up", 2, false}}));
    const Numbers out = run(reading.circuit, {{"z", {-128}}, {"a", {1}}});
    EXPECT_EQ(out.at("sum")[0], -127);
    EXPECT_EQ(out.at("up")[0], 2);
}

TEST(VerilogReader, TheSameSourceGivesTheSameBytes) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const std::string text =
        "module m(input clk, input [7:0] a, b, output reg [7:0] q, output [15:0] p);\n"
        "  reg [7:0] hidden = 8'd3; always @(posedge clk) begin hidden <= a + hidden; q <= hidden ^ (a - b); "
        "end\n"
        "  assign p = a * b; endmodule\n";
    const std::string first = write_native(read_text(text).circuit);
    EXPECT_EQ(first, write_native(read_text(text).circuit));
    EXPECT_THAT(first, Not(HasSubstr("/proc")));
}

TEST(VerilogReader, ReadsSeveralFilesIncludesMemoriesAndSystemVerilog) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const TemporaryFolder folder;
    // File names that a script or a shell would take apart.
    const auto inner = write_source(
        folder, "in ner;\"$x.sv",
        "`include \"part.vh\"\nmodule inner(input logic [3:0] i, output logic [3:0] o);\n"
        "  logic [3:0] table_of [0:15];\n  initial for (int k = 0; k < 16; k++) table_of[k] = `STEP * k;\n"
        "  always_comb o = table_of[i];\nendmodule\n");
    write_source(folder, "part.vh", "`define STEP 3\n");
    const auto top = write_source(
        folder, "top.v", "module outer(input [3:0] i, output [3:0] o); inner u(.i(i), .o(o)); endmodule\n");
    const Reading reading = read_files({top, inner});
    for (std::int64_t i = 0; i < 16; ++i)
        EXPECT_EQ(run(reading.circuit, {{"i", {i}}}).at("o")[0], 3 * i % 16);
}

TEST(VerilogReader, TheTopModuleCanBeChosen) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const std::string text =
        "module a(output y); assign y = 1; endmodule\nmodule b(output y); assign y = 0; endmodule\n";
    VerilogOptions options;
    options.top = "b";
    EXPECT_EQ(read_text(text, options).circuit.name, "b");
    options.top = "a";
    EXPECT_EQ(run(read_text(text, options).circuit, {}).at("y")[0], 1);
    options.top = "c";
    EXPECT_THAT(text_failure(text, false, options), HasSubstr("c"));
    options.top = "a; exec -- touch x";
    EXPECT_THAT(text_failure(text, false, options), HasSubstr("cannot be the name"));
}

TEST(VerilogReader, MessagesNameTheUsersFileAndLine) {
    TOROID_REQUIRE_PROGRAM("yosys");
    EXPECT_THAT(text_failure("module m(input a, output y);\n  assign y = = a;\nendmodule\n"),
                AllOf(HasSubstr("test.v:2"), HasSubstr("syntax error"), Not(HasSubstr("/proc"))));
    EXPECT_THAT(text_failure("module m(input a, output y); part u(a, y); endmodule\n"),
                AllOf(HasSubstr("test.v"), HasSubstr("part")));
    EXPECT_THAT(text_failure(""), HasSubstr("test.v"));
    EXPECT_THAT(text_failure("module m(input a"), HasSubstr("test.v"));
    EXPECT_THAT(
        text_failure(
            "module m(input a, input b, output y);\n assign y = a & b;\n assign y = a | b; endmodule\n"),
        AllOf(HasSubstr("driver"), HasSubstr("test.v:2"), HasSubstr("test.v:3")));
    EXPECT_THAT(
        text_failure("module m(input a, output y); wire z; assign y = a & z; assign z = ~y; endmodule\n"),
        AllOf(HasSubstr("loop"), AnyOf(HasSubstr("'y'"), HasSubstr("'z'"))));
    EXPECT_THAT(text_failure("module m(inout a, output y); assign y = a; endmodule\n"), HasSubstr("inout"));
    try {
        (void)read_files({"no-such-file.v"});
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::io);
        EXPECT_THAT(error.what(), HasSubstr("no-such-file.v"));
    }
}

TEST(VerilogReader, ClocksAreOneAndLeaveTheInterface) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const Reading counter = read_text(
        "module m(input clk, input rst, input en, output reg [2:0] n);\n"
        "  always @(negedge clk or posedge rst) if (rst) n <= 5; else if (en) n <= n + 1;\nendmodule\n");
    EXPECT_EQ(counter.circuit.inputs.size(), 2U);
    EXPECT_THAT(counter.warnings, HasSubstr("3 registers have no initial value"));
    const Numbers out = run(counter.circuit, {{"rst", {0, 1, 0, 0, 0, 0}}, {"en", {1, 0, 1, 1, 0, 1}}}, 6);
    EXPECT_EQ(out.at("n"), (Column{0, 5, 5, 6, 7, 7}));

    EXPECT_THAT(text_failure("module m(input c, input d, input i, output reg p, output reg q);\n"
                             "  always @(posedge c) p <= i; always @(posedge d) q <= i; endmodule\n"),
                AllOf(HasSubstr("two clocks"), HasSubstr("'c'"), HasSubstr("'d'")));
    EXPECT_THAT(text_failure("module m(input c, input i, output reg p, output reg q);\n"
                             "  always @(posedge c) p <= i; always @(negedge c) q <= i; endmodule\n"),
                AllOf(HasSubstr("both edges"), HasSubstr("'c'")));
    EXPECT_THAT(text_failure("module m(input c, input e, input i, output reg p);\n"
                             "  always @(posedge (c & e)) p <= i; endmodule\n"),
                HasSubstr("gated"));
}

TEST(VerilogReader, TimeAndMemoryLimitsStopYosys) {
    TOROID_REQUIRE_PROGRAM("yosys");
    VerilogOptions options;
    options.time_limit = std::chrono::seconds(1);
    const std::string large =
        "module m(input [511:0] a, b, output [511:0] y); assign y = a / (b | 512'd1) * (a % (b | 512'd3)); "
        "endmodule\n";
    EXPECT_THAT(text_failure(large, false, options), HasSubstr("time limit of 1 seconds"));
    options.time_limit = std::chrono::seconds(60);
    options.memory_limit_bytes = std::uint64_t{48} << 20;
    EXPECT_THAT(text_failure(large, false, options),
                AnyOf(HasSubstr("memory limit"), HasSubstr("limits were")));
}

TEST(VerilogReader, SaysThatYosysIsMissing) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const std::string path = std::getenv("PATH");
    const TemporaryFolder empty;
    setenv("PATH", empty.path().c_str(), 1);
    const std::string message = text_failure("module m(input a, output y); assign y = a; endmodule\n");
    setenv("PATH", path.c_str(), 1);
    EXPECT_THAT(message, AllOf(HasSubstr("yosys"), HasSubstr("not installed")));
}

TEST(VerilogReader, LeavesNoFilesBehind) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const TemporaryFolder place;
    const char* const before = std::getenv("TMPDIR");
    const std::string saved = before == nullptr ? "" : before;
    setenv("TMPDIR", place.path().c_str(), 1);
    const std::string good = text_failure("module m(input a, output y); assign y = a; endmodule\n");
    const std::string bad = text_failure("module m(input a, output y); assign y = ; endmodule\n");
    before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", saved.c_str(), 1);
    EXPECT_EQ(good, "accepted");
    EXPECT_NE(bad, "accepted");
    EXPECT_TRUE(std::filesystem::is_empty(place.path()));
}

// --- the shared cases

std::filesystem::path case_file(const std::filesystem::path& shared, const std::string& name) {
    return shared / "cases" / name;
}

TEST(VerilogCases, ShiftCountsBeyondTheOperand) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_SHARED_DATA(shared);
    const circuit::Circuit circuit = read_files({case_file(shared, "v01_overshift.v")}).circuit;
    const Numbers first = run(circuit, {{"p", {0x3f}}, {"q", {-18}}, {"n", {3}}});
    EXPECT_EQ(first.at("y")[0], 0);
    EXPECT_EQ(first.at("z")[0], -1);
    EXPECT_EQ(first.at("w")[0], -3);
    EXPECT_EQ(first.at("u")[0], 0b000111101);
    const Numbers second = run(circuit, {{"p", {0x3f}}, {"q", {-1}}, {"n", {7}}});
    EXPECT_EQ(second.at("w")[0], -1);
    EXPECT_EQ(second.at("u")[0], 0b000000011);
}

TEST(VerilogCases, AliasesCostNothing) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_SHARED_DATA(shared);
    const Reading reading = read_files({case_file(shared, "v03_alias.v")});
    EXPECT_THAT(reading.warnings, IsEmpty());
    EXPECT_EQ(reading.circuit.bootstraps(), 1U);
    EXPECT_EQ(reading.circuit.outputs.size(), 6U);
    for (std::int64_t i = 0; i < 4; ++i) {
        const Numbers out = run(reading.circuit, {{"i", {i}}});
        const std::int64_t t = (i & 1) ^ (i >> 1);
        EXPECT_EQ(
            out,
            (Numbers{{"thru", {i}}, {"tie1", {1}}, {"tie0", {0}}, {"p", {t}}, {"q", {t}}, {"r", {i & 1}}}));
    }
}

TEST(VerilogCases, AnUndrivenWireIsOneZero) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_SHARED_DATA(shared);
    const auto file = case_file(shared, "v05_undriven.v");
    const Reading reading = read_files({file});
    EXPECT_THAT(reading.warnings,
                AllOf(HasSubstr("v05_undriven.v"), HasSubstr("'u'"), HasSubstr("never driven")));
    for (std::int64_t a = 0; a < 2; ++a) {
        EXPECT_EQ(run(reading.circuit, {{"a", {a}}}), (Numbers{{"y", {a}}, {"z", {0}}, {"same", {0}}}));
    }
    EXPECT_THAT(failure({file}, true), HasSubstr("'u'"));
}

TEST(VerilogCases, ALatchIsRefusedByItsSignal) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_SHARED_DATA(shared);
    EXPECT_THAT(failure({case_file(shared, "v06_latch.v")}),
                AllOf(HasSubstr("signal 'o'"), HasSubstr("latch"), Not(HasSubstr("full"))));
}

TEST(VerilogCases, InitialValuesAreThereBeforeTheFirstClock) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_SHARED_DATA(shared);
    const Reading reading = read_files({case_file(shared, "v07_dffinit.v")});
    EXPECT_THAT(reading.warnings, IsEmpty());
    const Numbers out = run(reading.circuit, {{"rst", {0}}, {"d", {0, 1, 0}}}, 3);
    EXPECT_EQ(out.at("p"), (Column{1, 0, 1}));
    EXPECT_EQ(out.at("q"), (Column{0, 1, 0}));
    EXPECT_EQ(out.at("k"), (Column{1, 1, 1}));
}

TEST(VerilogCases, DegenerateGatesFold) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_SHARED_DATA(shared);
    const circuit::Circuit circuit = read_files({case_file(shared, "v09_degenerate.v")}).circuit;
    for (std::int64_t row = 0; row < 4; ++row) {
        const std::int64_t a = row & 1;
        const std::int64_t b = row >> 1;
        EXPECT_EQ(run(circuit, {{"a", {a}}, {"b", {b}}}), (Numbers{{"x", {0}},
                                                                   {"n", {1 - a}},
                                                                   {"o", {1}},
                                                                   {"m0", {a | b}},
                                                                   {"m1", {a & b}},
                                                                   {"m2", {b}},
                                                                   {"m3", {a & b}}}));
    }
    EXPECT_LE(circuit.bootstraps(), 2U);
}

TEST(VerilogCases, DivisionIncludingByZero) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_SHARED_DATA(shared);
    const circuit::Circuit circuit = read_files({case_file(shared, "v10_div.v")}).circuit;
    for (std::int64_t a = -8; a < 8; ++a) {
        for (std::int64_t b = -8; b < 8; ++b) {
            const Numbers out = run(circuit, {{"a", {a}}, {"b", {b}}});
            const std::int64_t quotient = b == 0 ? (a < 0 ? 1 : -1) : (a == -8 && b == -1) ? -8 : a / b;
            EXPECT_EQ(out.at("q")[0], quotient) << a << '/' << b;
            EXPECT_EQ(out.at("r")[0], b == 0 ? a : a % b) << a << '%' << b;
        }
    }
}

TEST(VerilogReader, AConstantDivisorOfZeroGivesTheDocumentedValue) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const circuit::Circuit circuit =
        read_text(
            "module m(input [3:0] a, input signed [3:0] b, output [3:0] q, r, output signed [3:0] s, t);\n"
            "  wire [3:0] zero = 4'd0; assign q = a / zero; assign r = a % zero; assign s = b / 4'sd0; "
            "assign t = b % 4'sd0;\n"
            "endmodule\n")
            .circuit;
    for (std::int64_t n = -8; n < 8; ++n) {
        const std::int64_t magnitude = n + 8;
        EXPECT_EQ(run(circuit, {{"a", {magnitude}}, {"b", {n}}}),
                  (Numbers{{"q", {15}}, {"r", {magnitude}}, {"s", {n < 0 ? 1 : -1}}, {"t", {n}}}));
    }
}

}  // namespace
}  // namespace toroid::compiler::tests
