// SPDX-License-Identifier: Apache-2.0
// Programs of tens of thousands of gates and more.
#include <chrono>

#include "compiler/c_support.hpp"

namespace toroid::compiler::tests {
namespace {

const std::filesystem::path folder = std::filesystem::path(TOROID_SOURCE_DIR) / "tests/programs";

TEST(HeavyPrograms, Sha256OfAKnownText) {
    TOROID_REQUIRE_CLANG();
    COptions options;
    options.files = {folder / "sha256.c"};
    const Compiled compiled = compile_files(options);
    EXPECT_EQ(compiled.check.compared, 64U);
    Numbers values;
    std::vector<std::int64_t> block(64);
    block[0] = 'a';
    block[1] = 'b';
    block[2] = 'c';
    block[3] = 0x80;
    block[63] = 24;
    put(values, "block", block);
    put(values, "state",
        {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19});
    EXPECT_THAT(elements(run(compiled, values), "state"),
                testing::ElementsAre(0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c,
                                     0xb410ff61, 0xf20015ad));
}

class HeavyAes : public testing::TestWithParam<const char*> {};

TEST_P(HeavyAes, GivesTheStandardsExample) {
    TOROID_REQUIRE_CLANG();
    COptions options;
    options.files = {folder / GetParam()};
    const Compiled compiled = compile_files(options);
    EXPECT_EQ(compiled.check.compared, 64U);
    Numbers values;
    std::vector<std::int64_t> key;
    std::vector<std::int64_t> plain;
    for (std::int64_t i = 0; i < 16; ++i) {
        key.push_back(i);
        plain.push_back(17 * i);
    }
    put(values, "key", key);
    put(values, "plain", plain);
    EXPECT_THAT(elements(run(compiled, values), "cipher"),
                testing::ElementsAre(0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80,
                                     0x70, 0xb4, 0xc5, 0x5a));
}

INSTANTIATE_TEST_SUITE_P(All, HeavyAes, testing::Values("aes128.c", "aes128_logic.c"));

TEST(HeavyPrograms, MatrixProductOfAMillionGatesInAMinute) {
    TOROID_REQUIRE_CLANG();
    const auto start = std::chrono::steady_clock::now();
    const Compiled compiled = compile_text(R"(#include <stdint.h>
void product(const int16_t a[10][10], const int16_t b[10][10], int32_t c[10][10]) {
    for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) {
        int32_t sum = 0;
        for (int k = 0; k < 10; k++) sum += a[i][k] * b[k][j];
        c[i][j] = sum;
    }
}
)");
    EXPECT_EQ(compiled.check.compared, 64U);
    EXPECT_LE(compiled.circuit.bootstraps(), 1'240'000U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace toroid::compiler::tests
