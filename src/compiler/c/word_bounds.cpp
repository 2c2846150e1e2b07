// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/word_bounds.hpp"

#include <algorithm>
#include <bit>

namespace toroid::compiler {
namespace {

__extension__ using Wide = __int128;

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
    if (bounds.unsigned_high <= top) {
        bounds.signed_low = std::max(bounds.signed_low, static_cast<std::int64_t>(bounds.unsigned_low));
        bounds.signed_high = std::min(bounds.signed_high, static_cast<std::int64_t>(bounds.unsigned_high));
    }
    if (bounds.signed_low >= 0) {
        bounds.unsigned_low = std::max(bounds.unsigned_low, static_cast<std::uint64_t>(bounds.signed_low));
        bounds.unsigned_high = std::min(bounds.unsigned_high, static_cast<std::uint64_t>(bounds.signed_high));
    }
    return bounds;
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

}  // namespace

const Bounds& WordBounds::of(Word word) {
    while (known_.size() <= word.id) known_.push_back(compute({static_cast<std::uint32_t>(known_.size())}));
    return known_[word.id];
}

// Operands are always older than the word itself.
Bounds WordBounds::compute(Word word) const {
    const WordGraph::Node& node = graph_.node(word);
    const std::uint32_t width = node.width;
    const Bounds all = everything(width);
    const auto operands = graph_.operands(word);
    if (width > 64) {
        Bounds wide;
        if (node.op == WordOp::zero_extend && graph_.width(operands[0]) <= 64) {
            wide.unsigned_low = known_[operands[0].id].unsigned_low;
            wide.unsigned_high = known_[operands[0].id].unsigned_high;
        } else if (std::uint64_t value = 0; graph_.constant_value(word, value)) {
            wide.unsigned_low = wide.unsigned_high = value;
        }
        return wide;
    }
    const auto operand = [&](std::size_t i) -> const Bounds& { return known_[operands[i].id]; };
    const auto operand_width = [&](std::size_t i) { return graph_.width(operands[i]); };
    switch (node.op) {
        case WordOp::constant: {
            std::uint64_t value = 0;
            if (!graph_.constant_value(word, value)) return all;
            Bounds bounds = all;
            bounds.unsigned_low = bounds.unsigned_high = value;
            const bool negative = (value >> (width - 1) & 1) != 0;
            bounds.signed_low = bounds.signed_high =
                static_cast<std::int64_t>(negative ? value | ~unsigned_top(width) : value);
            return bounds;
        }
        case WordOp::add: {
            const Bounds& a = operand(0);
            const Bounds& b = operand(1);
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
            return from_unsigned(0, std::min(operand(0).unsigned_high, operand(1).unsigned_high), width);
        case WordOp::bit_or:
            return from_unsigned(std::max(operand(0).unsigned_low, operand(1).unsigned_low),
                                 filled(operand(0).unsigned_high | operand(1).unsigned_high), width);
        case WordOp::bit_xor:
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
            if (graph_.constant_value(operands[1], amount) && amount < 64) {
                bounds.signed_low = operand(0).signed_low >> amount;
                bounds.signed_high = operand(0).signed_high >> amount;
            }
            return agree(bounds, width);
        }
        case WordOp::select: {
            const Bounds& a = operand(1);
            const Bounds& b = operand(2);
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
        case WordOp::input:
        case WordOp::equal:
        case WordOp::unsigned_less:
        case WordOp::signed_less:
        case WordOp::lookup:
            return all;
    }
    return all;
}

}  // namespace toroid::compiler
