// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/selection.hpp"

#include <algorithm>

#include "compiler/word/gate_trees.hpp"

namespace toroid::compiler {
namespace {

const Literal zero = Literal::constant(false);

/// The table's bits by Shannon's expansion, the last index bit first: right for a few index bits.
Literal expand(GateNet& net, std::span<const Literal> index, const std::vector<bool>& values) {
    if (index.empty()) return Literal::constant(values[0]);
    const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
    const auto inner = index.first(index.size() - 1);
    const Literal if_zero = expand(net, inner, {values.begin(), values.begin() + half});
    const Literal if_one = expand(net, inner, {values.begin() + half, values.end()});
    return choose(net, index.back(), if_one, if_zero);
}

/// The parity of the wires of a one-hot code where `values` is 1; the complement where that is shorter, since
/// exactly one of all is 1.
Literal pick(GateNet& net, std::span<const Literal> hot, const std::vector<bool>& values) {
    const auto ones = static_cast<std::size_t>(std::count(values.begin(), values.end(), true));
    const bool inverted = 2 * ones > values.size();
    std::vector<Literal> rows;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != inverted) rows.push_back(hot[i]);
    }
    const Literal out = xor_of(net, std::move(rows));
    return inverted ? !out : out;
}

/// Index split in two: for each value of the upper part the lower part's function, gated and added.
std::vector<Literal> split_lookup(GateNet& net, std::span<const Literal> index, std::size_t lower_bits,
                                  const std::vector<std::vector<bool>>& columns) {
    const std::vector<Literal> low = one_hot(net, index.first(lower_bits));
    const std::vector<Literal> high = one_hot(net, index.subspan(lower_bits));
    std::vector<Literal> out;
    for (const std::vector<bool>& values : columns) {
        std::vector<std::pair<Literal, Literal>> products;
        for (std::size_t row = 0; row < high.size(); ++row) {
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * low.size());
            const Literal inner = pick(net, low, {begin, begin + static_cast<std::ptrdiff_t>(low.size())});
            if (inner != zero) products.emplace_back(high[row], inner);
        }
        out.push_back(xor_of_products(net, {}, std::move(products)));
    }
    return out;
}

}  // namespace

Literal choose(GateNet& net, Literal condition, Literal if_one, Literal if_zero) {
    const auto special = [&](Literal arm) { return arm.is_constant() || arm.signal() == condition.signal(); };
    const bool simple =
        condition.is_constant() || special(if_one) || special(if_zero) || if_one.signal() == if_zero.signal();
    const bool late = std::max(net.level(if_one), net.level(if_zero)) >= net.level(condition);
    if (simple || net.weight_limit() < 6 || late) return net.mux(condition, if_one, if_zero);
    return net.and_xor(if_zero, condition, net.xor_gate(if_one, if_zero));
}

std::vector<Literal> one_hot(GateNet& net, std::span<const Literal> index) {
    if (index.empty()) return {Literal::constant(true)};
    if (index.size() == 1) return {!index[0], index[0]};
    const std::size_t half = index.size() / 2;
    const std::vector<Literal> low = one_hot(net, index.first(half));
    const std::vector<Literal> high = one_hot(net, index.subspan(half));
    std::vector<Literal> out;
    for (const Literal h : high) {
        for (const Literal l : low) out.push_back(net.and_gate(h, l));
    }
    return out;
}

std::vector<Literal> table_lookup(GateNet& net, std::span<const Literal> index,
                                  const std::vector<base::BitVector>& entries, std::uint32_t width) {
    // Index bits above the table's size only have to be 0, and constant ones choose a part of it.
    std::size_t bits = 0;
    while (bits < index.size() && bits < 40 && std::uint64_t{1} << bits < entries.size()) ++bits;
    std::vector<Literal> above(index.begin() + static_cast<std::ptrdiff_t>(bits), index.end());
    const Literal inside = !or_of(net, std::move(above));
    std::vector<Literal> used;
    std::vector<std::size_t> rows{0};
    for (std::size_t bit = 0; bit < bits; ++bit) {
        const std::size_t step = std::size_t{1} << bit;
        if (index[bit].is_constant()) {
            for (std::size_t& row : rows) row += index[bit].negated() ? step : 0;
            continue;
        }
        used.push_back(index[bit]);
        const std::size_t count = rows.size();
        for (std::size_t i = 0; i < count; ++i) rows.push_back(rows[i] + step);
    }
    std::vector<std::vector<bool>> columns(width, std::vector<bool>(rows.size(), false));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::uint32_t b = 0; b < width && rows[i] < entries.size(); ++b)
            columns[b][i] = entries[rows[i]][b];
    }
    std::vector<Literal> best;
    std::uint64_t best_cost = 0;
    const std::size_t first = net.size();
    const auto consider = [&](std::vector<Literal> out) {
        const std::uint64_t cost = net.cost(out, first);
        if (best.empty() || cost < best_cost) {
            best = std::move(out);
            best_cost = cost;
        }
    };
    if (used.size() <= 6) {
        std::vector<Literal> out;
        for (const auto& values : columns) out.push_back(expand(net, used, values));
        consider(std::move(out));
    }
    for (std::size_t lower = used.size() / 3; lower <= used.size() && used.size() > 2; ++lower) {
        // All splits of a large table would take long; the even ones are the good ones.
        if (used.size() > 8 && (lower < used.size() / 2 || lower > used.size() / 2 + 1)) continue;
        consider(split_lookup(net, used, lower, columns));
    }
    for (Literal& bit : best) bit = net.and_gate(inside, bit);
    return best;
}

std::vector<Literal> shift(GateNet& net, ShiftKind kind, std::vector<Literal> word,
                           std::span<const Literal> amount) {
    const std::size_t width = word.size();
    const Literal fill = kind == ShiftKind::right_arithmetic ? word.back() : zero;
    std::vector<Literal> beyond;
    for (std::size_t bit = 0; bit < amount.size(); ++bit) {
        const std::size_t by = bit < 32 ? std::size_t{1} << bit : width;
        if (by >= width) {
            beyond.push_back(amount[bit]);
            continue;
        }
        std::vector<Literal> next(width);
        for (std::size_t i = 0; i < width; ++i) {
            Literal from = fill;
            if (kind == ShiftKind::left) {
                if (i >= by) from = word[i - by];
            } else if (i + by < width) {
                from = word[i + by];
            }
            next[i] = choose(net, amount[bit], from, word[i]);
        }
        word = std::move(next);
    }
    const Literal out = or_of(net, std::move(beyond));
    for (Literal& bit : word) bit = choose(net, out, fill, bit);
    return word;
}

}  // namespace toroid::compiler
