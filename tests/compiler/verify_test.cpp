// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "circuit/circuit_builder.hpp"
#include "compiler/verify/equivalence.hpp"
#include "compiler/verify/icarus.hpp"
#include "compiler/verilog_support.hpp"

namespace toroid::compiler::tests {
namespace {

using circuit::CircuitBuilder;
using circuit::Literal;
using testing::HasSubstr;

circuit::Circuit adder(bool is_wrong_at_the_top) {
    CircuitBuilder builder("adder");
    const auto a = builder.add_input("a", 8);
    const auto b = builder.add_input("b", 8);
    Literal carry = Literal::constant(false);
    std::vector<Literal> sum;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Literal bits[] = {a[i], b[i], carry};
        sum.push_back(builder.xor_of(bits));
        carry = builder.majority(a[i], b[i], carry);
    }
    // Wrong for one pair of values only, which random vectors seldom meet.
    if (is_wrong_at_the_top) {
        std::vector<Literal> all = a;
        all.insert(all.end(), b.begin(), b.end());
        carry = builder.xor_gate(carry, builder.and_of(all));
    }
    sum.push_back(carry);
    builder.add_output("s", sum);
    return builder.finish();
}

std::string failure_of(const circuit::Circuit& source, const circuit::Circuit& result) {
    try {
        verify_equal(source, result, 64);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::circuit);
        return error.what();
    }
    return "equal";
}

TEST(Verify, EdgeVectorsFindWhatRandomOnesMiss) {
    EXPECT_EQ(failure_of(adder(false), adder(false)), "equal");
    const std::string message = failure_of(adder(false), adder(true));
    EXPECT_THAT(message, HasSubstr("output s[8] is 0 in cycle 0, the source says 1, for a=0xff b=0xff"));
}

TEST(Verify, SequentialCircuitsAreComparedOverCycles) {
    const auto counter = [](bool is_wrong) {
        CircuitBuilder builder("counter");
        (void)builder.add_input("unused", 1);
        std::vector<Literal> state;
        for (const char* name : {"q0", "q1", "q2"}) state.push_back(builder.add_register(name, false));
        const Literal both = builder.and_gate(state[0], state[1]);
        builder.set_next(state[0], !state[0]);
        builder.set_next(state[1], builder.xor_gate(state[0], state[1]));
        builder.set_next(state[2], builder.xor_gate(state[2], is_wrong ? state[1] : both));
        builder.add_output("q", state);
        return builder.finish();
    };
    EXPECT_EQ(failure_of(counter(false), counter(false)), "equal");
    EXPECT_THAT(failure_of(counter(false), counter(true)), HasSubstr("output q[2] is 1 in cycle 3"));
}

TEST(Verify, AnotherInterfaceIsAnInternalError) {
    CircuitBuilder builder("adder");
    const auto a = builder.add_input("a", 8);
    builder.add_output("s", a);
    EXPECT_THROW(verify_equal(adder(false), builder.finish(), 8), Error);
}

TEST(Verify, VectorsAreTheSameEveryTimeAndHoldTheEdges) {
    circuit::Interface interface;
    interface.inputs = {{"x", 5, false}, {"y", 70, true}};
    const TestVectors once = make_test_vectors(interface, 40);
    EXPECT_EQ(once.inputs, make_test_vectors(interface, 40).inputs);
    std::set<std::string> seen;
    for (const auto& vector : once.inputs) seen.insert(base::format_hex(vector[0][0]));
    for (const char* edge : {"0x00", "0x1f", "0x01", "0x10", "0x0f"})
        EXPECT_TRUE(seen.contains(edge)) << edge;
}

class IcarusComparison : public testing::Test {
 protected:
    void SetUp() override {
        for (const char* program : {"yosys", "iverilog", "vvp"}) {
            if (!find_program(program)) GTEST_SKIP() << program << " is not installed";
        }
    }
    /// What comes of the circuit of `text` compared with `other` in Icarus.
    std::string compared(const std::string& text, const std::string& other) {
        circuit::Clock clock;
        std::vector<circuit::Warning> warnings;
        const auto source = write_source(folder_, "source.v", text);
        const circuit::Circuit circuit = read_verilog({source}, {}, {false, &warnings, &clock});
        const auto reference = write_source(folder_, "other.v", other);
        try {
            const std::string reason = compare_with_icarus({reference}, circuit, clock, {.vectors = 64});
            return reason.empty() ? "equal" : reason;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::circuit);
            return std::string("error: ") + error.what();
        }
    }
    TemporaryFolder folder_;
};

TEST_F(IcarusComparison, CombinationalAndClockedDesignsAgree) {
    const std::string alu =
        "module alu(input signed [7:0] a, b, input [1:0] op, output reg signed [8:0] \\y.out );\n"
        "  always @* case (op) 0: \\y.out = a + b; 1: \\y.out = a - b; 2: \\y.out = a & b; default: \\y.out "
        "= a < b; "
        "endcase\nendmodule\n";
    EXPECT_EQ(compared(alu, alu), "equal");
    for (const char* edge : {"posedge", "negedge"}) {
        const std::string counter =
            std::string("module counter(input tick, input [3:0] step, output [7:0] q);\n") +
            "  reg [7:0] value = 7;\n  always @(" + edge +
            " tick) value <= value + step;\n  assign q = value;\nendmodule\n";
        EXPECT_EQ(compared(counter, counter), "equal");
    }
}

TEST_F(IcarusComparison, ADifferenceIsAnErrorWithTheVector) {
    const std::string sum = "module m(input [3:0] a, b, output [4:0] y); assign y = a + b; endmodule\n";
    const std::string wrong = "module m(input [3:0] a, b, output [4:0] y); assign y = a | b; endmodule\n";
    EXPECT_THAT(compared(sum, wrong), HasSubstr("error: "));
    EXPECT_THAT(compared(sum, wrong), HasSubstr("output y is"));
    EXPECT_THAT(compared(sum, wrong), HasSubstr("a=0x"));
}

TEST_F(IcarusComparison, UndefinedValuesAreLeftOut) {
    const std::string division =
        "module m(input [3:0] a, b, output [3:0] q, output big);\n  assign q = a / b;\n"
        "  reg r; always @* if (q > 3) r = 1; else r = 0;\n  assign big = r;\nendmodule\n";
    EXPECT_THAT(compared(division, division), HasSubstr("may be undefined"));
    const std::string guarded =
        "module m(input [3:0] a, b, output [3:0] q);\n  assign q = b == 0 ? 0 : a / b;\nendmodule\n";
    EXPECT_EQ(compared(guarded, guarded), "equal");
}

TEST_F(IcarusComparison, WhatIcarusRefusesIsAReason) {
    const std::string buffer = "module m(input a, output y); assign y = a; endmodule\n";
    EXPECT_THAT(compared(buffer, "module m(input a, output y); assign y = ; endmodule\n"),
                HasSubstr("iverilog failed"));
}

}  // namespace
}  // namespace toroid::compiler::tests
