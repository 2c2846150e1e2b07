// SPDX-License-Identifier: Apache-2.0
#include "backend/key_switch_body.hpp"

#include <gtest/gtest.h>

namespace toroid::backend {
namespace {

constexpr math::KeyMean no_mean{0, 1};
constexpr math::KeyMean half{1, 2};

TEST(KeySwitchBody, RoundsToTheNearestWithTiesUp) {
    EXPECT_EQ(key_switch_body(0x12347FFF, 0, no_mean, 16), 0x1234U);
    EXPECT_EQ(key_switch_body(0x12348000, 0, no_mean, 16), 0x1235U);
    EXPECT_EQ(key_switch_body(0xFFFF8000, 0, no_mean, 16), 0U);
    EXPECT_EQ(key_switch_body(0xFFFF8001, 12345, no_mean, 32), 0xFFFF8001U);
}

TEST(KeySwitchBody, SubtractsTheMeanOfTheRoundingErrors) {
    EXPECT_EQ(key_switch_body(100, 8, half, 32), 96U);
    EXPECT_EQ(key_switch_body(100, 7, half, 32), 96U);    // 3.5 rounds up to 4
    EXPECT_EQ(key_switch_body(100, -7, half, 32), 103U);  // -3.5 rounds up to -3
    EXPECT_EQ(key_switch_body(1, 4, half, 32), 0xFFFFFFFFU);
    EXPECT_EQ(key_switch_body(0x12350000, 2 * 0x8000, half, 16), 0x1235U);
    EXPECT_EQ(key_switch_body(0x12350000, 2 * 0x8001, half, 16), 0x1234U);
}

}  // namespace
}  // namespace toroid::backend
