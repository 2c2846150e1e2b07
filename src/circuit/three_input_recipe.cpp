// SPDX-License-Identifier: Apache-2.0
#include "circuit/three_input_recipe.hpp"

#include <vector>

#include "circuit/affine_normal_form.hpp"

namespace toroid::circuit {
namespace {

constexpr std::array<std::uint8_t, 3> input_tables = {0xaa, 0xcc, 0xf0};

using Recipes = std::array<ThreeInputRecipe, 256>;

/// Tries one choice of operands (by table) as AND, XOR, MAJ3, XOR3 with every sign and offset.
class Search {
 public:
    explicit Search(Recipes& recipes) : recipes_(recipes) {}

    void try_operands(const ThreeInputRecipe& operands) {
        const auto count = [](const auto& weights) {
            int sum = 0;
            for (const int weight : weights) sum += weight != 0 ? 1 : 0;
            return sum;
        };
        const int size = count(operands.inner_weights) + count(operands.input_weights);
        if (size < 1 || size > 3) return;
        for (unsigned signs = 0; signs < 1U << size; ++signs) {
            for (const int magnitude : {1, 2}) {
                for (int offset = -3; offset <= 4; ++offset) try_gate(operands, signs, magnitude, offset);
            }
        }
    }

 private:
    void try_gate(ThreeInputRecipe made, unsigned signs, int magnitude, int offset) {
        made.bootstraps = 1;
        made.offset = offset;
        unsigned next = 0;
        const auto set = [&](int& weight) {
            if (weight != 0) weight = (signs >> next++ & 1) != 0 ? -magnitude : magnitude;
        };
        for (int& weight : made.inner_weights) {
            made.bootstraps += weight != 0 ? 1 : 0;
            set(weight);
        }
        for (int& weight : made.input_weights) set(weight);
        unsigned table = 0;
        for (unsigned index = 0; index < 8; ++index) {
            int phase = offset;
            for (std::size_t i = 0; i < 2; ++i) {
                phase +=
                    (made.inner_tables[i] >> index & 1) != 0 ? made.inner_weights[i] : -made.inner_weights[i];
            }
            for (std::size_t i = 0; i < 3; ++i) {
                phase += (input_tables[i] >> index & 1) != 0 ? made.input_weights[i] : -made.input_weights[i];
            }
            // Operands need not be independent, but the builder takes them so: odd phases, or even ones for a
            // parity.
            const int reduced = reduce_eighths(phase);
            if (reduced % 4 == 0 || (magnitude == 1 && reduced % 2 == 0)) return;
            if (reduced > 0) table |= 1U << index;
        }
        if (made.bootstraps < recipes_[table].bootstraps) recipes_[table] = made;
    }

    Recipes& recipes_;
};

Recipes search() {
    Recipes recipes;
    Search single(recipes);
    const auto with_inputs = [](ThreeInputRecipe base, unsigned subset) {
        for (unsigned i = 0; i < 3; ++i) base.input_weights[i] = (subset >> i & 1) != 0 ? 1 : 0;
        return base;
    };
    for (unsigned subset = 1; subset < 8; ++subset) single.try_operands(with_inputs({}, subset));
    std::vector<std::uint8_t> inner;  // one of each function and its negation
    for (unsigned table = 0; table < 128; ++table) {
        if (recipes[table].bootstraps == 1) inner.push_back(static_cast<std::uint8_t>(table));
    }
    for (std::size_t a = 0; a < inner.size(); ++a) {
        for (std::size_t b = a; b < inner.size(); ++b) {
            ThreeInputRecipe base;
            base.inner_tables = {inner[a], inner[b]};
            base.inner_weights = {1, a == b ? 0 : 1};
            for (unsigned subset = 0; subset < 8; ++subset) single.try_operands(with_inputs(base, subset));
        }
    }
    return recipes;
}

}  // namespace

const ThreeInputRecipe& three_input_recipe(std::uint64_t table) {
    static const Recipes recipes = search();
    return recipes.at(table);
}

}  // namespace toroid::circuit
