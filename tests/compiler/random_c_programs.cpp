// SPDX-License-Identifier: Apache-2.0
// Many random C programs against native code; seeds of their own each time, printed, or chosen by --seed.
#include "compiler/random_c_support.hpp"
#include "support/seed.hpp"

namespace toroid::compiler::tests {
namespace {

TEST(RandomCPrograms, AgreeWithNativeCode) {
    TOROID_REQUIRE_CLANG();
    std::mt19937_64 seeds = toroid::tests::generator();
    for (int program = 0; program < 300; ++program) expect_random_program_agrees(seeds(), 48);
}

}  // namespace
}  // namespace toroid::compiler::tests
