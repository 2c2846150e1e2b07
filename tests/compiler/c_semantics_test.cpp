// SPDX-License-Identifier: Apache-2.0
// What the language means: control flow, memory, arithmetic; and what is refused or warned about.
#include "compiler/c_support.hpp"

namespace toroid::compiler::tests {
namespace {

using testing::HasSubstr;

// Compiles, compares with native code, and expects no warning.
Compiled agrees(const std::string& text, const std::string& name = "test.c", std::uint32_t least = 64) {
    const Compiled compiled = compile_text(text, {}, name, 64);
    EXPECT_GE(compiled.check.compared, least) << text;
    EXPECT_EQ(compiled.warnings, "") << text;
    return compiled;
}

TEST(CControl, BranchesSwitchesAndJumps) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
int f(int a, int b, unsigned char op) {
    int r = 0;
    switch (op & 15) {
        case 0: r = a + b; break;
        case 1: r = a - b;  /* falls through */
        case 2: r ^= 5; break;
        case 3: case 4: case 9: if (a > b) return a; r = b; break;
        case 7: goto out;
        default: r = op < 12 ? a & b : a | b;
    }
    if (r < 0 && a != 3) r = ~r; else if (b > 100 || r == 9) r += 3;
    r *= 2;
out:
    return r - 1;
}
)");
}

TEST(CControl, NestedLoopsWithBreakContinueAndReturn) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
int f(const signed char m[4][4], signed char limit) {
    int total = 0;
    for (int i = 0; i < 4; i++) {
        int row = 0;
        for (int j = 0; j < 4; j++) {
            if (m[i][j] == 0) continue;
            if (m[i][j] == limit) break;
            if (m[i][j] == -1) return total - 1000;
            row += m[i][j];
            int k = 0;
            do { row ^= k; k++; } while (k < 3 && row > k);
        }
        if (row < -50) break;
        total += row;
    }
    return total;
}
)");
}

TEST(CControl, LoopsOverNarrowCountersEndByThemselves) {
    TOROID_REQUIRE_CLANG();
    agrees(
        "int f(unsigned char n, int x) { n %= 9; int s = 0; for (int i = 0; i < n; i++) s += x >> i; return "
        "s; }");
    agrees(
        "int f(unsigned n, int x) { int s = 0; for (n = n >> 28; n > 0; n /= 2) s += x ^ (int)n; return s; "
        "}");
}

TEST(CControl, BoundsAndTheirOutput) {
    TOROID_REQUIRE_CLANG();
    const std::string text =
        "unsigned f(unsigned x) { unsigned n = 0; while (x != 1 && x != 0) { x = x % 2 ? 3 * x + 1 "
        ": x / 2; n++; } return n; }";
    EXPECT_THAT(refusal(text), HasSubstr("--loop-bound"));
    COptions options;
    options.loop_bound = 10;
    const Compiled compiled = compile_text(text, options);
    EXPECT_EQ(outputs(compiled), "result:32 loop_bound_hit:1");
    EXPECT_GT(compiled.check.compared, 0U);
    EXPECT_GT(compiled.check.undefined, 0U);
    // 64 takes 6 rounds, 3 takes 7, 13 takes 9, 1024 takes exactly 10, 17 takes 12.
    for (const auto& [x, rounds] : {std::pair{0, 0}, {1, 0}, {3, 7}, {13, 9}, {64, 6}, {1024, 10}}) {
        EXPECT_EQ(run(compiled, {{"x", x}}), (Numbers{{"result", rounds}, {"loop_bound_hit", 0}})) << x;
    }
    EXPECT_EQ(run(compiled, {{"x", 17}}).at("loop_bound_hit"), 1);
    EXPECT_EQ(run(compiled, {{"x", 2048}}).at("loop_bound_hit"), 1);
}

TEST(CControl, ABoundBeforeTheLoopGoesBeforeTheOption) {
    TOROID_REQUIRE_CLANG();
    const std::string text = R"(#include <toroid.h>
int f(unsigned x) {
    int n = 0;
    TOROID_LOOP_BOUND(3)
    do { x >>= 1; n++; } while (x != 0);
    return n;
}
)";
    COptions options;
    options.loop_bound = 100;
    const Compiled compiled = compile_text(text, options);
    EXPECT_EQ(run(compiled, {{"x", 7}}), (Numbers{{"result", 3}, {"loop_bound_hit", 0}}));
    EXPECT_EQ(run(compiled, {{"x", 8}}).at("loop_bound_hit"), 1);
    // The usual unrolling hint is no bound.
    const std::string hint =
        "int f(unsigned char x) { int n = 0;\n#pragma unroll 2\n"
        "while (x != 0) { x >>= 1; n++; if (n == 8) break; } return n; }";
    EXPECT_EQ(outputs(compile_text(hint)), "result:s32");
}

TEST(CMemory, EncryptedIndices) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
#include <stdint.h>
struct cell { int16_t v; uint8_t t[3]; };
int32_t f(struct cell c[3], const int8_t m[3][5], uint8_t i, uint8_t j, int16_t x) {
    static const uint16_t squares[10] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};
    static const int8_t grid[2][3] = {{1, -2, 3}, {-4, 5, -6}};
    i %= 3;
    j %= 5;
    c[i].v += x;
    c[(i + 1) % 3].t[j % 3] = (uint8_t)x;
    c[2 - i].t[i] ^= 0x5a;
    int32_t local[4] = {x, 2, 3, 4};
    local[j & 3] -= 7;
    local[3 - (j & 1)] *= 3;
    return m[i][j] * squares[2 * j] + grid[i & 1][j % 3] + local[0] + local[1] + local[2] + local[3] + c[i].v;
}
)");
}

TEST(CMemory, PointersMoveAndChoose) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
#include <stddef.h>
#include <stdint.h>
int f(int8_t a[6], const int8_t b[6], uint8_t n, int8_t key) {
    const int8_t *from = key > 0 ? a : b;
    int8_t *to = a;
    n %= 7;
    const int8_t *end = from + n;
    int skipped = 0;
    while (from < end) {
        if (*from == key) { from++; skipped++; continue; }
        *to++ = *from++;
    }
    ptrdiff_t written = to - a;
    int *p = &skipped;
    if (written > 3) p = NULL;
    if (p != NULL) *p += 10;
    for (int8_t *q = a + 6; q != a;) { --q; skipped += *q; }
    return (int)written * 100 + skipped;
}
)");
}

TEST(CMemory, CopiesAndComparisonsOfMemory) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
#include <string.h>
struct pair { char name[5]; short n; };
int f(struct pair a, struct pair *b, char text[8]) {
    struct pair c;
    memset(&c, 0x41, sizeof c);
    memcpy(c.name, a.name, 3);
    memmove(text + 1, text, 6);
    if (memcmp(text, b->name, 4) < 0) *b = c;
    return memcmp(a.name, b->name, 5) == 0 ? c.n : c.name[4];
}
)");
}

TEST(CMemory, GlobalsUnionsAndLaidOutBytes) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
#include <stdint.h>
static int counter = 5;
static int *where = &counter;
union both { uint32_t word; uint8_t bytes[4]; };
uint32_t f(uint32_t x, uint8_t i) {
    union both u;
    u.word = x;
    u.bytes[i & 3] = 0xee;
    *where += (int)(x & 3);
    uint8_t t = u.bytes[0];
    u.bytes[0] = u.bytes[3];
    u.bytes[3] = t;
    return u.word + (uint32_t)counter;
}
)");
}

TEST(CMemory, VariablesWithoutAValueAreZero) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled =
        compile_text("int f(int x) { int a[2]; int y; if (x > 5) y = x; a[0] = 3; return y + a[1]; }");
    EXPECT_EQ(run(compiled, {{"x", 3}}).at("result"), 0);
    EXPECT_EQ(run(compiled, {{"x", 9}}).at("result"), 9);
}

TEST(CArithmetic, DivisionAndRemainder) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
#include <stdint.h>
int32_t f(int16_t a, int16_t b, uint8_t c, uint8_t d) {
    int32_t r = 0;
    if (b != 0) r = a / b * 3 + a % b;
    if (d > 0) r ^= c / d + c % d;
    r += a / 7 - a % 10 + c / 16 + c % 6 + a / -4;
    return r;
}
)");
}

TEST(CArithmetic, DivisionByZeroHasOneValueAndAWarning) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text(
        "struct r { int q, m; unsigned uq, um; };\nstruct r f(int a, int b, unsigned c, unsigned d) {\n    "
        "struct r r;\n"
        "    r.q = a / b;\n    r.m = a % b;\n    r.uq = c / d;\n    r.um = c % d;\n    return r;\n}\n");
    EXPECT_GT(compiled.check.compared, 0U);
    EXPECT_GT(compiled.check.undefined, 0U);
    for (const char* line : {"test.c:4:13: ", "test.c:5:13: ", "test.c:6:14: ", "test.c:7:14: "})
        EXPECT_THAT(compiled.warnings, HasSubstr(line));
    EXPECT_EQ(run(compiled, {{"a", 7}, {"b", 0}, {"c", 7}, {"d", 0}}),
              (Numbers{{"result.q", -1}, {"result.m", 7}, {"result.uq", 0xffffffff}, {"result.um", 7}}));
    EXPECT_EQ(run(compiled, {{"a", -7}, {"b", 0}, {"c", 0}, {"d", 1}}).at("result.q"), 1);
    EXPECT_EQ(run(compiled, {{"a", INT32_MIN}, {"b", -1}, {"c", 9}, {"d", 4}}),
              (Numbers{{"result.q", INT32_MIN}, {"result.m", 0}, {"result.uq", 2}, {"result.um", 1}}));
}

TEST(CArithmetic, OverWideShiftsHaveOneValueAndAWarning) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text(
        "struct r { unsigned l, r; int a; };\nstruct r f(unsigned x, int y, unsigned char n) {\n"
        "    struct r r = {x << n, x >> n, y >> n};\n    return r;\n}\n");
    EXPECT_THAT(compiled.warnings, HasSubstr("test.c:3:21: the shift amount may be 32 or more"));
    EXPECT_GT(compiled.check.compared, 0U);
    EXPECT_GT(compiled.check.undefined, 0U);
    EXPECT_EQ(run(compiled, {{"x", 0xffffffff}, {"y", -5}, {"n", 33}}),
              (Numbers{{"result.l", 0}, {"result.r", 0}, {"result.a", -1}}));
    EXPECT_EQ(run(compiled, {{"x", 5}, {"y", -5}, {"n", 1}}),
              (Numbers{{"result.l", 10}, {"result.r", 2}, {"result.a", -3}}));
    agrees("unsigned f(unsigned x, unsigned char n) { return x << (n & 31) | x >> (-n & 31); }");
}

TEST(CArithmetic, BuiltIns) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
#include <stdint.h>
#include <stdlib.h>
struct r { int a, b, c, d; uint64_t e; uint16_t f; int8_t g; _Bool h; uint32_t i; int64_t j; };
struct r f(int x, int y, uint64_t z, uint16_t w, int8_t v) {
    struct r r = {0};
    r.a = abs(x % 1000);
    r.b = z == 0 ? 64 : __builtin_clzll(z);
    r.c = w == 0 ? 16 : __builtin_ctz(w);
    r.d = x > y ? x : y;
    r.e = __builtin_bswap64(z) ^ __builtin_bitreverse64(z);
    r.f = __builtin_rotateleft16(w, 5);
    int8_t t;
    r.h = __builtin_mul_overflow(v, (int8_t)3, &t);
    r.g = t;
    r.i = __builtin_elementwise_add_sat((uint32_t)x, (uint32_t)y);
    r.j = __builtin_elementwise_sub_sat((int64_t)z, (int64_t)x << 32) + __builtin_popcountll(z);
    return r;
}
)");
}

TEST(CArithmetic, WideAndOddIntegers) {
    TOROID_REQUIRE_CLANG();
    agrees(
        "unsigned long long f(unsigned long long a, unsigned long long b) { return "
        "(unsigned long long)(((unsigned __int128)a * b) >> 64); }");
    agrees(
        "_BitInt(19) f(_BitInt(19) a, const unsigned _BitInt(5) b[2], _BitInt(19) *c) { *c = a * b[1]; "
        "return a / 3 - "
        "b[0]; }");
}

TEST(CCalls, HelpersPointersToFunctionsAndTemplates) {
    TOROID_REQUIRE_CLANG();
    agrees(R"(
__attribute__((noinline)) static int twice(int x) { if (x > 10) return 2 * x; return x + x + 1; }
__attribute__((noinline)) static void add(int *to, int by) { *to += by; }
static int less(int a, int b) { return a < b; }
static int more(int a, int b) { return a > b; }
static int pick(int (*better)(int, int), int a, int b) { return better(a, b) ? a : b; }
struct big { int v[6]; };
__attribute__((noinline)) static int sum(struct big b) { int s = 0; for (int i = 0; i < 6; i++) { s += b.v[i]; b.v[i] = 0; } return s; }
int f(int a, int b) {
    int r = twice(a);
    if (b > 0) add(&r, twice(b));
    struct big g = {{a, b, r, 1, 2, 3}};
    return pick(less, r, a) + pick(more, b, r) + sum(g) + g.v[1];
}
)");
    agrees(R"(#include <algorithm>
#include <array>
#include <utility>
template <int n> struct Power { static constexpr int of(int x) { return x * Power<n - 1>::of(x); } };
template <> struct Power<0> { static constexpr int of(int) { return 1; } };
class Counter {
 public:
    explicit Counter(int start) : value_(start) {}
    Counter& operator+=(int by) { value_ += by; return *this; }
    int value() const { return value_; }
 private:
    int value_;
};
int f(int a, int b) {
    Counter counter(a);
    if (a > b) std::swap(a, b);
    auto add = [&](int x) { counter += std::max(x, b); };
    add(Power<3>::of(b));
    std::array<int, 3> list{a, b, counter.value()};
    for (auto& one : list) one = std::clamp(one, -100, 100);
    auto [first, second] = std::pair(list[0], list[2]);
    return first - second + *std::max_element(list.begin(), list.end());
}
)",
           "test.cpp");
}

TEST(CRefusals, NameThePlace) {
    TOROID_REQUIRE_CLANG();
    const auto says = [](const std::string& text, const std::string& place, const std::string& part,
                         const std::string& name = "test.c") {
        const std::string message = refusal(text, {}, name);
        EXPECT_THAT(message, HasSubstr(place)) << text;
        EXPECT_THAT(message, HasSubstr(part)) << text;
    };
    says(
        "static int g(int x);\n__attribute__((noinline)) static int h(int x) { return x > 0 ? g(x - 1) : 0; "
        "}\n"
        "__attribute__((noinline)) static int g(int x) { return h(x / 2) + 1; }\nint f(int x) { return g(x); "
        "}\n",
        "test.c:", "recursion: ");
    says("int f(int x) {\n  return x > 1 ? x * f(x - 1) : 1;\n}\n", "test.c:2:22", "recursion: 'f'");
    says("int f(int x) {\n  for (;;)\n    x++;\n}\n", "test.c:2:3", "does not end");
    says("#include <stdlib.h>\nint f(int x) {\n  int *p = malloc(4);\n  *p = x;\n  return *p;\n}\n",
         "test.c:3:12", "heap");
    says("int f(int x) {\n  int *p = new int(x);\n  return *p;\n}\n", "test.cpp:2:12", "heap", "test.cpp");
    says("#include <stdio.h>\nint f(int x) {\n  printf(\"%d\", x);\n  return x;\n}\n", "test.c:3:3",
         "output");
    says("#include <iostream>\nint f(int x) {\n  std::cout << x;\n  return x;\n}\n", "test.cpp:3:", "output",
         "test.cpp");
    says("int f(int x) {\n  __asm__(\"\" : \"+r\"(x));\n  return x;\n}\n", "test.c:2:3", "assembly");
    says("int g(int);\nint f(int x) {\n  return g(x);\n}\n", "test.c:3:10",
         "'g' is called, but its source is not given");
    says("int f(int x) {\n  volatile int y = x;\n  return y;\n}\n", "test.c:2:", "volatile");
    says(
        "int f(unsigned char n) {\n  int a[n + 1];\n  for (int i = 0; i <= n; i++) a[i] = i;\n  return a[n / "
        "2];\n}\n",
        "test.c:2:3", "variable length");
    says("int f(int x) {\n  return x * 1.5;\n}\n", "test.c:2:", "floating point");
    says("int f(int x) {\n  return x +;\n}\n", "test.c:2:13", "expected expression");
    says("extern int g;\nint f(int x) {\n  return x + g;\n}\n", "test.c:3:14",
         "'g' is declared but nowhere defined");
    says("int f(const int a[3], int x) {\n  const int *p = a;\n  return p[3] + x;\n}\n", "test.c:3:10",
         "outside its 12 bytes");
    says("int f(int x) {\n  int *p = 0;\n  return *p + x;\n}\n", "test.c:3:", "null pointer");
    says(
        "#include <string.h>\nint f(char a[8], unsigned char n) {\n  memset(a, 0, n & 7);\n  return "
        "a[0];\n}\n",
        "test.c:3:3", "number of bytes depends");
    says(
        "typedef int v4 __attribute__((vector_size(16)));\nint f(int x, int n) {\n  v4 v = {x, x, 1, 2};\n"
        "  return (v * v)[n & 3];\n}\n",
        "test.c:", "vector");
    says("int f(int x) {\n  static _Atomic int a;\n  return __atomic_fetch_add(&a, x, 5);\n}\n",
         "test.c:3:", "atomic");
    says(
        "int f(int n, int x) {\n  static void *to[2] = {&&a, &&b};\n  goto *to[n & 1];\na: return x;\nb: "
        "return -x;\n}\n",
        "test.c:", "not supported");
    says(
        "int f(unsigned n, int x) {\n  if (n > 3) goto in;\n  while (x > 0) {\n    x -= 3;\nin: x--;\n    "
        "n++;\n  }\n  return x;\n}\n",
        "test.c:", "loop");
}

TEST(CRefusals, PathsThatMayLeaveAnObjectAreWarnedAbout) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled =
        compile_text("int f(int a[2], int x) {\n  if (x > 7)\n    a[5] = x;\n  return a[1];\n}\n");
    EXPECT_THAT(compiled.warnings, HasSubstr("test.c:3:10: 'a' is written outside its 8 bytes on some path"));
}

TEST(CRefusals, LimitsEndTheWork) {
    TOROID_REQUIRE_CLANG();
    const std::string heavy =
        "unsigned f(unsigned x) {\n  for (unsigned i = 0; i < 4000000; i++) x = x * 3 + i;\n  return x;\n}\n";
    COptions options;
    options.step_limit = 100000;
    EXPECT_THAT(refusal(heavy, options),
                HasSubstr("test.c:1: compiling stopped in function 'f' at the limit of 100000 "
                          "executed instructions"));
    options = {};
    options.word_limit = 5000;
    EXPECT_THAT(refusal(heavy, options), HasSubstr("at the limit of 5000 words"));
    options = {};
    options.memory_limit_bytes = std::uint64_t{1} << 26;
    EXPECT_THAT(refusal("int f(int x) { return x; }", options), HasSubstr("64 MiB"));
    options = {};
    int calls = 0;
    options.checkpoint = [&calls] {
        if (++calls > 3) throw Error(ErrorKind::interrupted, "stopped by the test");
    };
    EXPECT_THAT(refusal(heavy, options, "test.c", ErrorKind::interrupted), HasSubstr("stopped by the test"));
}

TEST(CNativeCheck, FindsAWrongCircuit) {
    TOROID_REQUIRE_CLANG();
    const TemporaryFolder folder;
    COptions options;
    options.files = {folder.path() / "test.c"};
    std::ofstream(options.files[0]) << "int f(int a, signed char b) { return a + b; }\n";
    const CProgram program = read_c(options);
    circuit::Circuit circuit = lower(program.graph, program.name, {});
    circuit.outputs[0].bits[5] = !circuit.outputs[0].bits[5];
    try {
        (void)check_against_native(program, circuit, 16);
        ADD_FAILURE() << "a wrong circuit passed";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::circuit);
        EXPECT_THAT(error.what(),
                    HasSubstr("for a=0 b=0 output 'result' is 32 in the circuit and 0 natively"));
    }
}

TEST(CNativeCheck, LeavesOutWhatCDoesNotDefine) {
    TOROID_REQUIRE_CLANG();
    // Beyond the array on either side, and loops without an end.
    const Compiled compiled = compile_text("int f(const int a[4], signed char i) { return a[i]; }");
    EXPECT_GT(compiled.check.compared, 0U);
    EXPECT_GT(compiled.check.undefined, 0U);
    COptions options;
    options.loop_bound = 3;
    const Compiled endless =
        compile_text("int f(unsigned char x) { while (x & 1) {} return x; }", options, "test.c", 16);
    EXPECT_GT(endless.check.compared, 0U);
    EXPECT_GT(endless.check.undefined, 0U);
}

}  // namespace
}  // namespace toroid::compiler::tests
