// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/column_sum.hpp"

#include <algorithm>

#include "compiler/word/carry_chain.hpp"
#include "compiler/word/column_compression.hpp"

namespace toroid::compiler {
namespace {

std::vector<Literal> add_rows(GateNet& net, const Columns& columns) {
    const Literal zero = Literal::constant(false);
    std::vector<Literal> out;
    std::vector<Literal> a;
    std::vector<Literal> b;
    Literal carry_in = zero;
    for (const auto& column : columns) {
        if (a.empty() && column.size() < 2) {
            out.push_back(column.empty() ? zero : column[0]);
            continue;
        }
        if (column.size() == 3) carry_in = column[2];
        a.push_back(column.empty() ? zero : column[0]);
        b.push_back(column.size() < 2 ? zero : column[1]);
    }
    const auto upper = CarryChain(net, std::move(a), std::move(b), carry_in).sum(Objective::depth);
    out.insert(out.end(), upper.begin(), upper.end());
    return out;
}

}  // namespace

Outcome Outcome::of(const GateNet& net, std::span<const Literal> wires, std::size_t first_new) {
    Outcome out;
    for (const Literal wire : wires) out.level = std::max(out.level, net.level(wire));
    out.cost = net.cost(wires, first_new);
    return out;
}

bool Outcome::better_than(const Outcome& other, Objective objective, std::uint32_t latest) const {
    if (objective == Objective::size) return cost != other.cost ? cost < other.cost : level < other.level;
    const auto score = [&](const Outcome& outcome) {
        const std::uint64_t levels = outcome.level > latest ? outcome.level - latest + 1 : 1;
        return outcome.cost * levels * levels;
    };
    return score(*this) != score(other) ? score(*this) < score(other) : level < other.level;
}

void ColumnSum::add_constant(std::uint64_t exponent, bool negative) {
    // +-2^exponent: a carry, or a borrow, runs up.
    for (std::uint64_t i = exponent; i < constant_.size(); ++i) {
        constant_[i] = !constant_[i];
        if (constant_[i] != negative) return;
    }
}

void ColumnSum::add(Literal bit, std::uint64_t exponent, bool negative) {
    if (exponent >= columns_.size() || bit == Literal::constant(false)) return;
    if (bit.is_constant()) {
        add_constant(exponent, negative);
    } else if (negative) {
        columns_[exponent].push_back(!bit);
        add_constant(exponent, true);
    } else {
        columns_[exponent].push_back(bit);
    }
}

void ColumnSum::add_word(std::span<const Literal> word, bool is_signed, std::uint64_t exponent,
                         bool negative) {
    for (std::size_t i = 0; i < word.size(); ++i)
        add(word[i], exponent + i, negative != (is_signed && i + 1 == word.size()));
}

std::vector<Literal> ColumnSum::resolve(GateNet& net, Objective objective, std::size_t since) const {
    Columns columns = columns_;
    std::size_t tallest = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        tallest = std::max(tallest, columns[i].size() + (constant_[i] ? 1 : 0));
        if (constant_[i]) columns[i].push_back(Literal::constant(true));
    }
    const bool counters = net.weight_limit() >= 7 && tallest >= 4;
    using Order = CompressionPlan::Order;
    if (objective == Objective::size) {
        std::vector<Literal> out;
        for (const auto& column : compress(net, std::move(columns), {Order::earliest, counters, 1}))
            out.push_back(column.empty() ? Literal::constant(false) : column[0]);
        return out;
    }
    // Which order is best depends on when the bits arrive: all are tried.
    std::uint32_t latest = 0;
    for (const auto& column : columns) {
        for (const Literal bit : column) latest = std::max(latest, net.level(bit));
    }
    const std::size_t first = net.size();
    CompressionPlan best;
    Outcome best_outcome;
    bool found = false;
    for (const bool with_counters : {false, true}) {
        if (with_counters && !counters) continue;
        for (const Order order : {Order::earliest, Order::patient, Order::rounds}) {
            const CompressionPlan plan{order, with_counters, 2};
            const std::vector<Literal> out = add_rows(net, compress(net, columns, plan));
            const Outcome outcome = Outcome::of(net, out, std::min(since, first));
            net.roll_back(first);
            if (found && !outcome.better_than(best_outcome, objective, latest)) continue;
            best = plan;
            best_outcome = outcome;
            found = true;
        }
    }
    return add_rows(net, compress(net, std::move(columns), best));
}

}  // namespace toroid::compiler
