// SPDX-License-Identifier: Apache-2.0
#include "compiler/xls/xls_reader.hpp"

#include <bit>
#include <fstream>
#include <sstream>

#include "compiler/word_support.hpp"
#include "support/expect_error.hpp"
#include "support/seed.hpp"
#include "support/shared_data.hpp"

namespace toroid::compiler::tests {
namespace {

XlsProgram read(const std::string& text, const XlsOptions& options = {}) {
    return read_xls(text, "test.ir", options);
}

/// The results of a program for each vector of its inputs.
std::vector<Numbers> run(const std::string& text, const std::vector<Numbers>& vectors) {
    const XlsProgram program = read(text);
    const circuit::Circuit circuit = lower(program.graph, program.name, {});
    circuit::Simulator simulator(circuit);
    return simulate(circuit, simulator, vectors);
}

/// fn f(parameters) -> type { ret r: type = operation }, with lines before it.
std::string function(const std::string& parameters, const std::string& type, const std::string& operation,
                     const std::string& before = "") {
    return "package p\ntop fn f(" + parameters + ") -> " + type + " {\n" + before + "  ret r: " + type +
           " = " + operation + "\n}\n";
}

std::vector<std::string> names(const std::vector<WordGraph::Input>& ports) {
    std::vector<std::string> out;
    for (const auto& port : ports) out.push_back(port.name + ":" + std::to_string(port.width));
    return out;
}

void check_tuple_case(const std::string& text) {
    EXPECT_EQ(run(text, {{0xa5c, 3}, {0xa5c, 2}, {0xa5c, 13}, {0xfff, 11}}),
              (std::vector<Numbers>{{5, 1, 3}, {0, 0, 2}, {11, 1, 13}, {14, 1, 11}}));
}

// A truncating product as the start of a slice, and a tuple as result.
TEST(XlsReader, TupleResultAndTruncatedIndex) {
    check_tuple_case(R"(package x01
top fn pick(v: bits[12], k: bits[5]) -> (bits[4], bits[1], bits[5]) {
  low2: bits[2] = bit_slice(k, start=0, width=2, id=1)
  three: bits[2] = literal(value=3, id=2)
  prod: bits[2] = umul(low2, three, id=3)
  win: bits[4] = dynamic_bit_slice(v, prod, width=4, id=4)
  odd: bits[1] = bit_slice(k, start=0, width=1, id=5)
  far: bits[4] = dynamic_bit_slice(v, k, width=4, id=6)
  xr: bits[4] = xor(win, far, id=7)
  ret out: (bits[4], bits[1], bits[5]) = tuple(xr, odd, k, id=8)
})");
}

TEST(XlsReader, TupleCaseAsItWasReported) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    std::ifstream file(shared / "cases" / "x01_tuple.ir");
    std::stringstream text;
    text << file.rdbuf();
    check_tuple_case(text.str());
}

TEST(XlsReader, FlattensTuplesAndArraysFirstElementFirst) {
    const XlsProgram program = read(
        "package p\n"
        "fn f(a: (bits[3], (), (bits[2], bits[0])) id=1, t: token id=2, m: bits[4][2][3] id=3) -> "
        "((bits[2], bits[3]), bits[4][2]) {\n"
        "  tuple_index.4: bits[3] = tuple_index(a, index=0, id=4)\n"
        "  inner: (bits[2], bits[0]) = tuple_index(a, index=2)\n"
        "  tuple_index.5: bits[2] = tuple_index(inner, index=0, id=5)\n"
        "  pair: (bits[2], bits[3]) = tuple(tuple_index.5, tuple_index.4)\n"
        "  two: bits[2] = literal(value=2)\n"
        "  row: bits[4][2] = array_index(m, indices=[two])\n"
        "  ret out: ((bits[2], bits[3]), bits[4][2]) = tuple(pair, row)\n}\n");
    EXPECT_EQ(program.name, "f");
    EXPECT_EQ(names(program.graph.inputs()),
              (std::vector<std::string>{"a.0:3", "a.2.0:2", "m[0][0]:4", "m[0][1]:4", "m[1][0]:4",
                                        "m[1][1]:4", "m[2][0]:4", "m[2][1]:4"}));
    std::vector<std::string> outputs;
    for (const auto& port : program.graph.outputs()) outputs.push_back(port.name);
    EXPECT_EQ(outputs, (std::vector<std::string>{"result.0.0", "result.0.1", "result.1[0]", "result.1[1]"}));
    const circuit::Circuit circuit = lower(program.graph, program.name, {});
    circuit::Simulator simulator(circuit);
    EXPECT_EQ(simulate(circuit, simulator, {{5, 2, 1, 2, 3, 4, 6, 7}}), (std::vector<Numbers>{{2, 5, 6, 7}}));
}

struct BinaryCase {
    std::string operation;
    std::string result;
    std::function<std::uint64_t(std::uint64_t, std::uint64_t)> compute;
};

TEST(XlsReader, BinaryOperations) {
    const auto s = [](std::uint64_t x) { return as_signed(x, 6); };
    const auto u = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    const std::vector<BinaryCase> cases{
        {"add", "6", [](auto a, auto b) { return a + b; }},
        {"sub", "6", [](auto a, auto b) { return a - b; }},
        {"umul", "9", [](auto a, auto b) { return a * b; }},
        {"smul", "12", [=](auto a, auto b) { return u(s(a) * s(b)); }},
        {"udiv", "6", [](auto a, auto b) { return b == 0 ? 63 : a / b; }},
        {"umod", "6", [](auto a, auto b) { return b == 0 ? 0 : a % b; }},
        {"sdiv", "6",
         [=](auto a, auto b) -> std::uint64_t { return b == 0 ? (s(a) < 0 ? 32 : 31) : u(s(a) / s(b)); }},
        {"smod", "6", [=](auto a, auto b) -> std::uint64_t { return b == 0 ? 0 : u(s(a) % s(b)); }},
        {"and", "6", [](auto a, auto b) { return a & b; }},
        {"or", "6", [](auto a, auto b) { return a | b; }},
        {"xor", "6", [](auto a, auto b) { return a ^ b; }},
        {"nand", "6", [](auto a, auto b) { return ~(a & b); }},
        {"nor", "6", [](auto a, auto b) { return ~(a | b); }},
        {"shll", "6", [](auto a, auto b) { return b > 5 ? 0 : a << b; }},
        {"shrl", "6", [](auto a, auto b) { return b > 5 ? 0 : a >> b; }},
        {"shra", "6", [=](auto a, auto b) { return u(s(a) >> std::min<std::uint64_t>(b, 5)); }},
        {"eq", "1", [](auto a, auto b) -> std::uint64_t { return a == b ? 1 : 0; }},
        {"ne", "1", [](auto a, auto b) -> std::uint64_t { return a != b ? 1 : 0; }},
        {"ult", "1", [](auto a, auto b) -> std::uint64_t { return a < b ? 1 : 0; }},
        {"ule", "1", [](auto a, auto b) -> std::uint64_t { return a <= b ? 1 : 0; }},
        {"ugt", "1", [](auto a, auto b) -> std::uint64_t { return a > b ? 1 : 0; }},
        {"uge", "1", [](auto a, auto b) -> std::uint64_t { return a >= b ? 1 : 0; }},
        {"slt", "1", [=](auto a, auto b) -> std::uint64_t { return s(a) < s(b) ? 1 : 0; }},
        {"sle", "1", [=](auto a, auto b) -> std::uint64_t { return s(a) <= s(b) ? 1 : 0; }},
        {"sgt", "1", [=](auto a, auto b) -> std::uint64_t { return s(a) > s(b) ? 1 : 0; }},
        {"sge", "1", [=](auto a, auto b) -> std::uint64_t { return s(a) >= s(b) ? 1 : 0; }},
        {"concat", "12", [](auto a, auto b) { return a << 6 | b; }},
    };
    std::vector<Numbers> vectors;
    for (std::uint64_t all = 0; all < 4096; ++all) vectors.push_back({all % 64, all / 64});
    for (const BinaryCase& test : cases) {
        SCOPED_TRACE(test.operation);
        const std::string text =
            function("a: bits[6], b: bits[6]", "bits[" + test.result + "]", test.operation + "(a, b, id=3)");
        const auto results = run(text, vectors);
        const auto width = static_cast<std::uint32_t>(std::stoul(test.result));
        for (std::size_t v = 0; v < vectors.size(); ++v) {
            ASSERT_EQ(results[v][0], low_bits(test.compute(vectors[v][0], vectors[v][1]), width))
                << vectors[v][0] << " " << vectors[v][1];
        }
    }
}

TEST(XlsReader, UnaryOperations) {
    struct Case {
        std::string operation;
        std::string result;
        std::function<std::uint64_t(std::uint64_t)> compute;
    };
    const auto bit_of = [](std::uint64_t a, int bit) { return a >> bit & 1; };
    const std::vector<Case> cases{
        {"not(a)", "5", [](auto a) { return ~a; }},
        {"neg(a)", "5", [](auto a) { return 0 - a; }},
        {"identity(a)", "5", [](auto a) { return a; }},
        {"and_reduce(a)", "1", [](auto a) -> std::uint64_t { return a == 31 ? 1 : 0; }},
        {"or_reduce(a)", "1", [](auto a) -> std::uint64_t { return a != 0 ? 1 : 0; }},
        {"xor_reduce(a)", "1", [](auto a) { return static_cast<std::uint64_t>(std::popcount(a) & 1); }},
        {"bit_slice(a, start=1, width=3)", "3", [](auto a) { return a >> 1; }},
        {"zero_ext(a, new_bit_count=7)", "7", [](auto a) { return a; }},
        {"sign_ext(a, new_bit_count=7)", "7",
         [](auto a) { return static_cast<std::uint64_t>(as_signed(a, 5)); }},
        {"reverse(a)", "5",
         [=](auto a) {
             std::uint64_t out = 0;
             for (int i = 0; i < 5; ++i) out |= bit_of(a, i) << (4 - i);
             return out;
         }},
        {"decode(a, width=20)", "20", [](auto a) { return std::uint64_t{1} << a; }},
        {"encode(a)", "3",
         [=](auto a) {
             std::uint64_t out = 0;
             for (int i = 0; i < 5; ++i) out |= bit_of(a, i) != 0 ? static_cast<std::uint64_t>(i) : 0;
             return out;
         }},
        {"one_hot(a, lsb_prio=true)", "6", [](auto a) { return a == 0 ? 32 : a & (0 - a); }},
        {"one_hot(a, lsb_prio=false)", "6", [](auto a) { return a == 0 ? 32 : std::bit_floor(a); }},
    };
    std::vector<Numbers> vectors;
    for (std::uint64_t a = 0; a < 32; ++a) vectors.push_back({a});
    for (const Case& test : cases) {
        SCOPED_TRACE(test.operation);
        const auto results =
            run(function("a: bits[5]", "bits[" + test.result + "]", test.operation), vectors);
        const auto width = static_cast<std::uint32_t>(std::stoul(test.result));
        for (std::size_t v = 0; v < vectors.size(); ++v)
            ASSERT_EQ(results[v][0], low_bits(test.compute(vectors[v][0]), width)) << vectors[v][0];
    }
}

TEST(XlsReader, LeadingZerosAsOneHotAndEncode) {
    const std::string text = function("a: bits[13]", "bits[4]", "encode(h)",
                                      "  b: bits[13] = reverse(a)\n"
                                      "  h: bits[14] = one_hot(b, lsb_prio=true)\n");
    std::vector<Numbers> vectors;
    for (std::uint64_t a = 0; a < 1 << 13; ++a) vectors.push_back({a});
    const auto results = run(text, vectors);
    for (std::uint64_t a = 0; a < vectors.size(); ++a)
        ASSERT_EQ(results[a][0], static_cast<std::uint64_t>(std::countl_zero(a)) - 51) << a;
}

TEST(XlsReader, Selections) {
    const std::string three = "s: bits[2], a: bits[4], b: bits[4], c: bits[4], d: bits[4]";
    const auto expect = [&](const std::string& text, const auto& compute) {
        SCOPED_TRACE(text);
        std::vector<Numbers> vectors;
        for (std::uint64_t s = 0; s < 4; ++s) vectors.push_back({s, 5, 9, 12, 2});
        const auto results = run(text, vectors);
        for (std::uint64_t s = 0; s < 4; ++s)
            EXPECT_EQ(results[s][0], static_cast<std::uint64_t>(compute(s))) << s;
    };
    const int values[] = {5, 9, 12, 2};
    expect(function(three, "bits[4]", "sel(s, cases=[a, b, c, d])"), [&](auto s) { return values[s]; });
    expect(function(three, "bits[4]", "sel(s, cases=[a, b], default=d)"),
           [&](auto s) { return s < 2 ? values[s] : 2; });
    expect(function(three, "bits[4]", "one_hot_sel(s, cases=[a, c])"),
           [&](auto s) { return (s & 1 ? 5 : 0) | (s & 2 ? 12 : 0); });
    expect(function(three, "bits[4]", "priority_sel(s, cases=[a, c], default=d)"), [&](auto s) {
        return s & 1 ? 5 : s & 2 ? 12 : 2;
    });
    expect(function(three, "bits[4]", "sel(w, cases=[a, b, c], default=d)",
                    "  w: bits[40] = zero_ext(s, "
                    "new_bit_count=40)\n"),
           [&](auto s) { return values[s]; });
    const std::string pairs =
        "  x: (bits[4], bits[4]) = tuple(a, b)\n  y: (bits[4], bits[4]) = tuple(c, d)\n";
    const auto results = run(function("s: bits[1], a: bits[4], b: bits[4], c: bits[4], d: bits[4]",
                                      "(bits[4], bits[4])", "sel(s, cases=[x, y])", pairs),
                             {{0, 1, 2, 3, 4}, {1, 1, 2, 3, 4}});
    EXPECT_EQ(results, (std::vector<Numbers>{{1, 2}, {3, 4}}));
}

TEST(XlsReader, ArraysClampReadsAndIgnoreWritesPastTheEnd) {
    std::vector<Numbers> vectors;
    for (std::uint64_t i = 0; i < 8; ++i) vectors.push_back({i, 11, 12, 13});
    const std::string parameters = "i: bits[3], a: bits[4][3]";
    const auto read_results = run(function(parameters, "bits[4]", "array_index(a, indices=[i])"), vectors);
    const auto updated = run(function(parameters, "bits[4][3]", "array_update(a, v, indices=[i])",
                                      "  v: bits[4] = literal(value=7)\n"),
                             vectors);
    const auto slice = run(function(parameters, "bits[4][2]", "array_slice(a, i, width=2)"), vectors);
    const auto constants = run(function(parameters, "bits[9]", "array_index(t, indices=[i])",
                                        "  t: bits[9][3] = literal(value=[300, bits[9]:0x0_a, 0b11])\n"),
                               vectors);
    for (std::uint64_t i = 0; i < 8; ++i) {
        const std::uint64_t in = std::min<std::uint64_t>(i, 2);
        EXPECT_EQ(read_results[i][0], 11 + in);
        Numbers expected{11, 12, 13};
        if (i < 3) expected[i] = 7;
        EXPECT_EQ(updated[i], expected);
        EXPECT_EQ(slice[i], (Numbers{11 + in, 11 + std::min<std::uint64_t>(i + 1, 2)}));
        EXPECT_EQ(constants[i][0], (Numbers{300, 10, 3}[in]));
    }
    const auto matrix =
        run(function("i: bits[2], j: bits[2], a: bits[4][2][3]", "bits[4][2][3]",
                     "array_update(a, v, indices=[i, j])", "  v: bits[4] = literal(value=15)\n"),
            {{2, 1, 1, 2, 3, 4, 5, 6}, {1, 2, 1, 2, 3, 4, 5, 6}});
    EXPECT_EQ(matrix, (std::vector<Numbers>{{1, 2, 3, 4, 5, 15}, {1, 2, 3, 4, 5, 6}}));
    const auto joined =
        run(function("a: bits[4][1], b: bits[4][2]", "bits[4][3]", "array_concat(a, b)"), {{1, 2, 3}});
    EXPECT_EQ(joined, (std::vector<Numbers>{{1, 2, 3}}));
}

TEST(XlsReader, SliceUpdates) {
    std::vector<Numbers> vectors;
    for (std::uint64_t start = 0; start < 32; ++start) vectors.push_back({0xabcd, start, 0xff});
    const auto results = run(
        function("a: bits[16], s: bits[5], u: bits[8]", "bits[16]", "bit_slice_update(a, s, u)"), vectors);
    for (std::uint64_t start = 0; start < 32; ++start)
        EXPECT_EQ(results[start][0], start >= 16 ? 0xabcd : (0xabcd | 0xff << start) & 0xffff) << start;
}

TEST(XlsReader, CallsMapsAndLoops) {
    const std::string text =
        "package p\n\nfile_number 3 \"sum.x\"\n\n#[initiation_interval(2)]\n"
        "fn square(x: bits[8] id=1) -> bits[8] {\n  ret umul.2: bits[8] = umul(x, x, id=2, "
        "pos=[(3,4,5)])\n}\n"
        "fn body(i: bits[8], sum: bits[8], a: bits[8][4]) -> bits[8] {\n"
        "  e: bits[8] = array_index(a, indices=[i], assumed_in_bounds=true)\n"
        "  s: bits[8] = add(sum, e)\n  ret t: bits[8] = add(s, i)\n}\n"
        "top fn f(a: bits[8][4], start: bits[8]) -> (bits[8], bits[8]) {\n"
        "  squares: bits[8][4] = map(a, to_apply=square)\n"
        "  sum: bits[8] = counted_for(start, trip_count=4, stride=1, body=body, invariant_args=[squares])\n"
        "  one: bits[8] = invoke(start, to_apply=square)\n"
        "  ret r: (bits[8], bits[8]) = tuple(sum, one)\n}\n";
    EXPECT_EQ(run(text, {{1, 2, 3, 4, 100}}),
              (std::vector<Numbers>{{(100 + 1 + 4 + 9 + 16 + 6) % 256, 100 * 100 % 256}}));
    const XlsProgram program = read(text);
    EXPECT_EQ(program.graph.files(), (std::vector<std::string>{"test.ir", "sum.x"}));
}

TEST(XlsReader, WordsOfNoBitsAndReturnedParameters) {
    EXPECT_EQ(run(function("a: bits[3]", "bits[4]", "zero_ext(n, new_bit_count=4)",
                           "  n: bits[0] = bit_slice(a, start=3, width=0)\n"),
                  {{5}}),
              (std::vector<Numbers>{{0}}));
    EXPECT_EQ(
        run(function("a: bits[3]", "bits[3]", "concat(n, a, n)", "  n: bits[0] = literal(value=0)\n"), {{5}}),
        (std::vector<Numbers>{{5}}));
    EXPECT_EQ(
        run("top fn f(x: bits[3], y: bits[2]) -> bits[3] {\n  ret x: bits[3] = param(name=x, id=1)\n}\n",
            {{6, 1}}),
        (std::vector<Numbers>{{6}}));
}

TEST(XlsReader, ProductPairsAddUpToTheProduct) {
    const auto results = run(function("a: bits[6], b: bits[6]", "bits[12]", "add(l, h)",
                                      "  p: (bits[12], bits[12]) = smulp(a, b)\n"
                                      "  l: bits[12] = tuple_index(p, index=0)\n"
                                      "  h: bits[12] = tuple_index(p, index=1)\n"),
                             {{63, 5}, {32, 32}});
    EXPECT_EQ(results, (std::vector<Numbers>{{4091}, {1024}}));
}

TEST(XlsReader, ChecksMakeNoLogicAndAreReported) {
    const XlsProgram program =
        read(function("t: token, c: bits[1]", "bits[1]", "not(c)",
                      "  a: token = assert(t, c, message=\"it \\\"broke\\\"\", label=\"x\")\n"));
    ASSERT_EQ(program.warnings.size(), 1U);
    EXPECT_EQ(program.warnings[0].place, "test.ir:3");
}

TEST(XlsReader, ErrorsNameThePlace) {
    const auto refused = [](const std::string& text, const std::vector<std::string>& parts,
                            const XlsOptions& options = {}) {
        SCOPED_TRACE(text);
        toroid::tests::expect_error(ErrorKind::circuit, parts,
                                    [&] { static_cast<void>(read(text, options)); });
    };
    const std::string a = "a: bits[4]";
    refused("", {"test.ir", "no function"});
    refused("package p\nfn f(", {"test.ir:2:6", "the text ends"});
    refused("package p\nwhat f() {}", {"test.ir:2:1", "'what' is no declaration"});
    refused("fn f(a: bits[4]) -> bits[4] {\n}\n", {"test.ir:1:4", "returns nothing"});
    refused(function(a, "bits[4]", "add(a, b)"), {"test.ir:3:27", "'b' is not defined above"});
    refused(function(a, "bits[5]", "add(a, a)"), {"test.ir:3:7", "add", "bits[4], not bits[5]"});
    refused(function(a, "bits[4]", "fancy(a)"), {"test.ir:3:7", "fancy", "not supported"});
    refused(function(a, "bits[4]", "receive(a, channel=c)"), {"receive", "not supported"});
    refused(function(a, "bits[4]", "literal(value=16)"), {"test.ir:3:34", "16"});
    refused(function(a, "bits[4]", "bit_slice(a, start=2, width=4)"), {"bit_slice", "bits 2 to 2+4 of 4"});
    refused(function(a, "bits[4]", "bit_slice(a, start=2)"), {"no 'width='"});
    refused(function(a, "bits[4]", "sel(a, cases=[a, a])"), {"2 cases and no default"});
    refused(function(a, "bits[4]", "tuple_index(a, index=0)"), {"element 0 of bits[4]"});
    refused(function(a, "bits[4]", "invoke(a, to_apply=g)"), {"no function 'g'"});
    refused(function(a, "bits[4]", "invoke(a, to_apply=f)"), {"nested more than"});
    refused(function(a, "bits[4]", "dynamic_counted_for(a, a, a, body=f)"), {"cannot be unfolded"});
    refused(function("a: bits[4], a: bits[4]", "bits[4]", "not(a)"),
            {"test.ir:2:22", "'a' is defined twice"});
    refused(function("a: (bits[1]), a.0: bits[2]", "bits[2]", "not(a.0)"), {"two inputs are named 'a.0'"});
    refused(function("a: bits[99999]", "bits[4]", "not(a)"), {"test.ir:2:18", "99999"});
    refused(function("a: bits[1][9999][9999]", "bits[4]", "not(a)"), {"test.ir:2:13", "a type of more than"});
    refused("package p\nproc q(x: bits[3]) { }\n", {"no function"});
    refused("package p\ntop proc q() { }\n", {"test.ir:2:5", "only functions"});
    refused(function(a, "bits[4]", "not(a) $"), {"unexpected character '$'"});
    refused(function(a, "()", "tuple()"), {"a result of no bits"});
    XlsOptions few;
    few.step_limit = 1000;
    refused(function(a, "bits[4]", "counted_for(a, trip_count=2000000000, body=b, invariant_args=[])") +
                "fn b(i: bits[9], a: bits[4]) -> bits[4] {\n  ret n: bits[4] = not(a)\n}\n",
            {"more than 1000 steps"}, few);
    XlsOptions named;
    named.top = "g";
    refused(function(a, "bits[4]", "not(a)"), {"no function 'g'"}, named);
}

}  // namespace
}  // namespace toroid::compiler::tests
