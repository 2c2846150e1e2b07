// SPDX-License-Identifier: Apache-2.0
// Which loops end by themselves: words are as narrow as the path to them says.
#include "compiler/c/path_bounds.hpp"
#include "compiler/c_support.hpp"

namespace toroid::compiler::tests {
namespace {

using testing::HasSubstr;

// Compiles without a bound and compares with native code.
class LoopsThatEnd : public testing::TestWithParam<const char*> {};

TEST_P(LoopsThatEnd, NeedNoBound) {
    TOROID_REQUIRE_CLANG();
    const Compiled compiled = compile_text(GetParam(), {}, "test.c", 32);
    EXPECT_EQ(compiled.check.compared, 32U);
    EXPECT_EQ(compiled.warnings, "");
    EXPECT_EQ(outputs(compiled).find("loop_bound_hit"), std::string::npos);
    // Had the loop not ended where it should, there would be a copy of its body for each of 4096 rounds.
    EXPECT_LT(compiled.circuit.bootstraps(), 20'000U);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, LoopsThatEnd,
    testing::Values(
        // A count down of a masked value, tested before, after and between.
        "unsigned f(unsigned n, unsigned x) { n &= 15; while (n--) x = x * 3 + n; return x; }",
        "int f(int n, int x) { n = (n & 7) + 1; do x ^= x << n; while (--n); return x; }",
        "int f(int n, int x) { n &= 15; while (n > 0) { x += n; n -= 3; } return x; }",
        "int f(unsigned char n, int x) { n &= 31; for (;;) { if (n == 0) break; n--; x += n * n; } return x; "
        "}",
        // A count up to a value that a mask, remainder or clamp has made small.
        "int f(int n, int x) { n &= 15; for (int i = 0; i < n; ++i) x += x ^ i; return x; }",
        "unsigned f(unsigned n, unsigned x) { n %= 10; for (unsigned i = 0; i < n; ++i) x += x ^ i; return "
        "x; }",
        "unsigned f(unsigned a, unsigned c, unsigned x) { unsigned n = (a * c + 2) & 3; while (n--) x = x * "
        "3 + n;"
        "  return x; }",
        "unsigned f(unsigned n, unsigned x) { n = (n & 15) ^ 5; while (n) { n &= n - 1; x *= 3; } return x; "
        "}",
        // Going back in two ways: LLVM would make two loops of it.
        "int f(unsigned n, int x) { n &= 7; while (n--) { if (x & 1) { x = 3 * x + 1; continue; } x >>= 1; }"
        "  return x; }",
        "int f(int n, int x) { n %= 10; for (int i = 0; i < n; ++i) x += x ^ i; return x; }",
        "unsigned f(unsigned n, unsigned x) { if (n > 16) n = 16;"
        "  for (unsigned i = 0; i < n; ++i) x += x ^ i; return x; }",
        "int f(int n, int x) { if (n > 16) n = 16; for (int i = 0; i < n; ++i) x += x ^ i; return x; }",
        "long f(int n, long x) { n = n < 0 ? 0 : n > 12 ? 12 : n; while (n != 0) { x = x * 5 + n; --n; }"
        "  return x; }",
        "int f(unsigned char n, const int a[10]) { if (n > 10) n = 10; int s = 0;"
        "  for (int i = 0; i < n; ++i) s += a[i]; return s; }",
        // A value that an earlier return has made small.
        "int f(int n, int x) { if (n > 16) return -1; for (int i = 0; i < n; ++i) x += x ^ i; return x; }",
        "int f(unsigned n, int x) { if (n >= 10 || x < 0) return -1; x &= 255;"
        "  while (n != 0) { n--; x += x >> 1; } return x; }",
        "static int step(int n, int x) { while (n > 0) { n -= 2; x += n; } return x; }\n"
        "int f(int n, int x) { if (n > 20) return 0; return step(n, x); }",
        // From an encrypted start, backwards, and over a value that halves.
        "int f(unsigned char from, int n, int x) { from &= 7; if (n > 12) return 0;"
        "  for (int i = from; i < n; i++) x = x * 3 + i; return x; }",
        "int f(int n, int x) { if (n > 9 || n < -9) return 0; for (int i = n; i > -10; i -= 2) x += x ^ i;"
        "  return x; }",
        "int f(unsigned n) { int c = 0; n &= 255; while (n > 1) { n /= 2; c++; } return c; }"));

class LoopsThatDoNot : public testing::TestWithParam<const char*> {};

TEST_P(LoopsThatDoNot, NeedABound) {
    TOROID_REQUIRE_CLANG();
    EXPECT_THAT(refusal(GetParam()), HasSubstr("--loop-bound"));
    COptions options;
    options.loop_bound = 6;
    // Few vectors: native loops may go on until they are stopped.
    const Compiled compiled = compile_text(GetParam(), options, "test.c", 6);
    EXPECT_THAT(outputs(compiled), HasSubstr("loop_bound_hit:1"));
    EXPECT_GT(compiled.check.compared, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, LoopsThatDoNot,
    testing::Values(
        "unsigned f(unsigned n, unsigned x) { while (n--) x += n & 3; return x; }",
        // A lower end does not bound a count up.
        "int f(int n, int x) { if (n < 16) return -1; for (int i = 0; i < n; ++i) x += i; return x; }",
        // Small on one path only.
        "unsigned f(unsigned n, int c) { if (c) n &= 15; unsigned x = 0;"
        "  for (unsigned i = 0; i < n; ++i) x += i ^ n; return x; }",
        "unsigned f(unsigned n) { unsigned c = 0; while (n > 1) {"
        "  n = n % 2 ? 3 * n + 1 : n / 2; c++; } return c; }"));

TEST(CMemoryPaths, AnIndexIsAsNarrowAsItsPath) {
    TOROID_REQUIRE_CLANG();
    const std::string open = "int f(unsigned char i, const int a[64]) { return a[i & 63]; }";
    const std::string guarded = "int f(unsigned char i, const int a[64]) { return i < 8 ? a[i & 63] : 0; }";
    const Compiled all = compile_text(open);
    const Compiled few = compile_text(guarded);
    EXPECT_EQ(few.check.compared, 64U);
    EXPECT_LT(4 * few.circuit.bootstraps(), all.circuit.bootstraps());
}

class PathBoundsTest : public testing::Test {
 protected:
    void path(std::initializer_list<Condition> conditions) { bounds_.set_path(Path(conditions)); }
    [[nodiscard]] Word number(std::uint64_t value) { return graph_.constant(value, 8); }
    std::pair<std::uint64_t, std::uint64_t> of(Word word) {
        const Bounds bounds = bounds_.of(word);
        return {bounds.unsigned_low, bounds.unsigned_high};
    }
    std::pair<std::int64_t, std::int64_t> signed_of(Word word) {
        const Bounds bounds = bounds_.of(word);
        return {bounds.signed_low, bounds.signed_high};
    }
    using Unsigned = std::pair<std::uint64_t, std::uint64_t>;
    using Signed = std::pair<std::int64_t, std::int64_t>;

    WordGraph graph_;
    PathBounds bounds_{graph_};
    Word x_ = graph_.input("x", 8, false);
    Word y_ = graph_.input("y", 8, false);
};

TEST_F(PathBoundsTest, FactsComeAndGoWithThePath) {
    const Condition below{graph_.unsigned_less(x_, number(10)), false};
    const Condition above{graph_.unsigned_less(number(3), x_), false};
    path({below});
    EXPECT_EQ(of(x_), Unsigned(0, 9));
    EXPECT_TRUE(bounds_.excludes({graph_.equal(x_, number(12)), false}));
    path({below, above});
    EXPECT_EQ(of(x_), Unsigned(4, 9));
    EXPECT_EQ(of(graph_.add(x_, number(1))), Unsigned(5, 10));
    EXPECT_EQ(of(graph_.zero_extend(x_, 20)), Unsigned(4, 9));
    path({!below});
    EXPECT_EQ(of(x_), Unsigned(10, 255));
    EXPECT_FALSE(bounds_.excludes({graph_.equal(x_, number(12)), false}));
    path({});
    EXPECT_EQ(of(x_), Unsigned(0, 255));
}

TEST_F(PathBoundsTest, SumsPassFactsOnUnlessTheyWrapAround) {
    const Word sum = graph_.add(x_, number(0xf0));
    path({{graph_.unsigned_less(sum, number(8)), false}});
    EXPECT_EQ(of(x_), Unsigned(16, 23));
    // x + 240 >= 8 leaves 0..15 and 24..255.
    path({{graph_.unsigned_less(sum, number(8)), true}});
    EXPECT_EQ(of(x_), Unsigned(0, 255));
    path({{graph_.signed_less(sum, number(0)), false}});
    EXPECT_EQ(signed_of(x_), Signed(-112, 15));
}

TEST_F(PathBoundsTest, ConjunctionsInversesAndOtherWords) {
    // Either part may stand first.
    const Word less = graph_.unsigned_less(x_, y_);
    const Word both = graph_.bit_and(less, graph_.unsigned_less(y_, number(5)));
    path({{both, false}});
    EXPECT_EQ(of(y_), Unsigned(1, 4));
    EXPECT_EQ(of(x_), Unsigned(0, 3));
    const Word small = graph_.unsigned_less(x_, number(7));
    path({{graph_.bit_and(small, graph_.unsigned_less(y_, x_)), false}});
    EXPECT_EQ(of(x_), Unsigned(1, 6));
    EXPECT_EQ(of(y_), Unsigned(0, 5));
    // Of a conjunction that does not hold nothing is known.
    path({{both, true}});
    EXPECT_EQ(of(x_), Unsigned(0, 255));
    path({{graph_.unsigned_less(graph_.bit_not(x_), number(5)), false}});
    EXPECT_EQ(of(x_), Unsigned(251, 255));
    path({{graph_.equal(x_, number(0)), true},
          {graph_.equal(x_, number(1)), true},
          {graph_.equal(x_, number(7)), true},
          {graph_.equal(x_, number(255)), true}});
    EXPECT_EQ(of(x_), Unsigned(2, 254));
    EXPECT_EQ(bounds_.truth(graph_.unsigned_less(number(1), x_)), true);
    EXPECT_EQ(bounds_.truth(graph_.unsigned_less(number(2), x_)), std::nullopt);
}

// Every claim is checked against all values: whatever makes the path true must lie within the bounds.
TEST_F(PathBoundsTest, HoldForAllValuesOfEveryPath) {
    const auto value_of = [](std::uint32_t x) { return x & 0xff; };
    const auto as_signed = [](std::uint32_t x) { return static_cast<std::int8_t>(x & 0xff); };
    for (const std::uint32_t amount : {0U, 1U, 100U, 128U, 200U, 255U}) {
        const Word sum = graph_.add(x_, number(amount));
        const Word opposite = graph_.bit_not(sum);
        for (std::uint32_t limit = 0; limit < 256; limit += 15) {
            for (int kind = 0; kind < 6; ++kind) {
                const Word compared = kind % 2 == 0 ? sum : opposite;
                const Word condition = kind < 2   ? graph_.unsigned_less(compared, number(limit))
                                       : kind < 4 ? graph_.signed_less(compared, number(limit))
                                                  : graph_.equal(compared, number(limit));
                for (const bool inverted : {false, true}) {
                    path({{condition, inverted}});
                    const Bounds found = bounds_.of(x_);
                    for (std::uint32_t x = 0; x < 256; ++x) {
                        const std::uint32_t s = value_of(kind % 2 == 0 ? x + amount : ~(x + amount));
                        const bool holds = kind < 2   ? s < limit
                                           : kind < 4 ? as_signed(s) < as_signed(limit)
                                                      : s == limit;
                        if (holds == inverted) continue;
                        ASSERT_TRUE(x >= found.unsigned_low && x <= found.unsigned_high &&
                                    as_signed(x) >= found.signed_low && as_signed(x) <= found.signed_high)
                            << "amount " << amount << " limit " << limit << " kind " << kind << " x " << x;
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace toroid::compiler::tests
