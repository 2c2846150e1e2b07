// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circuit/circuit_builder.hpp"
#include "circuit/netlist_reader.hpp"
#include "circuit/simulator.hpp"
#include "support/seed.hpp"
#include "support/shared_data.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t all = ~std::uint64_t{0};

Circuit read(const std::string& text, std::vector<Warning>* warnings = nullptr) {
    return read_blif(text, "t.blif", {warnings == nullptr, warnings});
}

/// The message of the error that reading gives.
std::string error_of(const std::string& text) {
    try {
        std::vector<Warning> warnings;
        (void)read(text, &warnings);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::circuit);
        return error.what();
    }
    return "no error";
}

std::vector<std::string> names(const auto& ports) {
    std::vector<std::string> out;
    for (const auto& port : ports) out.push_back(port.name);
    return out;
}

std::vector<std::uint64_t> step(const Circuit& circuit, std::vector<std::uint64_t> inputs) {
    return Simulator(circuit).step(inputs);
}

void expect_same(const Circuit& a, const Circuit& b) {
    ASSERT_EQ(names(a.inputs), names(b.inputs));
    ASSERT_EQ(names(a.outputs), names(b.outputs));
    std::size_t bits = 0;
    for (const InputPort& port : a.inputs) bits += port.signals.size();
    auto random = tests::generator(20);
    Simulator first(a);
    Simulator second(b);
    for (int cycle = 0; cycle < 8; ++cycle) {
        std::vector<std::uint64_t> words(bits);
        for (auto& word : words) word = random();
        ASSERT_EQ(first.step(words), second.step(words));
    }
}

// N5: continuation, comments, OFF-sets, don't-cares, constants with and without rows, aliases, unknown lines.
TEST(Blif, DialectCase) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    std::vector<Warning> warnings;
    const Circuit circuit = read_netlist(shared / "cases/n01_dialect.blif", {false, &warnings});
    EXPECT_THAT(names(circuit.outputs), ElementsAre("y", "z", "k0", "k1", "pass", "twin", "same"));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0].place, HasSubstr("n01_dialect.blif:6"));
    EXPECT_THAT(warnings[0].message, HasSubstr(".wire_load_slope"));
    // abc = 110, 010, 011 in vectors 0, 1, 2
    const auto out = step(circuit, {0b001, 0b111, 0b100});
    EXPECT_THAT((std::vector<std::uint64_t>{out[0] & 3, out[1] & 7, out[2], out[3], out[4] & 3, out[5] & 3,
                                            out[6] & 3}),
                ElementsAre(0b10, 0b011, 0, all, 0b01, 0b10, 0b10));
    EXPECT_THROW((void)read_netlist(shared / "cases/n01_dialect.blif", {true, nullptr}), Error);
}

TEST(Blif, UserNetsNamedLikeConstantsSurviveRoundTrips) {
    // Here $true is a register and $false an input: they are nets like any other.
    const Circuit first = read(
        ".model t\n.inputs $false a[1] a[0] x=y\n.outputs $undef q[1] q[2]\n.latch $undef $true 1\n"
        ".names $true $false $undef\n10 1\n01 1\n.names a[0] a[1] q[1]\n11 1\n.names $true x=y q[2]\n1- "
        "1\n-1 1\n.end\n");
    EXPECT_THAT(names(first.inputs), ElementsAre("$false", "a", "x=y"));
    // An incomplete bus stays scalars.
    EXPECT_THAT(names(first.outputs), ElementsAre("$undef", "q[1]", "q[2]"));
    const Circuit second = read(write_blif(first));
    EXPECT_THAT(names(second.inputs), ElementsAre("$false", "a", "x%3dy"));
    const Circuit third = read(write_blif(second));
    expect_same(second, third);
    EXPECT_EQ(write_blif(second), write_blif(third));
    auto random = tests::generator(21);
    Simulator one(first);
    Simulator two(third);
    for (int cycle = 0; cycle < 8; ++cycle) {
        const std::vector<std::uint64_t> words = {random(), random(), random(), random()};
        ASSERT_EQ(one.step(words), two.step(words));
    }
}

TEST(Blif, PredefinedConstants) {
    std::vector<Warning> warnings;
    const Circuit circuit = read(
        ".model t\n.outputs a b c\n.names $true a\n1 1\n.names $false b\n1 1\n.names $undef c\n1 1\n.end\n",
        &warnings);
    EXPECT_TRUE(warnings.empty());
    EXPECT_THAT(step(circuit, {}), ElementsAre(all, 0, 0));
}

TEST(Blif, CutInTheMiddleOfNames) {
    const std::string text = ".model t\n.inputs a b\n.outputs y\n.names a b y\n11 1\n00 1\n.end\n";
    (void)read(text);
    for (std::size_t length = 0; length < text.size() - 1; ++length) {
        const std::string cut = text.substr(0, length);
        EXPECT_THAT(error_of(cut), testing::AnyOf(HasSubstr("t.blif:"), HasSubstr("no model"))) << cut;
    }
    EXPECT_THAT(error_of(text.substr(0, text.find("00 1") + 1)), HasSubstr("t.blif:6:"));
}

TEST(Blif, StructuralFaultsNameTheirLine) {
    const std::string head = ".model t\n.inputs a b\n.outputs y\n";
    EXPECT_THAT(
        error_of(head + ".names a y\n1 1\n.names b y\n1 1\n.end\n"),
        testing::AllOf(HasSubstr("t.blif:6:"), HasSubstr("net y has two drivers"), HasSubstr("line 4")));
    EXPECT_THAT(error_of(head + ".names b a\n1 1\n.end\n"), HasSubstr("t.blif:4: net a has two drivers"));
    EXPECT_THAT(error_of(head + ".latch y a 0\n.end\n"), HasSubstr("t.blif:4: net a has two drivers"));
    EXPECT_THAT(error_of(head + ".names a z y\n11 1\n.names y w\n1 1\n.names w z\n0 1\n.end\n"),
                testing::AllOf(HasSubstr("t.blif:4:"), HasSubstr("combinational loop"), HasSubstr("w")));
    EXPECT_THAT(error_of(head + ".names y y\n1 1\n.end\n"), HasSubstr("combinational loop: y <- y"));
    EXPECT_THAT(error_of(head + ".names a y\n1 1 1\n.end\n"), HasSubstr("t.blif:5:"));
    EXPECT_THAT(error_of(head + ".names a y\n2 1\n.end\n"), HasSubstr("t.blif:5:"));
    EXPECT_THAT(error_of(head + ".names a y\n1 x\n.end\n"), HasSubstr("t.blif:5:"));
    EXPECT_THAT(error_of(head + ".names a y\n1 1\n0 0\n.end\n"),
                HasSubstr("t.blif:6: rows of the ON-set and the OFF-set"));
    EXPECT_THAT(error_of(head + "11 1\n.end\n"), HasSubstr("t.blif:4:"));
    EXPECT_THAT(error_of(head + ".subckt nothere p=a q=y\n.end\n"),
                testing::AllOf(HasSubstr("t.blif:4:"), HasSubstr("nothere")));
    EXPECT_THAT(error_of(head + ".subckt $_DLATCH_N_ D=a E=b Q=y\n.end\n"),
                testing::AllOf(HasSubstr("$_DLATCH_N_"), HasSubstr("driving y")));
    EXPECT_THAT(error_of(".model t\n.inputs a a\n.end\n"), HasSubstr("t.blif:2: input a is listed twice"));
    EXPECT_THAT(error_of(head + ".mlatch x\n.end\n"), HasSubstr("t.blif:4:"));
    EXPECT_THAT(error_of(head + ".names a y\n1 1\n"), HasSubstr("without .end"));
    EXPECT_THAT(error_of(""), HasSubstr("no model"));
}

TEST(Blif, UndrivenNetIsZeroWithAWarning) {
    const std::string text =
        ".model t\n.inputs a\n.outputs y z ghost\n.names a u y\n11 1\n.names u z\n0 1\n.end\n";
    std::vector<Warning> warnings;
    const Circuit circuit = read(text, &warnings);
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_EQ(warnings[0].place, "t.blif:4");
    EXPECT_THAT(warnings[0].message, HasSubstr("net u is never driven"));
    EXPECT_THAT(warnings[1].message, HasSubstr("net ghost is never driven"));
    EXPECT_THAT(step(circuit, {0b01}), ElementsAre(0, all, 0));
    EXPECT_THROW((void)read(text), Error);
}

// N6: 2- to 5-word latches, initial values 0 to 3.
TEST(Blif, LatchCase) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    std::vector<Warning> warnings;
    const Circuit circuit = read_netlist(shared / "cases/n02_latches.blif", {false, &warnings});
    EXPECT_EQ(warnings.size(), 2U);
    EXPECT_THAT(warnings.at(0).message, HasSubstr("latch q2"));
    EXPECT_THAT(warnings.at(1).message, HasSubstr("latch qx"));
    EXPECT_THAT(names(circuit.inputs), ElementsAre("d"));  // the clock is no input
    Simulator simulator(circuit);
    const std::vector<std::uint64_t> inputs = {all};
    EXPECT_THAT(simulator.step(inputs), ElementsAre(0, all, 0, 0));
    EXPECT_THAT(simulator.step(inputs), ElementsAre(all, 0, all, 0));
    EXPECT_THAT(simulator.step(inputs), ElementsAre(all, all, 0, all));
    simulator.reset();
    EXPECT_THAT(simulator.step(inputs), ElementsAre(0, all, 0, 0));
}

// N6: what Yosys writes for registers with initial values (before the first clock p=1 q=0 k=1).
TEST(Blif, InitialValuesAsYosysWritesThem) {
    const Circuit circuit = read(
        "# Generated by Yosys\n\n.model v07\n.inputs clk rst d\n.outputs p q k\n.names $false\n.names "
        "$true\n1\n"
        ".names $undef\n.latch d p re clk 1\n.latch p q re clk 0\n.names $true k\n1 1\n.end\n");
    Simulator simulator(circuit);
    const std::vector<std::uint64_t> inputs = {0, 0};  // rst d
    EXPECT_THAT(simulator.step(inputs), ElementsAre(all, 0, all));
    EXPECT_THAT(simulator.step(inputs), ElementsAre(0, all, all));
    const Circuit again = read(write_blif(circuit));
    expect_same(circuit, again);
    EXPECT_TRUE(again.registers[0].init);
}

TEST(Blif, RefusesWhatIsNoClockedRegister) {
    const std::string head = ".model t\n.inputs a g c\n.outputs o p\n";
    for (const char* type : {"ah", "al", "as"}) {
        EXPECT_THAT(error_of(head + ".latch a o " + type + " g 2\n.end\n"),
                    testing::AllOf(HasSubstr("t.blif:4:"), HasSubstr("latch o"), HasSubstr(type)));
    }
    EXPECT_THAT(error_of(head + ".latch a o xx g 0\n.end\n"), HasSubstr("unknown type"));
    EXPECT_THAT(error_of(head + ".latch a o 4\n.end\n"), HasSubstr("initial value 4"));
    EXPECT_THAT(error_of(head + ".latch a\n.end\n"), HasSubstr("t.blif:4:"));
    EXPECT_THAT(error_of(head + ".latch a o re g 0\n.latch a p re c 0\n.end\n"), HasSubstr("only one clock"));
    EXPECT_THAT(error_of(head + ".latch a o re g 0\n.latch a p fe g 0\n.end\n"), HasSubstr("only one clock"));
    EXPECT_THAT(error_of(head + ".names a g n\n11 1\n.latch a o re n 0\n.end\n"), HasSubstr("made by logic"));
    EXPECT_THAT(error_of(head + ".names g p\n1 1\n.latch a o re g 0\n.end\n"),
                testing::AllOf(HasSubstr("t.blif:4:"), HasSubstr("clock g is also read as data")));
}

TEST(Blif, LatchWithoutInitialValueWarns) {
    std::vector<Warning> warnings;
    const Circuit circuit =
        read(".model t\n.inputs a\n.outputs o p\n.latch a o\n.latch a p re NIL\n.end\n", &warnings);
    EXPECT_EQ(warnings.size(), 2U);
    EXPECT_THAT(step(circuit, {all}), ElementsAre(0, 0));
}

TEST(Blif, HierarchyAndLibraryGates) {
    const Circuit circuit = read_netlist(
        std::filesystem::path(TOROID_SOURCE_DIR) / "tests/circuit/data/counter.blif", {true, nullptr});
    EXPECT_THAT(names(circuit.inputs), ElementsAre("enable"));
    EXPECT_THAT(names(circuit.outputs), ElementsAre("count", "carry"));
    Simulator simulator(circuit);
    const std::vector<std::uint64_t> inputs = {all};
    for (unsigned value = 4; value < 12; ++value) {
        const auto out = simulator.step(inputs);
        EXPECT_EQ((out[0] & 1) | (out[1] & 2) | (out[2] & 4), value % 8);
        EXPECT_EQ(out[3] & 1, value == 7 ? 1U : 0U);
    }
    expect_same(circuit, read(write_blif(circuit)));
}

TEST(Blif, EachLibraryGate) {
    struct Gate {
        std::string line;
        std::vector<unsigned> table;  ///< output at abcd = 0, 1, 2 ... (a least significant)
    };
    const auto table = [](auto function) {
        std::vector<unsigned> out;
        for (unsigned i = 0; i < 16; ++i) {
            out.push_back(function((i & 1) != 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0) ? 1 : 0);
        }
        return out;
    };
    const std::vector<Gate> gates = {
        {"AND2 A=a B=b Y=y", table([](bool a, bool b, bool, bool) { return a && b; })},
        {"nand3x1 a=a b=b c=c O=y", table([](bool a, bool b, bool c, bool) { return !(a && b && c); })},
        {"or4 A1=a A2=b A3=c A4=d ZN=y",
         table([](bool a, bool b, bool c, bool d) { return a || b || c || d; })},
        {"NOR2_X2 A=a B=b OUT=y", table([](bool a, bool b, bool, bool) { return !(a || b); })},
        {"xor2a a=a b=b O=y", table([](bool a, bool b, bool, bool) { return a != b; })},
        {"$_XNOR_ A=a B=b Y=y", table([](bool a, bool b, bool, bool) { return a == b; })},
        {"$_ANDNOT_ A=a B=b Y=y", table([](bool a, bool b, bool, bool) { return a && !b; })},
        {"$_ORNOT_ A=a B=b Y=y", table([](bool a, bool b, bool, bool) { return a || !b; })},
        {"$_MUX_ A=a B=b S=c Y=y", table([](bool a, bool b, bool c, bool) { return c ? b : a; })},
        {"$_NMUX_ A=a B=b S=c Y=y", table([](bool a, bool b, bool c, bool) { return !(c ? b : a); })},
        {"$_AOI3_ A=a B=b C=c Y=y", table([](bool a, bool b, bool c, bool) { return !((a && b) || c); })},
        {"oai21 a1=a a2=b b=c O=y", table([](bool a, bool b, bool c, bool) { return !((a || b) && c); })},
        {"AOI22X1 A=a B=b C=c D=d Y=y",
         table([](bool a, bool b, bool c, bool d) { return !((a && b) || (c && d)); })},
        {"oai22 a1=a a2=b b1=c b2=d O=y",
         table([](bool a, bool b, bool c, bool d) { return !((a || b) && (c || d)); })},
        {"inv4 a=a O=y", table([](bool a, bool, bool, bool) { return !a; })},
        {"BUFx2 A=a Y=y", table([](bool a, bool, bool, bool) { return a; })},
        {"zero O=y", table([](bool, bool, bool, bool) { return false; })},
        {"one O=y", table([](bool, bool, bool, bool) { return true; })},
    };
    for (const Gate& gate : gates) {
        const Circuit circuit =
            read(".model t\n.inputs a b c d\n.outputs y\n.gate " + gate.line + "\n.end\n");
        const auto out = step(circuit, {0xaaaa, 0xcccc, 0xf0f0, 0xff00});
        for (unsigned i = 0; i < 16; ++i)
            EXPECT_EQ(out[0] >> i & 1, gate.table[i]) << gate.line << " at " << i;
    }
    for (const char* line :
         {"and3 a=a b=b O=y", "flipflop d=a q=y", "and a=a O=y", "mux a=a b=b O=y", "and2 a=a b=b c=y"}) {
        EXPECT_THAT(
            error_of(std::string(".model t\n.inputs a b c d\n.outputs y\n.gate ") + line + "\n.end\n"),
            HasSubstr("t.blif:4:"));
    }
}

TEST(Blif, HierarchyFaults) {
    const std::string leaf = ".model leaf\n.inputs p\n.outputs q\n.names p q\n0 1\n.end\n";
    const std::string head = ".model t\n.inputs a\n.outputs y\n";
    EXPECT_THAT(error_of(head + ".subckt leaf p=a r=y\n.end\n" + leaf),
                HasSubstr("t.blif:4: model leaf has no port r"));
    EXPECT_THAT(error_of(head + ".subckt leaf p=a p=y\n.end\n" + leaf), HasSubstr("connected twice"));
    EXPECT_THAT(error_of(head + ".subckt leaf p\n.end\n" + leaf), HasSubstr("t.blif:4:"));
    EXPECT_THAT(error_of(head + ".subckt t a=a y=y\n.end\n"), HasSubstr("contains itself"));
    EXPECT_THAT(error_of(head + ".end\n" + leaf + leaf), HasSubstr("a second model leaf"));
    EXPECT_THAT(
        error_of(head + ".subckt box p=a q=y\n.end\n.model box\n.inputs p\n.outputs q\n.blackbox\n.end\n"),
        HasSubstr("black box"));
    // Every level doubles: 40 lines would be 2^40 gates.
    std::string bomb = ".model m0\n.inputs p\n.outputs q\n.names p q\n0 1\n.end\n";
    for (int level = 1; level <= 40; ++level) {
        const std::string below = "m" + std::to_string(level - 1);
        bomb = ".model m" + std::to_string(level) + "\n.inputs p\n.outputs q\n.subckt " + below +
               " p=p q=x\n.subckt " + below + " p=x q=q\n.end\n" + bomb;
    }
    EXPECT_THAT(error_of(bomb), HasSubstr("flattened"));
    // The top may come last.
    const Circuit circuit = read(leaf + head + ".subckt leaf p=a q=y\n.end\n");
    EXPECT_EQ(circuit.name, "t");
    EXPECT_THAT(step(circuit, {0b01}), ElementsAre(~std::uint64_t{0b01}));
}

TEST(Blif, WideCoversAreTrees) {
    std::string inputs;
    for (int i = 0; i < 200; ++i) inputs += " x" + std::to_string(i);
    const Circuit circuit =
        read(".model t\n.inputs" + inputs + "\n.outputs y z\n.names" + inputs + " y\n" +
             std::string(200, '1') + " 1\n.names" + inputs + " z\n0" + std::string(199, '-') + " 0\n" +
             std::string(100, '1') + std::string(100, '-') + " 0\n.end\n");
    EXPECT_LE(circuit.bootstraps(), 199U + 100U);
    std::vector<std::uint64_t> words(200, 0b0111);
    words[0] = 0b0110;
    words[150] = 0b0011;
    EXPECT_THAT(step(circuit, words),
                testing::ElementsAre(testing::Truly([](auto w) { return (w & 7) == 0b010; }),
                                     testing::Truly([](auto w) { return (w & 7) == 0b000; })));
}

TEST(Blif, CoversOfTablesAreFewGates) {
    const auto cost = [](const std::string& names, const std::string& rows) {
        return read(".model t\n.inputs a b c d\n.outputs y\n.names " + names + " y\n" + rows + ".end\n")
            .bootstraps();
    };
    EXPECT_EQ(cost("a b", "10 1\n01 1\n"), 1U);
    EXPECT_EQ(cost("a b c", "11- 1\n1-1 1\n-11 1\n"), 1U);
    EXPECT_EQ(cost("a b c", "001 1\n010 1\n100 1\n111 1\n"), 1U);
    EXPECT_EQ(cost("a b c", "11- 1\n0-1 1\n"), 2U);
    EXPECT_EQ(cost("a b c d", "11-- 1\n--11 1\n"), 3U);
    EXPECT_EQ(cost("a b c", "11- 1\n--- 1\n"), 0U);
}

TEST(Blif, ExternalDontCaresAndNotesDemandNothing) {
    std::vector<Warning> warnings;
    const Circuit circuit = read(
        ".model t\n.inputs a b\n.outputs y\n.names a b y\n11 1\n.cname g\n.attr k v\n.exdc\n"
        ".inputs a b\n.outputs y\n.names a y\n0 1\n.end\n",
        &warnings);
    EXPECT_TRUE(warnings.empty());
    EXPECT_THAT(step(circuit, {0b0101, 0b0011}), ElementsAre(0b0001));
}

TEST(Blif, ConnIsACopy) {
    const Circuit circuit = read(".model t\n.inputs a\n.outputs y\n.conn a y\n.end\n");
    EXPECT_THAT(step(circuit, {0b0101}), ElementsAre(0b0101));
    EXPECT_EQ(circuit.bootstraps(), 0U);
}

// N2: outputs tied to inputs, to each other and to constants, as Yosys writes them; and an output port named
// like an input that is something else, which BLIF cannot say.
TEST(Blif, AliasedOutputsRoundTrip) {
    const Circuit circuit = read(
        ".model v03\n.inputs i[0] i[1]\n.outputs thru[0] thru[1] tie1 tie0 p q r\n.names $false\n.names "
        "$true\n1\n"
        ".names i[1] i[0] p\n10 1\n01 1\n.names p q\n1 1\n.names i[0] r\n1 1\n.names i[0] thru[0]\n1 1\n"
        ".names i[1] thru[1]\n1 1\n.names $false tie0\n1 1\n.names $true tie1\n1 1\n.end\n");
    EXPECT_EQ(circuit.bootstraps(), 1U);
    EXPECT_THAT(names(circuit.outputs), ElementsAre("thru", "tie1", "tie0", "p", "q", "r"));
    expect_same(circuit, read(write_blif(circuit)));
    CircuitBuilder builder("t");
    const auto a = builder.add_input("a", 2);
    builder.add_output("a", {a[1], a[0]});
    const Circuit again = read(write_blif(builder.finish()));
    EXPECT_THAT(names(again.outputs), ElementsAre("a_"));
    EXPECT_THAT(step(again, {1, 2}), ElementsAre(2, 1));
    const Circuit straight = read(".model t\n.inputs a b\n.outputs b\n.end\n");
    EXPECT_THAT(names(read(write_blif(straight)).outputs), ElementsAre("b"));
}

TEST(Blif, PortsGroupOnlyWhenComplete) {
    const Circuit circuit =
        read(".model t\n.inputs b[1] c d[0] b[0] e[0] e[2] d f[00] f[1] d[1]\n.outputs b[0]\n.end\n");
    EXPECT_THAT(names(circuit.inputs),
                ElementsAre("b", "c", "d[0]", "e[0]", "e[2]", "d", "f[00]", "f[1]", "d[1]"));
    EXPECT_EQ(circuit.inputs[0].signals.size(), 2U);
    EXPECT_EQ(circuit.outputs[0].bits[0].signal(), circuit.inputs[0].signals[0]);
}

// Every gate form, wide ones too, through BLIF and back.
TEST(Blif, WriterHandlesEveryGateForm) {
    CircuitBuilder builder("t");
    const auto x = builder.add_input("x", 12);
    const Literal carry = builder.majority(x[0], !x[1], x[2]);
    const WeightedLiteral sum[] = {{x[0], 1}, {!x[1], 1}, {x[2], 1}, {carry, -2}};
    const Literal form = builder.linear_form(sum, 0);
    const Literal chosen = builder.mux(form, x[3], !x[4]);
    const Literal state = builder.add_register("state", true);
    builder.set_next(state, builder.xor_gate(state, chosen));
    std::vector<Literal> light(x.begin(), x.begin() + 8);
    light[3] = !light[3];
    const Literal wide = builder.e2_gate(light, std::span(x).subspan(8));
    builder.add_output("y",
                       {form, !chosen, state, wide, builder.e2_gate({}, x), !wide, Literal::constant(true)});
    const Circuit circuit = builder.finish();
    expect_same(circuit, read(write_blif(circuit)));
}

}  // namespace
}  // namespace toroid::circuit
