// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/word_bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace toroid::compiler {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t most_facts = 4;

std::uint64_t unsigned_top(std::uint32_t width) {
    return width >= 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
}
std::int64_t signed_top(std::uint32_t width) {
    return static_cast<std::int64_t>(unsigned_top(width) >> 1);
}

Bounds everything(std::uint32_t width) {
    if (width > 64) return {};
    return {0, unsigned_top(width), -signed_top(width) - 1, signed_top(width)};
}

// A range that is right in one reading, if it fits it, narrows the other one where both agree.
Bounds agree(Bounds bounds, std::uint32_t width) {
    const auto top = static_cast<std::uint64_t>(signed_top(width));
    // What lies on one side of the sign is the same interval in both readings.
    const std::uint64_t above = ~unsigned_top(width);
    if (bounds.unsigned_high <= top || bounds.unsigned_low > top) {
        const std::uint64_t sign = bounds.unsigned_high <= top ? 0 : above;
        bounds.signed_low =
            std::max(bounds.signed_low, static_cast<std::int64_t>(bounds.unsigned_low | sign));
        bounds.signed_high =
            std::min(bounds.signed_high, static_cast<std::int64_t>(bounds.unsigned_high | sign));
    }
    if (bounds.signed_low >= 0 || bounds.signed_high < 0) {
        bounds.unsigned_low =
            std::max(bounds.unsigned_low, static_cast<std::uint64_t>(bounds.signed_low) & ~above);
        bounds.unsigned_high =
            std::min(bounds.unsigned_high, static_cast<std::uint64_t>(bounds.signed_high) & ~above);
    }
    return bounds;
}

bool is_one_value(const Bounds& bounds) {
    return bounds.unsigned_low == bounds.unsigned_high;
}

Bounds one_value(std::uint64_t value, std::uint32_t width) {
    const bool negative = (value >> (width - 1) & 1) != 0;
    const auto number = static_cast<std::int64_t>(negative ? value | ~unsigned_top(width) : value);
    return {value, value, number, number};
}

Bounds from_unsigned(Wide low, Wide high, std::uint32_t width) {
    Bounds bounds = everything(width);
    if (low >= 0 && high <= static_cast<Wide>(unsigned_top(width))) {
        bounds.unsigned_low = static_cast<std::uint64_t>(low);
        bounds.unsigned_high = static_cast<std::uint64_t>(high);
    }
    return agree(bounds, width);
}

void set_signed(Bounds& bounds, Wide low, Wide high, std::uint32_t width) {
    if (low >= -static_cast<Wide>(signed_top(width)) - 1 && high <= static_cast<Wide>(signed_top(width))) {
        bounds.signed_low = static_cast<std::int64_t>(low);
        bounds.signed_high = static_cast<std::int64_t>(high);
    }
}

std::uint64_t filled(std::uint64_t value) {
    return value == 0 ? 0 : UINT64_MAX >> std::countl_zero(value);
}

Bounds of_product(const Bounds& a, const Bounds& b, std::uint32_t width) {
    Bounds result =
        from_unsigned(static_cast<Wide>(a.unsigned_low) * static_cast<Wide>(b.unsigned_low),
                      // Both factors below 2^63 keep the product within the wide type.
                      (a.unsigned_high >> 63) != 0 || (b.unsigned_high >> 63) != 0
                          ? static_cast<Wide>(-1)
                          : static_cast<Wide>(a.unsigned_high) * static_cast<Wide>(b.unsigned_high),
                      width);
    const Wide corners[4] = {
        static_cast<Wide>(a.signed_low) * b.signed_low, static_cast<Wide>(a.signed_low) * b.signed_high,
        static_cast<Wide>(a.signed_high) * b.signed_low, static_cast<Wide>(a.signed_high) * b.signed_high};
    set_signed(result, *std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
               width);
    return agree(result, width);
}

Bounds bit(bool value) {
    return {value ? 1U : 0U, value ? 1U : 0U, value ? -1 : 0, value ? -1 : 0};
}

Bounds of_comparison(WordOp op, const Bounds& a, const Bounds& b) {
    bool always = a.signed_high < b.signed_low;
    bool never = a.signed_low >= b.signed_high;
    if (op == WordOp::unsigned_less) {
        always = a.unsigned_high < b.unsigned_low;
        never = a.unsigned_low >= b.unsigned_high;
    } else if (op == WordOp::equal) {
        always = a.unsigned_low == a.unsigned_high && a.unsigned_low == b.unsigned_low &&
                 a.unsigned_low == b.unsigned_high;
        never = a.unsigned_high < b.unsigned_low || b.unsigned_high < a.unsigned_low ||
                a.signed_high < b.signed_low || b.signed_high < a.signed_low;
    }
    if (always == never) return everything(1);
    return bit(always);
}

// Takes a value away that lies at an end.
void trim(Bounds& bounds, const Bounds& excluded) {
    if (excluded.unsigned_low == excluded.unsigned_high) {
        if (bounds.unsigned_low == excluded.unsigned_low && bounds.unsigned_low != UINT64_MAX)
            ++bounds.unsigned_low;
        if (bounds.unsigned_high == excluded.unsigned_low && bounds.unsigned_high != 0)
            --bounds.unsigned_high;
    }
    if (excluded.signed_low == excluded.signed_high) {
        if (bounds.signed_low == excluded.signed_low && bounds.signed_low != INT64_MAX) ++bounds.signed_low;
        if (bounds.signed_high == excluded.signed_low && bounds.signed_high != INT64_MIN)
            --bounds.signed_high;
    }
}

// low <= high, or low < high by a margin of 1.
template <typename Number>
void order(Number& low_side_high, Number low_side_low, Number& high_side_low, Number high_side_high,
           bool strict) {
    constexpr Number least = std::numeric_limits<Number>::min();
    constexpr Number most = std::numeric_limits<Number>::max();
    const Number below =
        strict && high_side_high != least ? static_cast<Number>(high_side_high - 1) : high_side_high;
    const Number above =
        strict && low_side_low != most ? static_cast<Number>(low_side_low + 1) : low_side_low;
    low_side_high = std::min(low_side_high, below);
    high_side_low = std::max(high_side_low, above);
}

}  // namespace

Bounds common(const Bounds& a, const Bounds& b, std::uint32_t width) {
    return agree({std::max(a.unsigned_low, b.unsigned_low), std::min(a.unsigned_high, b.unsigned_high),
                  std::max(a.signed_low, b.signed_low), std::min(a.signed_high, b.signed_high)},
                 width);
}

void narrow_compared(WordOp op, bool result, Bounds& a, Bounds& b, std::uint32_t width) {
    const Bounds old_a = a;
    const Bounds old_b = b;
    if (op == WordOp::equal) {
        if (result) {
            a = b = common(a, b, width);
            return;
        }
        trim(a, old_b);
        trim(b, old_a);
    } else if (op == WordOp::unsigned_less) {
        if (result) {
            order(a.unsigned_high, old_a.unsigned_low, b.unsigned_low, old_b.unsigned_high, true);
        } else {
            order(b.unsigned_high, old_b.unsigned_low, a.unsigned_low, old_a.unsigned_high, false);
        }
    } else if (op == WordOp::signed_less) {
        if (result) {
            order(a.signed_high, old_a.signed_low, b.signed_low, old_b.signed_high, true);
        } else {
            order(b.signed_high, old_b.signed_low, a.signed_low, old_a.signed_high, false);
        }
    }
    a = agree(a, width);
    b = agree(b, width);
}

bool is_upper_part(const WordGraph& graph, Word word) {
    const WordGraph::Node& node = graph.node(word);
    if (node.op != WordOp::extract || node.parameter == 0) return false;
    const std::uint32_t whole = graph.width(graph.operands(word)[0]);
    return whole <= 64 && node.parameter + node.width == whole;
}

Bounds from_upper_part(const Bounds& part, std::uint32_t lower_bits) {
    Bounds whole;
    whole.unsigned_low = part.unsigned_low << lower_bits;
    whole.unsigned_high = part.unsigned_high << lower_bits | unsigned_top(lower_bits);
    return whole;
}

const Bounds& WordBounds::of(Word word) {
    while (known_.size() <= word.id) known_.push_back(compute({static_cast<std::uint32_t>(known_.size())}));
    return known_[word.id];
}

// What conditions say about a word that they compare, that such a word is extended to, or that is chosen
// among such words: minima, maxima and clamps are selects of that kind.
Bounds WordBounds::where(Word word, std::vector<Fact>& facts) const {
    Bounds result = known_[word.id];
    const std::uint32_t width = graph_.width(word);
    if (width > 64) return result;
    const auto meet = [&](const Bounds& other) {
        const Bounds both = common(result, other, width);
        if (!both.is_empty()) result = both;
    };
    const WordOp op = graph_.node(word).op;
    if (op == WordOp::zero_extend || op == WordOp::sign_extend) {
        const Bounds inner = where(graph_.operands(word)[0], facts);
        meet(bounds_from(graph_, word, std::span(&inner, 1)));
    } else if (op == WordOp::select && facts.size() < most_facts) {
        const auto operands = graph_.operands(word);
        std::array<Bounds, 3> inner;
        inner[0] = known_[operands[0].id];
        for (const bool value : {true, false}) {
            facts.push_back({operands[0], value});
            inner[value ? 1 : 2] = where(operands[value ? 1 : 2], facts);
            facts.pop_back();
        }
        meet(bounds_from(graph_, word, inner));
    }
    for (const Fact& fact : facts) {
        Word condition = fact.condition;
        bool value = fact.value;
        for (; graph_.node(condition).op == WordOp::bit_not; value = !value)
            condition = graph_.operands(condition)[0];
        // What is known of a word, or of its upper bits alone.
        const auto learn = [&](Word about, const Bounds& bounds) {
            if (about == word) {
                meet(bounds);
            } else if (is_upper_part(graph_, about) && graph_.operands(about)[0] == word) {
                meet(from_upper_part(bounds, graph_.node(about).parameter));
            }
        };
        const WordOp compared = graph_.node(condition).op;
        if (compared == WordOp::extract) learn(condition, bit(value));
        if (compared != WordOp::equal && compared != WordOp::unsigned_less && compared != WordOp::signed_less)
            continue;
        const auto operands = graph_.operands(condition);
        if (graph_.width(operands[0]) > 64) continue;
        Bounds a = known_[operands[0].id];
        Bounds b = known_[operands[1].id];
        narrow_compared(compared, value, a, b, graph_.width(operands[0]));
        learn(operands[0], a);
        learn(operands[1], b);
    }
    return result;
}

// Operands are always older than the word itself.
Bounds WordBounds::compute(Word word) {
    const auto operands = graph_.operands(word);
    const WordOp op = graph_.node(word).op;
    if (graph_.width(word) > 64) {
        Bounds wide;
        if (op == WordOp::zero_extend && graph_.width(operands[0]) <= 64) {
            wide.unsigned_low = known_[operands[0].id].unsigned_low;
            wide.unsigned_high = known_[operands[0].id].unsigned_high;
        } else if (std::uint64_t value = 0; graph_.constant_value(word, value)) {
            wide.unsigned_low = wide.unsigned_high = value;
        }
        return wide;
    }
    operands_.clear();
    for (const Word operand : operands) operands_.push_back(known_[operand.id]);
    if (op == WordOp::select) {
        for (const bool value : {true, false}) {
            std::vector<Fact> facts{{operands[0], value}};
            operands_[value ? 1 : 2] = where(operands[value ? 1 : 2], facts);
        }
    }
    return bounds_from(graph_, word, operands_);
}

Bounds bounds_from(const WordGraph& graph, Word word, std::span<const Bounds> known) {
    const WordGraph::Node& node = graph.node(word);
    const std::uint32_t width = node.width;
    const Bounds all = everything(width);
    const auto operands = graph.operands(word);
    const auto operand = [&](std::size_t i) -> const Bounds& { return known[i]; };
    const auto operand_width = [&](std::size_t i) { return graph.width(operands[i]); };
    switch (node.op) {
        case WordOp::constant: {
            std::uint64_t value = 0;
            return graph.constant_value(word, value) ? one_value(value, width) : all;
        }
        case WordOp::add: {
            const Bounds& a = operand(0);
            const Bounds& b = operand(1);
            if (is_one_value(a) && is_one_value(b))
                return one_value((a.unsigned_low + b.unsigned_low) & unsigned_top(width), width);
            Bounds bounds =
                from_unsigned(static_cast<Wide>(a.unsigned_low) + static_cast<Wide>(b.unsigned_low),
                              static_cast<Wide>(a.unsigned_high) + static_cast<Wide>(b.unsigned_high), width);
            set_signed(bounds, static_cast<Wide>(a.signed_low) + b.signed_low,
                       static_cast<Wide>(a.signed_high) + b.signed_high, width);
            return agree(bounds, width);
        }
        case WordOp::multiply:
            return of_product(operand(0), operand(1), width);
        case WordOp::negate: {
            Bounds bounds = all;
            set_signed(bounds, -static_cast<Wide>(operand(0).signed_high),
                       -static_cast<Wide>(operand(0).signed_low), width);
            return agree(bounds, width);
        }
        case WordOp::unsigned_divide: {
            if (operand(1).unsigned_low == 0) return all;
            return from_unsigned(operand(0).unsigned_low / operand(1).unsigned_high,
                                 operand(0).unsigned_high / operand(1).unsigned_low, width);
        }
        case WordOp::unsigned_remainder: {
            const std::uint64_t high = operand(1).unsigned_low == 0
                                           ? operand(0).unsigned_high
                                           : std::min(operand(0).unsigned_high, operand(1).unsigned_high - 1);
            return from_unsigned(0, high, width);
        }
        case WordOp::bit_and:
            if (is_one_value(operand(0)) && is_one_value(operand(1)))
                return one_value(operand(0).unsigned_low & operand(1).unsigned_low, width);
            return from_unsigned(0, std::min(operand(0).unsigned_high, operand(1).unsigned_high), width);
        case WordOp::bit_or:
            if (is_one_value(operand(0)) && is_one_value(operand(1)))
                return one_value(operand(0).unsigned_low | operand(1).unsigned_low, width);
            return from_unsigned(std::max(operand(0).unsigned_low, operand(1).unsigned_low),
                                 filled(operand(0).unsigned_high | operand(1).unsigned_high), width);
        case WordOp::bit_xor:
            if (is_one_value(operand(0)) && is_one_value(operand(1)))
                return one_value(operand(0).unsigned_low ^ operand(1).unsigned_low, width);
            return from_unsigned(0, filled(operand(0).unsigned_high | operand(1).unsigned_high), width);
        case WordOp::bit_not: {
            Bounds bounds = all;
            bounds.unsigned_low = all.unsigned_high - operand(0).unsigned_high;
            bounds.unsigned_high = all.unsigned_high - operand(0).unsigned_low;
            return agree(bounds, width);
        }
        case WordOp::shift_left: {
            const std::uint64_t most = operand(1).unsigned_high;
            if (most >= width ||
                static_cast<unsigned>(std::bit_width(operand(0).unsigned_high)) + most > width)
                return all;
            return from_unsigned(0, operand(0).unsigned_high << most, width);
        }
        case WordOp::shift_right_logical: {
            const std::uint64_t least = operand(1).unsigned_low;
            return from_unsigned(0, least >= 64 ? 0 : operand(0).unsigned_high >> least, width);
        }
        case WordOp::shift_right_arithmetic: {
            Bounds bounds = all;
            set_signed(bounds, std::min<std::int64_t>(operand(0).signed_low, 0),
                       std::max<std::int64_t>(operand(0).signed_high, -1), width);
            std::uint64_t amount = 0;
            if (graph.constant_value(operands[1], amount) && amount < 64) {
                bounds.signed_low = operand(0).signed_low >> amount;
                bounds.signed_high = operand(0).signed_high >> amount;
            }
            return agree(bounds, width);
        }
        case WordOp::select: {
            const Bounds& a = operand(1);
            const Bounds& b = operand(2);
            if (operand(0).unsigned_low == operand(0).unsigned_high)
                return operand(0).unsigned_low != 0 ? a : b;
            return {std::min(a.unsigned_low, b.unsigned_low), std::max(a.unsigned_high, b.unsigned_high),
                    std::min(a.signed_low, b.signed_low), std::max(a.signed_high, b.signed_high)};
        }
        case WordOp::concatenate: {
            std::uint64_t low = 0;
            std::uint64_t high = 0;
            std::uint32_t at = 0;
            for (std::size_t i = 0; i < operands.size(); ++i) {
                low |= operand(i).unsigned_low << at;
                high |= operand(i).unsigned_high << at;
                at += operand_width(i);
            }
            return from_unsigned(static_cast<Wide>(low), static_cast<Wide>(high), width);
        }
        case WordOp::extract: {
            if (operand_width(0) > 64) return all;
            const std::uint64_t high = operand(0).unsigned_high >> node.parameter;
            Bounds bounds = high <= unsigned_top(width)
                                ? from_unsigned(static_cast<Wide>(operand(0).unsigned_low >> node.parameter),
                                                static_cast<Wide>(high), width)
                                : all;
            if (node.parameter == 0) set_signed(bounds, operand(0).signed_low, operand(0).signed_high, width);
            return agree(bounds, width);
        }
        case WordOp::zero_extend:
            return from_unsigned(static_cast<Wide>(operand(0).unsigned_low),
                                 static_cast<Wide>(operand(0).unsigned_high), width);
        case WordOp::sign_extend: {
            Bounds bounds = all;
            set_signed(bounds, operand(0).signed_low, operand(0).signed_high, width);
            return agree(bounds, width);
        }
        case WordOp::popcount:
            return from_unsigned(0, operand_width(0), width);
        case WordOp::equal:
        case WordOp::unsigned_less:
        case WordOp::signed_less:
            return operand_width(0) > 64 ? all : of_comparison(node.op, operand(0), operand(1));
        case WordOp::input:
        case WordOp::lookup:
            return all;
    }
    return all;
}

}  // namespace toroid::compiler
