// SPDX-License-Identifier: Apache-2.0
// Bootstraps of Verilog by source line.
#include "compiler/verilog/line_costs.hpp"

#include <map>

#include "circuit/circuit_builder.hpp"
#include "compiler/optimize/optimizer.hpp"
#include "compiler/verilog_support.hpp"

namespace toroid::compiler::tests {
namespace {

using Costs = std::map<std::string, std::uint64_t>;

Costs as_map(const std::vector<std::pair<std::string, std::uint64_t>>& costs) {
    return {costs.begin(), costs.end()};
}

std::uint64_t sum(const Costs& costs) {
    std::uint64_t total = 0;
    for (const auto& [place, bootstraps] : costs) total += bootstraps;
    return total;
}

// Lines of "test.v" with their costs, as synthesised and as optimised.
struct Charged {
    Costs synthesised;
    Costs optimised;
};

Charged charge(const TemporaryFolder& folder, const std::string& text, const VerilogOptions& options = {}) {
    PlacedCircuit placed;
    VerilogOptions with_places = options;
    with_places.placed = &placed;
    const auto file = write_source(folder, "test.v", text);
    const Reading reading = read_files({file}, with_places);
    const auto costs_of = [&](const circuit::Circuit& circuit) {
        const Costs costs = as_map(cost_by_line(circuit, placed, {}));
        EXPECT_EQ(sum(costs), circuit.bootstraps());
        Costs named;
        for (const auto& [place, bootstraps] : costs)
            named[place.starts_with(folder.path().string()) ? place.substr(folder.path().string().size() + 1)
                                                            : place] = bootstraps;
        return named;
    };
    return {costs_of(reading.circuit), costs_of(optimize(reading.circuit, {}))};
}

TEST(LineCosts, EveryGateHasALine) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const TemporaryFolder folder;
    const Charged charged = charge(folder,
                                   "module part(input [7:0] a, b, output [7:0] y);\n"
                                   "  assign y = a * b;\n"
                                   "endmodule\n"
                                   "module top(input clk, input [7:0] a, b, output reg [7:0] q = 0,\n"
                                   "           output [7:0] p);\n"
                                   "  part u(.a(a), .b(b), .y(p));\n"
                                   "  always @(posedge clk)\n"
                                   "    if (a < b)\n"
                                   "      q <= q + p;\n"
                                   "    else\n"
                                   "      q <= q ^ {8{a[0]}};\n"
                                   "endmodule\n");
    for (const Costs& costs : {charged.synthesised, charged.optimised}) {
        EXPECT_FALSE(costs.contains(without_source_line)) << testing::PrintToString(costs);
        // The product has the most gates; sum and comparison have about 8 each.
        const std::uint64_t product = costs.at("test.v:2");
        EXPECT_GT(2 * product, sum(costs));
        EXPECT_GE(costs.at("test.v:9"), 8U);
        EXPECT_GE(costs.at("test.v:8"), 6U);
        for (const auto& [place, bootstraps] : costs) {
            EXPECT_TRUE(place.starts_with("test.v:")) << place;
            EXPECT_GT(bootstraps, 0U) << place;
        }
    }
    EXPECT_LT(sum(charged.optimised), sum(charged.synthesised));
}

TEST(LineCosts, LinesOfIncludedFilesAreNamedAsTheUserKnowsThem) {
    TOROID_REQUIRE_PROGRAM("yosys");
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "parts");
    write_source(folder, "parts/sum.vh", "\nassign s = a + b;\n");
    write_source(folder, "own.vh", "assign t = a & ~`MASK;\n");
    VerilogOptions options;
    options.preprocessor = {{folder.path() / "parts"}, {"MASK=b"}};
    const Charged charged = charge(folder,
                                   "module top(input [3:0] a, b, output [3:0] s, t);\n"
                                   "`include \"sum.vh\"\n`include \"own.vh\"\nendmodule\n",
                                   options);
    EXPECT_EQ(charged.synthesised.at("own.vh:1"), 4U) << testing::PrintToString(charged.synthesised);
    EXPECT_GE(charged.synthesised.at("parts/sum.vh:2"), 7U);
    EXPECT_EQ(charged.synthesised.size(), 2U);
}

// One gate of a known value, one that only it reads, and one that nothing known reads.
TEST(LineCosts, GatesOfNoKnownValueBelongToTheirReadersOrToNoLine) {
    circuit::CircuitBuilder source("source");
    const auto x = source.add_input("x", 3);
    source.add_output("y", {source.and_gate(source.xor_gate(x[0], x[1]), x[2])});
    PlacedCircuit placed;
    placed.circuit = source.finish();
    placed.places.resize(placed.circuit.signal_count);
    placed.places[placed.circuit.outputs[0].bits[0].signal()] = "a.v:1";

    circuit::CircuitBuilder other("other");
    const auto in = other.add_input("x", 3);
    const auto part = other.and_gate(in[2], in[0]);
    other.add_output("y", {!other.xor_gate(part, other.and_gate(in[2], in[1])), other.or_gate(in[0], in[1])});
    EXPECT_EQ(as_map(cost_by_line(other.finish(), placed, {})),
              (Costs{{"a.v:1", 3}, {without_source_line, 1}}));
}

TEST(LineCosts, InputsMayBeFixed) {
    circuit::CircuitBuilder source("source");
    const auto x = source.add_input("x", 2);
    const auto n = source.add_input("n", 1);
    source.add_output("y", {source.mux(n[0], source.and_gate(x[0], x[1]), source.xor_gate(x[0], x[1]))});
    PlacedCircuit placed;
    placed.circuit = source.finish();
    placed.places.assign(placed.circuit.signal_count, "");
    placed.places[placed.circuit.outputs[0].bits[0].signal()] = "a.v:1";
    const circuit::Values fixed{{"n", {base::BitVector{true}}}};
    EXPECT_EQ(as_map(cost_by_line(circuit::bind_inputs(placed.circuit, fixed), placed, fixed)),
              (Costs{{"a.v:1", 1}}));
}

}  // namespace
}  // namespace toroid::compiler::tests
