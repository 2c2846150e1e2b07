// SPDX-License-Identifier: Apache-2.0
// Programs of the kind that people bring (tests/programs): each compiled, and its circuit compared with the
// same source compiled for this machine; some also with values that neither computed.
#include <filesystem>

#include "compiler/c_support.hpp"

namespace toroid::compiler::tests {
namespace {

const std::filesystem::path folder = std::filesystem::path(TOROID_SOURCE_DIR) / "tests/programs";

class CPrograms : public testing::TestWithParam<const char*> {};

TEST_P(CPrograms, AgreeWithNativeCode) {
    TOROID_REQUIRE_CLANG();
    COptions options;
    options.files = {folder / GetParam()};
    const Compiled compiled = compile_files(options, 128);
    EXPECT_GE(compiled.check.compared, 120U);
    EXPECT_EQ(compiled.warnings, "");
    EXPECT_FALSE(compiled.circuit.outputs.empty());
}

INSTANTIATE_TEST_SUITE_P(All, CPrograms,
                         testing::Values("auction.c", "base64.c", "binary_search.c", "bit_permutation.cpp",
                                         "bloom.c", "bubble_sort.c", "crc32.c", "crc32_table.c", "date.c",
                                         "decision_tree.cpp", "edit_distance.cpp", "fixed_point_filter.c",
                                         "gcd.c", "histogram.c", "image_filter.c", "insertion_sort.c",
                                         "isqrt.c", "kmeans_step.c", "levenshtein_bounded.c",
                                         "linked_table.c", "luhn.c", "matrix_product.c", "neural_net.cpp",
                                         "popcount_tricks.c", "private_comparison.c", "run_length.c",
                                         "saturating.c", "state_machine.c", "string_match.c"),
                         [](const auto& info) {
                             std::string name = info.param;
                             name.resize(name.find('.'));
                             return name;
                         });

Numbers results(const std::string& file, const Numbers& values) {
    COptions options;
    options.files = {folder / file};
    return run(compile_files(options, 0), values);
}

TEST(CProgramValues, Crc32OfAKnownText) {
    TOROID_REQUIRE_CLANG();
    Numbers values;
    put(values, "data", {'1', '2', '3', '4', '5', '6', '7', '8'});
    EXPECT_EQ(results("crc32.c", values).at("result"), 0x9ae0daaf);
}

TEST(CProgramValues, Sorting) {
    TOROID_REQUIRE_CLANG();
    Numbers values;
    put(values, "values", {200, 3, 3, 255, 0, 17, 128, 127});
    EXPECT_THAT(elements(results("bubble_sort.c", values), "values"),
                testing::ElementsAre(0, 3, 3, 17, 127, 128, 200, 255));
    put(values, "values", {5, -7, 32767, -32768, 0, 5});
    EXPECT_THAT(elements(results("insertion_sort.c", values), "values"),
                testing::ElementsAre(-32768, -7, 0, 5, 5, 32767));
}

TEST(CProgramValues, BoundedLoops) {
    TOROID_REQUIRE_CLANG();
    EXPECT_EQ(results("gcd.c", {{"a", 233}, {"b", 144}}), (Numbers{{"loop_bound_hit", 0}, {"result", 1}}));
    EXPECT_EQ(results("gcd.c", {{"a", 144}, {"b", 60}}).at("result"), 12);
    Numbers values{{"key", 30}};
    put(values, "table", {1, 2, 3, 5, 8, 13, 20, 21, 30, 34, 40, 55, 60, 70, 80, 90});
    EXPECT_EQ(results("binary_search.c", values), (Numbers{{"loop_bound_hit", 0}, {"result", 8}}));
    values["key"] = 31;
    EXPECT_EQ(results("binary_search.c", values).at("result"), -1);
}

TEST(CProgramValues, TextAndDates) {
    TOROID_REQUIRE_CLANG();
    Numbers text;
    put(text, "data", {'T', 'o', 'r', 'o', 'i', 'd'});
    EXPECT_THAT(elements(results("base64.c", text), "text"),
                testing::ElementsAre('V', 'G', '9', 'y', 'b', '2', 'l', 'k'));
    // 29 February 2024 was a Thursday, 8766 days after 29 February 2000.
    const Numbers day = results("date.c", {{"year", 2024}, {"month", 2}, {"day_of_month", 29}});
    EXPECT_EQ(day.at("result.number"), 8765);
    EXPECT_EQ(day.at("result.leap"), 1);
    EXPECT_EQ(results("date.c", {{"year", 2000}, {"month", 3}, {"day_of_month", 1}}),
              (Numbers{{"result.number", 0}, {"result.weekday", 3}, {"result.leap", 1}}));
    Numbers words;
    put(words, "a", {'s', 'i', 't', 'e', 'n'});
    put(words, "b", {'s', 'i', 't', 't', 'i'});
    EXPECT_EQ(results("edit_distance.cpp", words).at("result"), 2);
}

}  // namespace
}  // namespace toroid::compiler::tests
