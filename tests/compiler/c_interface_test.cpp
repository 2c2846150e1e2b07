// SPDX-License-Identifier: Apache-2.0
// Ports: names, widths, signs, order, and which parameters are inputs or outputs.
#include "compiler/c/declared_extents.hpp"
#include "compiler/c_support.hpp"
#include "support/shared_data.hpp"

namespace toroid::compiler::tests {
namespace {

using testing::HasSubstr;

TEST(CInterface, NumbersOfEveryKind) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text(R"(#include <stdbool.h>
#include <stdint.h>
enum level { LOW, HIGH = 70000 };
typedef unsigned short port_t;
int64_t f(_BitInt(17) z, unsigned _BitInt(3) y, bool b, char c, unsigned char u, port_t p, int i, enum level l,
          uint64_t q, __int128 w) {
    return b + c + u + p + i + (int)l + (int64_t)q + z + y + (int64_t)(w >> 64);
}
)");
    EXPECT_EQ(inputs(compiled), "z:s17 y:3 b:1 c:s8 u:8 p:16 i:s32 l:32 q:64 w:s128");
    EXPECT_EQ(outputs(compiled), "result:s64");
    EXPECT_EQ(compiled.check.compared, 64U);
}

TEST(CInterface, StructuresArraysAndBitFields) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text(R"(#include <stdbool.h>
#include <stdint.h>
struct inner { int8_t v[2]; bool on; };
struct outer { uint16_t id; struct inner in[2]; unsigned low : 3; int high : 7; uint64_t big; };
struct small { uint8_t a, b, c; };
struct outer f(struct outer o, struct small s, const struct small *t, int32_t m[2][2]) {
    o.id += s.a * t->b;
    o.in[1].v[0] = (int8_t)(o.in[0].v[1] + s.c);
    o.in[0].on = !o.in[1].on;
    o.low++;
    o.high = -o.high;
    o.big ^= t->a;
    m[1][0] += m[0][1];
    return o;
}
)");
    EXPECT_EQ(
        inputs(compiled),
        "o.id:16 o.in[0].v[0]:s8 o.in[0].v[1]:s8 o.in[0].on:1 o.in[1].v[0]:s8 o.in[1].v[1]:s8 o.in[1].on:1 "
        "o.low:3 o.high:s7 o.big:64 s.a:8 s.b:8 s.c:8 t.a:8 t.b:8 t.c:8 "
        "m[0][0]:s32 m[0][1]:s32 m[1][0]:s32 m[1][1]:s32");
    EXPECT_EQ(outputs(compiled),
              "result.id:16 result.in[0].v[0]:s8 result.in[0].v[1]:s8 result.in[0].on:1 result.in[1].v[0]:s8 "
              "result.in[1].v[1]:s8 result.in[1].on:1 result.low:3 result.high:s7 result.big:64 "
              "m[0][0]:s32 m[0][1]:s32 m[1][0]:s32 m[1][1]:s32");
    EXPECT_EQ(compiled.check.compared, 64U);
}

TEST(CInterface, SmallStructuresTravelInRegisters) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text(R"(
struct a { unsigned char x, y, z; };
struct b { short p; int q; char r; };
struct c { long long u; signed char v; };
struct c f(struct a a, struct b b, struct c c) {
    c.u += a.x * b.p - b.q;
    c.v = (signed char)(c.v ^ a.z ^ b.r);
    return c;
}
struct a g(struct a v) { unsigned char t = v.x; v.x = v.z; v.z = t; return v; }
struct b h(struct b v) { v.q = -v.q; return v; }
)",
                                           with_top("f"));
    EXPECT_EQ(inputs(compiled), "a.x:8 a.y:8 a.z:8 b.p:s16 b.q:s32 b.r:s8 c.u:s64 c.v:s8");
    EXPECT_EQ(outputs(compiled), "result.u:s64 result.v:s8");
    EXPECT_EQ(compiled.check.compared, 64U);
}

TEST(CInterface, CppReferencesArraysBasesAndTemplates) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text(R"(#include <array>
#include <cstdint>
namespace shop {
struct Base { std::uint8_t key; };
struct Item : Base { std::array<std::int16_t, 2> prices; static constexpr int tax = 3; };
enum class Kind : std::uint8_t { plain, special };
template <typename T, std::size_t n> T total(const std::array<T, n>& list) {
    T sum{};
    for (const T& one : list) sum = static_cast<T>(sum + one);
    return sum;
}
std::int16_t price(const std::array<Item, 2>& items, int& count, Kind kind, const std::int16_t (&offers)[3]) {
    count += items[0].key;
    std::int16_t sum = kind == Kind::special ? offers[2] : offers[0];
    for (const Item& item : items) sum = static_cast<std::int16_t>(sum + total(item.prices) + Item::tax);
    return sum;
}
}
)",
                                           with_top("shop::price"), "test.cpp");
    EXPECT_EQ(
        inputs(compiled),
        "items[0].key:8 items[0].prices[0]:s16 items[0].prices[1]:s16 items[1].key:8 items[1].prices[0]:s16 "
        "items[1].prices[1]:s16 count:s32 kind:8 offers[0]:s16 offers[1]:s16 offers[2]:s16");
    EXPECT_EQ(outputs(compiled), "result:s16 count:s32");
    EXPECT_EQ(compiled.check.compared, 64U);
}

TEST(CInterface, WrittenParametersAreOutputsAndReadOnesInputs) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text(R"(
void f(int *only_written, int *both, int *only_read, const int *constant, int *untouched, short sometimes[2], int x) {
    *only_written = x;
    *both += *only_read + *constant;
    if (x > 0) sometimes[1] = 7;
    (void)untouched;
}
)");
    EXPECT_EQ(inputs(compiled),
              "both:s32 only_read:s32 constant:s32 untouched:s32 sometimes[0]:s16 sometimes[1]:s16 x:s32");
    EXPECT_EQ(outputs(compiled), "only_written:s32 both:s32 sometimes[0]:s16 sometimes[1]:s16");
    EXPECT_EQ(compiled.check.compared, 64U);
    const Numbers out = run(compiled, {{"both", 5},
                                       {"only_read", 10},
                                       {"constant", 100},
                                       {"untouched", 0},
                                       {"sometimes[0]", 1},
                                       {"sometimes[1]", 2},
                                       {"x", -3}});
    EXPECT_EQ(out, (Numbers{{"only_written", -3}, {"both", 115}, {"sometimes[0]", 1}, {"sometimes[1]", 2}}));
}

TEST(CInterface, ResultGivesWayToAParameterOfThatName) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text("int f(int *result) { (*result)++; return *result * 2; }");
    EXPECT_EQ(outputs(compiled), "return:s32 result:s32");
    const Compiled plain = compile_text("int f(int result) { return result * 2; }");
    EXPECT_EQ(outputs(plain), "result:s32");
}

TEST(CInterface, ClearParameters) {
    TOROID_REQUIRE_CLANG();
    const std::string text = R"(#include <toroid.h>
int f(TOROID_CLEAR int n, const signed char weights[3], int x) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += x * weights[i % 3];
    return sum;
}
)";
    EXPECT_THAT(refusal(text, {}, "test.c", ErrorKind::usage), HasSubstr("'n' is TOROID_CLEAR"));
    COptions options;
    options.clear_values = {{"n", "5"}, {"weights", "1,-2,0x03"}};
    const Compiled compiled = compile_text(text, options);
    EXPECT_EQ(inputs(compiled), "x:s32");
    EXPECT_EQ(compiled.check.compared, 64U);
    EXPECT_EQ(run(compiled, {{"x", 10}}).at("result"), 10 * (1 - 2 + 3 + 1 - 2));
    options.clear_values = {{"n", "1"}, {"weights[1]", "4"}};
    EXPECT_EQ(inputs(compile_text(text, options)), "weights[0]:s8 weights[2]:s8 x:s32");
    options.clear_values = {{"n", "5"}, {"weigths", "1"}};
    EXPECT_THAT(refusal(text, options, "test.c", ErrorKind::usage), HasSubstr("no parameter 'weigths'"));
    options.clear_values = {{"n", "5"}, {"weights", "1,2"}};
    EXPECT_THAT(refusal(text, options, "test.c", ErrorKind::value), HasSubstr("3 elements"));
    options.clear_values = {{"n", "5000000000"}};
    EXPECT_THAT(refusal(text, options, "test.c", ErrorKind::value), HasSubstr("n"));
}

TEST(CInterface, ChoiceOfTheFunction) {
    TOROID_REQUIRE_CLANG();
    const std::string several = "int a(int x) { return x; }\nint b(int x) { return -x; }\n";
    const std::string message = refusal(several);
    EXPECT_THAT(message, HasSubstr("'a' (test.c:1)"));
    EXPECT_THAT(message, HasSubstr("'b' (test.c:2)"));
    EXPECT_EQ(compile_text(several, with_top("b")).circuit.name, "b");
    EXPECT_THAT(refusal(several, with_top("c")), HasSubstr("no function 'c'"));
    EXPECT_EQ(compile_text("static int h(int x) { return x; }\nint f(int x) { return h(x) + 1; }\n"
                           "int main(void) { return f(1); }\n")
                  .circuit.name,
              "f");
    EXPECT_THAT(refusal("int f(int);\n"), HasSubstr("no function to compile"));
    EXPECT_THAT(
        refusal("int f(int x) { return x; }\nchar f(char x) { return x; }\n", with_top("f"), "test.cpp"),
        HasSubstr("_Z1fi"));
}

TEST(CInterface, SeveralFiles) {
    TOROID_REQUIRE_CLANG();
    const TemporaryFolder folder;
    COptions options;
    options.files = {folder.path() / "a.c", folder.path() / "b.cpp"};
    options.top = "f";
    std::ofstream(options.files[0]) << "int helper(int);\nint f(int x) { return helper(x) + 1; }\n";
    std::ofstream(options.files[1]) << "extern \"C\" int helper(int x) { return 3 * x; }\n";
    const Compiled compiled = compile_files(options);
    EXPECT_EQ(run(compiled, {{"x", 5}}).at("result"), 16);
    EXPECT_EQ(compiled.check.compared, 64U);
    std::ofstream(options.files[1]) << "extern \"C\" int f(int x) { return 3 * x; }\n";
    try {
        (void)read_c(options);
        ADD_FAILURE() << "two definitions were accepted";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("multiply defined"));
    }
}

TEST(CInterface, WhatNoPortCanCarry) {
    TOROID_REQUIRE_CLANG();
    const auto says = [](const std::string& text, const std::string& part) {
        const std::string message = refusal(text);
        EXPECT_THAT(message, HasSubstr(part)) << text;
        EXPECT_THAT(message, HasSubstr("test.c:")) << text;
    };
    says("int f(double d) { return d > 0; }", "floating point is not supported");
    says("float f(int d) { return d; }", "floating point is not supported");
    says("int f(int **p) { return **p; }", "pointer to a pointer");
    says("struct s { int *p; };\nint f(struct s s) { return *s.p; }", "pointer inside");
    says("union u { int a; char b; };\nint f(union u u) { return u.a; }", "is a union");
    says("int *f(int *p) { return p; }", "returns a pointer");
    says("int f(int a[]) { return a[0]; }", "has no length");
    says("int f(int n, int a[n]) { return a[0]; }", "variable length");
    says("typedef int vec[4];\nint f(vec a) { return a[0]; }", "hides its length");
    says("int f(void *p) { return *(char *)p; }", "void pointer");
    says("int f(int (*g)(int)) { return g(1); }", "pointer to a function");
    says("int f(int n, ...) { return n; }", "any number of arguments");
    says("void f(const int *p) { (void)p; }", "writes to no parameter");
    says("struct s;\nint f(struct s *s) { return s != 0; }", "not known here");
}

TEST(DeclaredExtents, FromClangsPrint) {
    using Form = DeclaredParameter::Form;
    const auto of = [](const std::string& parameters, const std::vector<std::string>& names) {
        return declared_parameters("Printing f:\nint f(" + parameters + ") {\n    return 0;\n}\n", "f",
                                   names);
    };
    const auto found =
        of("const int a[16], unsigned char c[static 5], int m[3][4], struct p *q, int x, "
           "std::array<int, 3> &r, int (*g)[7], char o[], char v[n]",
           {"a", "c", "m", "q", "x", "r", "g", "o", "v"});
    ASSERT_EQ(found.size(), 1U);
    std::vector<Form> forms;
    for (const DeclaredParameter& parameter : found[0]) forms.push_back(parameter.form);
    EXPECT_THAT(forms,
                testing::ElementsAre(Form::array, Form::array, Form::array, Form::pointer, Form::plain,
                                     Form::pointer, Form::pointer, Form::open_array, Form::variable_size));
    EXPECT_EQ(found[0][0].extent, 16U);
    EXPECT_EQ(found[0][1].extent, 5U);
    EXPECT_EQ(found[0][2].extent, 3U);
    EXPECT_TRUE(of("int a[2]", {"b"}).empty());
    EXPECT_TRUE(of("int a[2], int b", {"a"}).empty());
    EXPECT_EQ(of("int a[99999999999999999999]", {"a"})[0][0].form, Form::variable_size);
    EXPECT_TRUE(declared_parameters("Printing f:\nint f(int a[", "f", {"a"}).empty());
    EXPECT_EQ(of("int [4]", {""})[0][0].extent, 4U);
}

// Cases that users of similar systems met.
TEST(CCases, EarlyReturnWithLiveCodeBehindTheLoop) {
    TOROID_REQUIRE_CLANG();
    TOROID_REQUIRE_SHARED_DATA(data);
    COptions options;
    options.files = {data / "cases/c01_early_return.c"};
    const Compiled compiled = compile_files(options);
    EXPECT_EQ(compiled.check.compared, 64U);
    Numbers values;
    put(values, "v", {4, 9, 200, 9, 255});
    for (const auto& [key, expected] : {std::pair{4, 0}, {9, 1}, {255, 4}, {1, 532}}) {
        values["key"] = key;
        EXPECT_EQ(run(compiled, values).at("result"), expected);
    }
}

TEST(CCases, CountDown) {
    TOROID_REQUIRE_CLANG();
    TOROID_REQUIRE_SHARED_DATA(data);
    COptions options;
    options.files = {data / "cases/c02_countdown.c"};
    options.top = "c02b";
    Numbers values;
    put(values, "w", {1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(run(compile_files(options), values).at("result"), 28);
    options.top = "c02a";
    try {
        (void)read_c(options);
        ADD_FAILURE() << "the endless loop was accepted";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("c02_countdown.c:3:5"));
        EXPECT_THAT(error.what(), HasSubstr("4096 rounds"));
    }
    options.loop_bound = 8;
    const Compiled bounded = compile_files(options);
    put(values, "w", {9, 9, 9, 4, 9, 9, 9, 9});
    EXPECT_EQ(run(bounded, values).at("loop_bound_hit"), 0);
    EXPECT_EQ(run(bounded, values).at("w[3]"), 3);
    EXPECT_EQ(run(bounded, values).at("w[4]"), 8);
    put(values, "w", {9, 9, 9, 9, 9, 9, 9, 9});
    EXPECT_EQ(run(bounded, values).at("loop_bound_hit"), 1);
}

TEST(CCases, ArrayOfStructuresInPlace) {
    TOROID_REQUIRE_CLANG();
    TOROID_REQUIRE_SHARED_DATA(data);
    COptions options;
    options.files = {data / "cases/c04_struct_array.c"};
    const Compiled compiled = compile_files(options);
    EXPECT_EQ(compiled.check.compared, 64U);
    EXPECT_EQ(inputs(compiled), "s[0].id:s16 s[0].w:s8 s[1].id:s16 s[1].w:s8 s[2].id:s16 s[2].w:s8");
    EXPECT_EQ(run(compiled, {{"s[0].id", 300},
                             {"s[0].w", 5},
                             {"s[1].id", -2},
                             {"s[1].w", -9},
                             {"s[2].id", 7},
                             {"s[2].w", -10}}),
              (Numbers{{"s[0].id", -2},
                       {"s[0].w", -9},
                       {"s[1].id", 7},
                       {"s[1].w", -10},
                       {"s[2].id", 302},
                       {"s[2].w", 5}}));
}

TEST(CCases, ConstantsAndIgnoredInputs) {
    TOROID_REQUIRE_CLANG();
    TOROID_REQUIRE_SHARED_DATA(data);
    COptions options;
    options.files = {data / "cases/c05_const_out.c"};
    options.top = "c05a";
    EXPECT_EQ(run(compile_files(options), {{"x", 99}}), (Numbers{{"result", -41}}));
    options.top = "c05b";
    EXPECT_EQ(run(compile_files(options), {{"x", -128}}), (Numbers{{"result", -128}}));
    options.top = "c05c";
    const Compiled constant = compile_files(options);
    EXPECT_EQ(inputs(constant), "x:s32");
    EXPECT_EQ(constant.circuit.bootstraps(), 0U);
    EXPECT_EQ(run(constant, {{"x", 1}}), (Numbers{{"result.a", -2}, {"result.b", 60000}, {"result.c", 1}}));
}

}  // namespace
}  // namespace toroid::compiler::tests
