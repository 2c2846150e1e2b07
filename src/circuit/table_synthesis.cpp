// SPDX-License-Identifier: Apache-2.0
#include "circuit/table_synthesis.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "circuit/three_input_recipe.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

/// Bit i of a function of fewer than 6 variables is repeated through the whole word, so that words compare as
/// functions.
using Words = std::vector<std::uint64_t>;

constexpr std::array<std::uint64_t, 6> variable_mask = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                        0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                        0xffff0000ffff0000, 0xffffffff00000000};

struct Function {
    std::vector<Literal> inputs;
    Words bits;

    [[nodiscard]] bool is_constant(bool value) const {
        for (const std::uint64_t word : bits) {
            if (word != (value ? ~std::uint64_t{0} : 0)) return false;
        }
        return true;
    }
};

/// Calls use(word of the cofactor at 0, word of the cofactor at 1) over both halves; only the low bits chosen
/// by the mask count. Stops early when use returns false.
template <typename Use>
bool compare_halves(const Words& bits, std::size_t variable, Use use) {
    if (variable < 6) {
        const std::uint64_t mask = ~variable_mask[variable];
        const unsigned shift = 1U << variable;
        for (const std::uint64_t word : bits) {
            if (!use(word & mask, (word >> shift) & mask, mask)) return false;
        }
        return true;
    }
    const std::size_t stride = std::size_t{1} << (variable - 6);
    for (std::size_t block = 0; block < bits.size(); block += 2 * stride) {
        for (std::size_t i = block; i < block + stride; ++i) {
            if (!use(bits[i], bits[i + stride], ~std::uint64_t{0})) return false;
        }
    }
    return true;
}

bool bit_of(const Words& bits, std::size_t index) {
    return (bits[index / 64] >> (index % 64) & 1) != 0;
}

std::uint64_t repeated(std::uint64_t word, std::size_t variables) {
    for (std::size_t v = variables; v < 6; ++v) {
        const unsigned shift = 1U << v;
        word &= (std::uint64_t{1} << shift) - 1;
        word |= word << shift;
    }
    return word;
}

Function cofactor(const Function& function, std::size_t variable, bool value) {
    Function out;
    out.inputs = function.inputs;
    out.inputs.erase(out.inputs.begin() + static_cast<std::ptrdiff_t>(variable));
    const std::size_t variables = out.inputs.size();
    if (variable >= 6) {
        const std::size_t stride = std::size_t{1} << (variable - 6);
        for (std::size_t block = value ? stride : 0; block < function.bits.size(); block += 2 * stride) {
            const auto first = function.bits.begin() + static_cast<std::ptrdiff_t>(block);
            out.bits.insert(out.bits.end(), first, first + static_cast<std::ptrdiff_t>(stride));
        }
        return out;
    }
    const std::size_t size = std::size_t{1} << variables;
    out.bits.assign((size + 63) / 64, 0);
    const std::size_t low = (std::size_t{1} << variable) - 1;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t from = (i & ~low) << 1 | (value ? low + 1 : 0) | (i & low);
        if (bit_of(function.bits, from)) out.bits[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    if (variables < 6) out.bits[0] = repeated(out.bits[0], variables);
    return out;
}

bool depends(const Function& function, std::size_t variable) {
    return !compare_halves(function.bits, variable,
                           [](std::uint64_t zero, std::uint64_t one, std::uint64_t) { return zero == one; });
}

void drop_unused(Function& function) {
    for (std::size_t variable = function.inputs.size(); variable-- > 0;) {
        if (!depends(function, variable)) function = cofactor(function, variable, false);
    }
}

std::size_t support(const Function& function) {
    std::size_t count = 0;
    for (std::size_t variable = 0; variable < function.inputs.size(); ++variable) {
        count += depends(function, variable) ? 1 : 0;
    }
    return count;
}

Function difference(const Function& a, const Function& b) {
    Function out = a;
    for (std::size_t i = 0; i < out.bits.size(); ++i) out.bits[i] ^= b.bits[i];
    return out;
}

/// How one variable x splits off: f = x op g.
enum class Split : std::uint8_t { none, exclusive, and_positive, and_negative, or_positive, or_negative };

Split split_of(const Function& function, std::size_t variable) {
    bool zero_is_0 = true;
    bool zero_is_1 = true;
    bool one_is_0 = true;
    bool one_is_1 = true;
    bool complementary = true;
    compare_halves(function.bits, variable, [&](std::uint64_t zero, std::uint64_t one, std::uint64_t mask) {
        zero_is_0 &= zero == 0;
        zero_is_1 &= zero == mask;
        one_is_0 &= one == 0;
        one_is_1 &= one == mask;
        complementary &= zero == (one ^ mask);
        return zero_is_0 || zero_is_1 || one_is_0 || one_is_1 || complementary;
    });
    if (complementary) return Split::exclusive;
    if (zero_is_0) return Split::and_positive;
    if (one_is_0) return Split::and_negative;
    if (one_is_1) return Split::or_positive;
    if (zero_is_1) return Split::or_negative;
    return Split::none;
}

class Synthesis {
 public:
    explicit Synthesis(CircuitBuilder& builder) : builder_(builder) {}

    Literal build(Function function) {
        drop_unused(function);
        if (function.is_constant(false) || function.is_constant(true)) {
            return Literal::constant(function.is_constant(true));
        }
        std::string key(reinterpret_cast<const char*>(function.bits.data()), function.bits.size() * 8);
        for (const Literal input : function.inputs) key += fmt::format(" {}", input.code());
        if (const auto found = made_.find(key); found != made_.end()) return found->second;
        const Literal out = decompose(std::move(function));
        made_.emplace(std::move(key), out);
        return out;
    }

 private:
    /// f = x op g as often as it goes with one op, so that a wide AND, OR or XOR becomes a balanced tree.
    std::optional<Literal> split(const Function& function) {
        for (const Split family : {Split::exclusive, Split::and_positive, Split::or_positive}) {
            Function rest = function;
            std::vector<Literal> factors;
            for (std::size_t variable = 0; variable < rest.inputs.size();) {
                const Split found = split_of(rest, variable);
                const Literal input = rest.inputs[variable];
                if (family == Split::exclusive && found == Split::exclusive) {
                    factors.push_back(input);
                    rest = cofactor(rest, variable, false);
                } else if (family == Split::and_positive &&
                           (found == Split::and_positive || found == Split::and_negative)) {
                    factors.push_back(found == Split::and_positive ? input : !input);
                    rest = cofactor(rest, variable, found == Split::and_positive);
                } else if (family == Split::or_positive &&
                           (found == Split::or_positive || found == Split::or_negative)) {
                    factors.push_back(found == Split::or_positive ? input : !input);
                    rest = cofactor(rest, variable, found == Split::or_negative);
                } else {
                    ++variable;
                }
            }
            if (factors.empty()) continue;
            factors.push_back(build(std::move(rest)));
            if (family == Split::exclusive) return builder_.xor_of(factors);
            return family == Split::and_positive ? builder_.and_of(factors) : builder_.or_of(factors);
        }
        return std::nullopt;
    }

    static bool is_mux_of_wires(const Function& function) {
        for (std::size_t variable = 0; variable < 3; ++variable) {
            if (support(cofactor(function, variable, false)) == 1 &&
                support(cofactor(function, variable, true)) == 1) {
                return true;
            }
        }
        return false;
    }

    Literal build_recipe(const ThreeInputRecipe& recipe, std::span<const Literal> inputs) {
        std::vector<WeightedLiteral> operands;
        for (std::size_t i = 0; i < 2; ++i) {
            if (recipe.inner_weights[i] == 0) continue;
            const ThreeInputRecipe& inner = three_input_recipe(recipe.inner_tables[i]);
            operands.push_back({build_recipe(inner, inputs), recipe.inner_weights[i]});
        }
        for (std::size_t i = 0; i < 3; ++i) {
            if (recipe.input_weights[i] != 0) operands.push_back({inputs[i], recipe.input_weights[i]});
        }
        return builder_.affine(operands, recipe.offset);
    }

    Literal decompose(Function function) {
        const std::size_t variables = function.inputs.size();
        if (variables == 3) {
            const auto& recipe = three_input_recipe(function.bits[0] & 0xff);
            if (recipe.bootstraps <= 2) return build_recipe(recipe, function.inputs);
            // A multiplexer of wires takes two as well, and more than that only nested ones.
            if (recipe.bootstraps == 3 && !is_mux_of_wires(function))
                return build_recipe(recipe, function.inputs);
        }
        if (const auto literal = split(function)) return *literal;
        std::size_t best = 0;
        std::size_t best_cost = ~std::size_t{0};
        for (std::size_t variable = 0; variable < variables; ++variable) {
            const Function zero = cofactor(function, variable, false);
            const Function one = cofactor(function, variable, true);
            Function flips = difference(zero, one);
            if (support(flips) == 1) {
                drop_unused(flips);
                const Literal toggle = builder_.and_gate(function.inputs[variable], build(std::move(flips)));
                return builder_.xor_gate(build(zero), toggle);
            }
            const std::size_t cost = support(zero) + support(one);
            if (cost < best_cost) {
                best_cost = cost;
                best = variable;
            }
        }
        const Literal one = build(cofactor(function, best, true));
        const Literal zero = build(cofactor(function, best, false));
        return builder_.mux(function.inputs[best], one, zero);
    }

    CircuitBuilder& builder_;
    std::unordered_map<std::string, Literal> made_;
};

/// Equal, opposite and constant inputs are fixed before the function is looked at.
void merge_inputs(Function& function) {
    for (std::size_t variable = function.inputs.size(); variable-- > 0;) {
        const Literal input = function.inputs[variable];
        if (input.is_constant()) {
            function = cofactor(function, variable, input.negated());
            continue;
        }
        for (std::size_t other = 0; other < variable; ++other) {
            if (function.inputs[other].signal() != input.signal()) continue;
            const bool opposite = function.inputs[other] != input;
            const Function zero = cofactor(function, variable, opposite);
            const Function one = cofactor(function, variable, !opposite);
            // Where the other input is 0, this one is `opposite`.
            Function merged = zero;
            const std::size_t size = std::size_t{1} << merged.inputs.size();
            for (std::size_t i = 0; i < (size < 64 ? 64 : size); ++i) {
                if ((i >> other & 1) == 0) continue;
                const std::uint64_t bit = std::uint64_t{1} << (i % 64);
                merged.bits[i / 64] = (merged.bits[i / 64] & ~bit) | (one.bits[i / 64] & bit);
            }
            function = std::move(merged);
            break;
        }
    }
}

}  // namespace

Literal synthesise_table(CircuitBuilder& builder, std::span<const Literal> inputs,
                         std::span<const std::uint64_t> bits) {
    if (inputs.size() > largest_table_inputs) {
        throw Error(ErrorKind::circuit,
                    fmt::format("a table of {} inputs (limit {})", inputs.size(), largest_table_inputs));
    }
    const std::size_t words = inputs.size() < 6 ? 1 : std::size_t{1} << (inputs.size() - 6);
    if (bits.size() != words) {
        throw Error(ErrorKind::circuit, fmt::format("a table of {} inputs takes {} words of 64 bits, not {}",
                                                    inputs.size(), words, bits.size()));
    }
    Function function{{inputs.begin(), inputs.end()}, {bits.begin(), bits.end()}};
    if (inputs.size() < 6) function.bits[0] = repeated(function.bits[0], inputs.size());
    merge_inputs(function);
    return Synthesis(builder).build(std::move(function));
}

}  // namespace toroid::circuit
