// SPDX-License-Identifier: Apache-2.0
#include "math/decomposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "math/noise.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::math {
namespace {

std::int64_t signed_difference(Torus32 a, Torus32 b) {
    return static_cast<std::int32_t>(a - b);
}

/// All gadgets whose digits fill 30, 31 or 32 bits, and all of one level.
std::vector<Gadget> edge_gadgets() {
    std::vector<Gadget> gadgets;
    for (int base_log = 1; base_log <= 32; ++base_log) {
        for (int levels = 1; base_log * levels <= 32; ++levels) {
            if (levels == 1 || base_log * levels >= 30) gadgets.push_back({base_log, levels});
        }
    }
    return gadgets;
}

/// 0, 1, 2^31 +-1, 2^32 - 1, and each multiple of half a digit at each level that a few low bits reach, +-1.
std::vector<Torus32> edge_values(Gadget gadget) {
    std::vector<Torus32> values{0, 1, 0x7fffffffU, 0x80000000U, 0x80000001U, 0xffffffffU};
    for (int l = 1; l <= gadget.levels; ++l) {
        const Torus32 half_digit =
            static_cast<Torus32>(std::uint64_t{1} << (32 - l * gadget.base_log + gadget.base_log - 1));
        for (Torus32 multiple = 1; multiple <= 9; ++multiple) {
            for (const Torus32 around : {half_digit * multiple, 0U - half_digit * multiple}) {
                values.insert(values.end(), {around - 1, around, around + 1});
            }
        }
    }
    if (gadget.base_log * gadget.levels < 32) {
        const Torus32 half_last = Torus32{1} << (31 - gadget.base_log * gadget.levels);
        values.insert(values.end(),
                      {half_last - 1, half_last, half_last + 1, 0U - half_last, 0x80000000U - half_last});
    }
    return values;
}

using Rule = void (*)(Torus32, Gadget, std::span<std::int32_t>);

void expect_right(Rule rule, bool balanced, Gadget gadget, Torus32 value) {
    std::vector<std::int32_t> digits(static_cast<std::size_t>(gadget.levels));
    rule(value, gadget, digits);
    const std::int64_t half_base = std::int64_t{1} << (gadget.base_log - 1);
    const std::int64_t largest = balanced ? half_base : half_base - 1;
    for (const std::int32_t digit : digits) {
        ASSERT_TRUE(digit >= -half_base && digit <= largest)
            << "digit " << digit << " of " << value << " base_log " << gadget.base_log << " levels "
            << gadget.levels;
    }
    const int rest = 32 - gadget.base_log * gadget.levels;
    const std::int64_t bound = rest == 0 ? 0 : std::int64_t{1} << (rest - 1);
    ASSERT_LE(std::llabs(signed_difference(value, recompose(digits, gadget))), bound)
        << "value " << value << " base_log " << gadget.base_log << " levels " << gadget.levels;
}

TEST(Decomposition, EdgesOfEveryFullGadget) {
    for (const Gadget gadget : edge_gadgets()) {
        for (const Torus32 value : edge_values(gadget)) {
            expect_right(decompose, false, gadget, value);
            if (gadget.base_log < 32) expect_right(decompose_balanced, true, gadget, value);
        }
    }
}

TEST(Decomposition, MillionRandomValues) {
    auto random = tests::generator(1);
    const std::vector<Gadget> gadgets = edge_gadgets();
    for (int i = 0; i < 1'000'000; ++i) {
        const Gadget gadget = gadgets[static_cast<std::size_t>(i) % gadgets.size()];
        const auto value = static_cast<Torus32>(random());
        expect_right(decompose, false, gadget, value);
        if (gadget.base_log < 32) expect_right(decompose_balanced, true, gadget, value);
    }
}

TEST(Decomposition, FinalRoundingTiesGoUp) {
    std::vector<std::int32_t> digits(2);
    decompose(1U << 15, {8, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{0, 1}));
    decompose((1U << 15) - 1, {8, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{0, 0}));
    decompose_balanced(1U << 15, {8, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{0, 1}));
}

TEST(Decomposition, BalancedTieFollowsTheNextDigit) {
    std::vector<std::int32_t> digits(2);
    // Last digit exactly 2 of base 4: the next one's top bit decides.
    decompose_balanced(0b0110U << 28, {2, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{1, 2}));
    decompose_balanced(0b1110U << 28, {2, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{0, -2}));
    // Top digit exactly 2: the value's lowest bit decides.
    decompose_balanced(0b1000U << 28, {2, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{2, 0}));
    decompose_balanced((0b1000U << 28) | 1U, {2, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{-2, 0}));
    // A carry may make a digit a tie: 01 | 11 -> 10 | -1, and the top tie is resolved by the lowest bit.
    decompose_balanced(0b0111U << 28, {2, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{2, -1}));
    // The carry out of the top is dropped modulo 1.
    decompose_balanced(0xffffffffU, {2, 2}, digits);
    EXPECT_EQ(digits, (std::vector<std::int32_t>{0, 0}));
}

/// Mean and mean square of every level's digits over random values.
struct Moments {
    std::vector<double> mean, square;
};
Moments digit_moments(Rule rule, Gadget gadget, int count) {
    auto random = tests::generator(2);
    Moments moments{std::vector<double>(static_cast<std::size_t>(gadget.levels)),
                    std::vector<double>(static_cast<std::size_t>(gadget.levels))};
    std::vector<std::int32_t> digits(static_cast<std::size_t>(gadget.levels));
    for (int i = 0; i < count; ++i) {
        rule(static_cast<Torus32>(random()), gadget, digits);
        for (std::size_t l = 0; l < digits.size(); ++l) {
            moments.mean[l] += digits[l] / static_cast<double>(count);
            moments.square[l] += static_cast<double>(digits[l]) * digits[l] / count;
        }
    }
    return moments;
}

TEST(Decomposition, BalancedDigitsHaveMeanZeroAndTheFormulasVariance) {
    constexpr int count = 1'000'000;
    for (const Gadget gadget : {Gadget{2, 6}, Gadget{2, 7}, Gadget{3, 5}, Gadget{4, 4}, Gadget{1, 16}}) {
        const Moments moments = digit_moments(decompose_balanced, gadget, count);
        const double expected = balanced_digit_variance(gadget.base_log);
        double average = 0;
        for (std::size_t l = 0; l < moments.mean.size(); ++l) {
            EXPECT_NEAR(moments.mean[l], 0, 6 * std::sqrt(expected / count))
                << "base_log " << gadget.base_log << " level " << l + 1;
            average += moments.square[l] / static_cast<double>(gadget.levels);
        }
        // The last digit has not reached the stationary law of the formula: 1/(B+1) of it at most.
        EXPECT_NEAR(average, expected, 0.06 * expected) << "base_log " << gadget.base_log;
        EXPECT_NEAR(moments.square[1], expected, 0.01 * expected) << "base_log " << gadget.base_log;
    }
}

TEST(Decomposition, PlainDigitsHaveMeanMinusOneHalf) {
    const Moments moments = digit_moments(decompose, {2, 6}, 1'000'000);
    for (std::size_t l = 0; l < 6; ++l) {
        EXPECT_NEAR(moments.mean[l], -0.5, 0.01);
        EXPECT_NEAR(moments.square[l], digit_variance(2), 0.01);
    }
}

TEST(Decomposition, RefusesImpossibleGadgets) {
    EXPECT_EQ(gadget_refusal({8, 4}), "");
    for (const Gadget gadget : {Gadget{0, 1}, Gadget{1, 0}, Gadget{33, 1}, Gadget{1, 33}, Gadget{11, 3},
                                Gadget{-1, -1}, Gadget{65536, 65536}}) {
        EXPECT_NE(gadget_refusal(gadget), "") << gadget.base_log << " x " << gadget.levels;
        std::vector<std::int32_t> digits(static_cast<std::size_t>(std::max(gadget.levels, 0) % 64));
        EXPECT_THROW(decompose(0, gadget, digits), Error);
        EXPECT_THROW(decompose_balanced(0, gadget, digits), Error);
    }
    std::vector<std::int32_t> one(1);
    EXPECT_THROW(decompose_balanced(0, {32, 1}, one), Error);
    EXPECT_THROW(decompose(0, {8, 2}, one), Error);
}

}  // namespace
}  // namespace toroid::math
