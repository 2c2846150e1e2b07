// SPDX-License-Identifier: Apache-2.0
// The same source through Yosys and our simulation, and through Icarus Verilog: an independent reading of the
// language.
#include <sstream>

#include "compiler/verilog_support.hpp"
#include "support/seed.hpp"

namespace toroid::compiler::tests {
namespace {

// Shifts with counts of every kind, among them constants of more than 31 bits, directly, through wires and
// parameters.
constexpr const char* operators = R"(module m(
    input [7:0] a, input [7:0] b, input signed [7:0] c, input signed [7:0] d, input [2:0] n, input signed [3:0] k,
    input [39:0] w, input s, input [4:0] j,
    output [7:0] add, output [7:0] sub, output [15:0] mul, output signed [15:0] smul, output [7:0] neg,
    output [5:0] compare, output [5:0] signed_compare, output [8:0] mixed,
    output [7:0] left, output [7:0] right, output signed [7:0] arithmetic, output signed [11:0] widened,
    output [7:0] by_constant, output signed [7:0] signed_by_constant, output [7:0] by_wire, output [7:0] by_parameter,
    output [7:0] by_wide, output signed [7:0] signed_by_wide, output [7:0] left_by_wide, output [7:0] by_signed,
    output selected, output [3:0] part, output beyond, output [3:0] beyond_part, output by_wide_index,
    output by_signed_index, output [3:0] signed_part, output [7:0] chosen, output [2:0] reduced, output [15:0] joined,
    output [7:0] loop_count, output [7:0] function_value, output signed [7:0] clamp);
  parameter [35:0] FAR = 36'h8_0000_0003;
  wire [33:0] far = {2'b10, 32'd1};
  assign add = a + b, sub = a - b, mul = a * b, smul = c * d, neg = -a;
  assign compare = {a < b, a <= b, a > b, a >= b, a == b, a != b};
  assign signed_compare = {c < d, c <= d, c > d, c >= d, c == d, c != d};
  assign mixed = c + a;
  assign left = a << n, right = a >> n, arithmetic = c >>> n, widened = c >>> n;
  assign by_constant = a >> 34'h2_0000_0001, signed_by_constant = c >>> 36'hF_FFFF_FFFE;
  assign by_wire = a >> far, by_parameter = a << FAR;
  assign by_wide = a >> w, signed_by_wide = c >>> w, left_by_wide = a << w, by_signed = a >> k;
  assign beyond = a[j], beyond_part = a[j +: 4], by_wide_index = a[w], by_signed_index = a[k], signed_part = a[k +: 4];
  assign selected = a[n], part = w[n +: 4], chosen = s ? a : b;
  assign reduced = {&a, |a, ^a}, joined = {a, {2{b[3:0]}}};
  function [7:0] twice(input [7:0] x); twice = {x[6:0], 1'b0} ^ 8'h1b; endfunction
  assign function_value = twice(a);
  reg [7:0] count; integer i;
  always @* begin count = 0; for (i = 0; i < 8; i = i + 1) if (b[i]) count = count + i; end
  assign loop_count = count;
  reg signed [7:0] bounded;
  always @* case (1'b1) c > 50: bounded = 50; c < -50: bounded = -50; default: bounded = c; endcase
  assign clamp = bounded;
endmodule
)";

TEST(Icarus, AgreesOnEveryOperator) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_PROGRAM("iverilog");
    TOROID_REQUIRE_PROGRAM("vvp");
    const TemporaryFolder folder;
    const auto source = write_source(folder, "operators.v", operators);
    const circuit::Circuit circuit = read_files({source}).circuit;
    const circuit::Interface interface = interface_of(circuit);

    auto random = toroid::tests::generator();
    constexpr std::size_t vectors = 200;
    circuit::Values inputs;
    std::ostringstream bench;
    bench << "module bench;\n";
    for (const auto& port : interface.inputs)
        bench << "  reg [" << port.width - 1 << ":0] " << port.name << ";\n";
    for (const auto& port : interface.outputs)
        bench << "  wire [" << port.width - 1 << ":0] " << port.name << ";\n";
    bench << "  m unit(";
    for (const auto& port : interface.inputs) bench << '.' << port.name << '(' << port.name << "), ";
    for (const auto& port : interface.outputs) {
        bench << '.' << port.name << '(' << port.name << ')'
              << (&port == &interface.outputs.back() ? ");\n" : ", ");
    }
    bench << "  integer file;\n  initial begin file = $fopen(\"" << (folder.path() / "results.txt").string()
          << "\");\n";
    for (std::size_t v = 0; v < vectors; ++v) {
        for (const auto& port : interface.inputs) {
            std::uint64_t number = random();
            // Wide counts must also be small ones, or every shift would empty the word.
            if (port.width > 8 && v % 2 == 0) number &= 0xf;
            base::BitVector bits;
            std::string digits;
            for (std::uint32_t i = 0; i < port.width; ++i) {
                bits.push_back((number >> i & 1) != 0);
                digits.insert(digits.begin(), bits.back() ? '1' : '0');
            }
            inputs[port.name].push_back(bits);
            bench << "    " << port.name << " = " << port.width << "'b" << digits << ";";
        }
        bench << " #1;\n    $fdisplay(file, \"";
        for (std::size_t i = 0; i < interface.outputs.size(); ++i) bench << "%b ";
        bench << '"';
        for (const auto& port : interface.outputs) bench << ", " << port.name;
        bench << ");\n";
    }
    bench << "    $fclose(file); $finish; end\nendmodule\n";
    const auto bench_file = write_source(folder, "bench.v", bench.str());

    const auto start = [&](const char* program, std::vector<std::string> arguments) {
        const ChildProcess child{
            *find_program(program),       std::move(arguments),      folder.path(),
            folder.path() / "errors.txt", std::chrono::seconds(120), std::uint64_t{4} << 30};
        const ChildResult result = run_child(child);
        std::ifstream errors(child.error_file);
        ASSERT_TRUE(result.exit_code == 0 && result.signal == 0)
            << program << ": " << std::string(std::istreambuf_iterator<char>(errors), {});
    };
    ASSERT_NO_FATAL_FAILURE(
        start("iverilog", {"-o", (folder.path() / "bench").string(), bench_file.string(), source.string()}));
    ASSERT_NO_FATAL_FAILURE(start("vvp", {(folder.path() / "bench").string()}));

    std::ifstream results(folder.path() / "results.txt");
    // The circuit has no state: one simulation with a vector a cycle.
    const circuit::Values outputs = simulate(circuit, inputs, vectors);
    for (std::size_t v = 0; v < vectors; ++v) {
        for (const auto& port : interface.outputs) {
            std::string expected;
            ASSERT_TRUE(results >> expected) << "Icarus wrote too little";
            std::string found;
            for (const bool bit : outputs.at(port.name)[v]) found.insert(found.begin(), bit ? '1' : '0');
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                // What the language leaves undefined (a bit selected beyond the word) reads as 0.
                if (expected[i] == 'x') expected[i] = '0';
            }
            EXPECT_EQ(found, expected) << port.name << ", vector " << v;
        }
    }
}

}  // namespace
}  // namespace toroid::compiler::tests
