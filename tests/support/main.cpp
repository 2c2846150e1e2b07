// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "support/seed.hpp"

/// Exit status that CTest takes for a skip (SKIP_RETURN_CODE of toroid_test).
constexpr int skipped = 77;

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::uint64_t seed = std::random_device{}();
    if (const char* text = std::getenv("TOROID_TEST_SEED")) seed = std::strtoull(text, nullptr, 0);
    bool ctest_entry = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--seed" && i + 1 < argc) seed = std::strtoull(argv[++i], nullptr, 0);
        if (argument == "--ctest-entry") ctest_entry = true;
    }
    toroid::tests::set_seed(seed);
    std::printf("seed %llu (replay with --seed or TOROID_TEST_SEED)\n",
                static_cast<unsigned long long>(seed));
    const int result = RUN_ALL_TESTS();
    if (!ctest_entry) return result;
    const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
    if (tests.test_to_run_count() == 0) {
        std::fputs("no test matches the filter of this CTest entry\n", stderr);
        return 1;
    }
    // An entry whose tests were all skipped must not count as passed.
    const bool all_skipped = tests.skipped_test_count() == tests.test_to_run_count();
    return result == 0 && all_skipped ? skipped : result;
}
