// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace toroid::circuit {

/// A function of three inputs from at most three gates of weight norm <= 3:
/// sign(sum inner_weight f_inner + sum input_weight x + offset), where the inner functions are one gate each.
struct ThreeInputRecipe {
    int bootstraps = 100;  ///< 100: none found
    std::array<std::uint8_t, 2> inner_tables{};
    std::array<int, 2> inner_weights{};  ///< 0 = not used
    std::array<int, 3> input_weights{};
    int offset = 0;
};

/// The cheapest recipe for a table (bit i = value at input index i), found by exhaustive search on first use.
[[nodiscard]] const ThreeInputRecipe& three_input_recipe(std::uint64_t table);

}  // namespace toroid::circuit
