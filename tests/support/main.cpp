// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "support/seed.hpp"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::uint64_t seed = std::random_device{}();
    if (const char* text = std::getenv("TOROID_TEST_SEED")) seed = std::strtoull(text, nullptr, 0);
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string_view(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 0);
    }
    toroid::tests::set_seed(seed);
    std::printf("seed %llu (replay with --seed or TOROID_TEST_SEED)\n", static_cast<unsigned long long>(seed));
    return RUN_ALL_TESTS();
}
