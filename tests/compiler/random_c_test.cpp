// SPDX-License-Identifier: Apache-2.0
// Random C programs: each circuit against native code. A few here, many in random_c_programs.cpp.
#include "compiler/random_c_support.hpp"

namespace toroid::compiler::tests {
namespace {

TEST(RandomC, TheSameSeedGivesTheSameProgram) {
    EXPECT_EQ(RandomCProgram(7).text(), RandomCProgram(7).text());
    EXPECT_NE(RandomCProgram(7).text(), RandomCProgram(8).text());
}

TEST(RandomC, TenProgramsAgreeWithNativeCode) {
    TOROID_REQUIRE_CLANG();
    for (std::uint64_t seed = 0; seed < 10; ++seed) expect_random_program_agrees(seed, 16);
}

}  // namespace
}  // namespace toroid::compiler::tests
