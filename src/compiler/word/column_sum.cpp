// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/column_sum.hpp"

#include <algorithm>

#include "compiler/word/carry_chain.hpp"

namespace toroid::compiler {
namespace {

using Columns = std::vector<std::vector<Literal>>;

/// How columns are made shorter.
struct Plan {
    std::size_t rows = 1;   ///< bits left in a column: 1, or 2 for an adder to follow
    bool counters = false;  ///< 7:3 counters beside full adders
};

/// Reduces columns from the lowest up, the earliest bits of a column first, so that a carry arrives in its
/// column before that is reduced.
class Compression {
 public:
    Compression(GateNet& net, Columns columns, Plan plan)
        : net_(net), columns_(std::move(columns)), plan_(plan) {}

    Columns run() {
        for (at_ = 0; at_ < columns_.size(); ++at_) reduce();
        return std::move(columns_);
    }

 private:
    [[nodiscard]] bool before(Literal a, Literal b) const {
        return net_.level(a) != net_.level(b) ? net_.level(a) < net_.level(b) : a.code() < b.code();
    }
    void push(std::size_t column, Literal bit) {
        if (bit == Literal::constant(false) || column >= columns_.size()) return;
        auto& bits = columns_[column];
        if (column != at_) {
            bits.push_back(bit);
            return;
        }
        bits.insert(std::upper_bound(bits.begin(), bits.end(), bit,
                                     [&](Literal a, Literal b) { return before(a, b); }),
                    bit);
    }
    std::vector<Literal> take(std::size_t count) {
        auto& bits = columns_[at_];
        const auto end = bits.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<Literal> out(bits.begin(), end);
        bits.erase(bits.begin(), end);
        return out;
    }
    /// Equal bits and opposite ones need no gate.
    void merge() {
        auto& bits = columns_[at_];
        std::sort(bits.begin(), bits.end(), [](Literal a, Literal b) { return a.code() < b.code(); });
        std::vector<Literal> kept;
        for (const Literal bit : bits) {
            if (bit == Literal::constant(false)) continue;
            if (!kept.empty() && kept.back() == bit) {
                kept.pop_back();
                push(at_ + 1, bit);
            } else if (!kept.empty() && kept.back() == !bit) {
                kept.back() = Literal::constant(true);
                if (kept.size() > 1 && kept[kept.size() - 2] == kept.back()) {
                    kept.resize(kept.size() - 2);
                    push(at_ + 1, Literal::constant(true));
                }
            } else {
                kept.push_back(bit);
            }
        }
        // Pairs of opposite bits may have left ones apart from each other.
        const auto ones = std::count(kept.begin(), kept.end(), Literal::constant(true));
        std::erase(kept, Literal::constant(true));
        for (std::ptrdiff_t i = 1; i < ones; i += 2) push(at_ + 1, Literal::constant(true));
        if (ones % 2 != 0) kept.push_back(Literal::constant(true));
        std::sort(kept.begin(), kept.end(), [&](Literal a, Literal b) { return before(a, b); });
        bits = std::move(kept);
    }
    void full_adder() {
        const auto x = take(3);
        push(at_ + 1, net_.majority(x[0], x[1], x[2]));
        push(at_, net_.xor_gate(x[0], x[1], x[2]));
    }
    void half_adder() {
        const auto x = take(2);
        push(at_ + 1, net_.and_gate(x[0], x[1]));
        push(at_, net_.xor_gate(x[0], x[1]));
    }
    /// 6 or 7 bits: bit 1 of the count is E2 of all; of the three carries that a chain of full adders would
    /// make two are majorities of the inputs, and bit 1 is the parity of the three.
    void counter(std::size_t count) {
        const auto x = take(count);
        const Literal low = net_.majority(x[0], x[1], x[2]);
        const Literal high = net_.majority(x[3], x[4], x[5]);
        const Literal two = net_.e2_gate(x, {});
        push(at_ + 1, two);
        push(at_ + 2, net_.majority(low, high, !two));
        push(at_, net_.e2_gate({}, x));
    }
    void reduce() {
        merge();
        const auto& bits = columns_[at_];
        const auto limit = static_cast<std::size_t>(net_.weight_limit());
        if (at_ + 1 == columns_.size()) {  // no carry leaves it
            while (bits.size() > plan_.rows) {
                const auto x = take(std::min(bits.size() - plan_.rows + 1, limit));
                push(at_, net_.e2_gate({}, x));
            }
            return;
        }
        const bool wide = at_ + 2 == columns_.size() && plan_.counters;
        // The lowest column that hands a carry on may keep a third bit: the adder's carry in.
        const std::size_t rows = plan_.rows + (plan_.rows == 2 && !adding_ ? 1 : 0);
        adding_ = adding_ || bits.size() > 1;
        while (bits.size() > rows) {
            if (wide && bits.size() > 3) {
                // Only the parity of the carries counts.
                const auto x = take(std::min(bits.size(), limit));
                push(at_ + 1, net_.e2_gate(x, {}));
                push(at_, net_.e2_gate({}, x));
            } else if (plan_.counters && bits.size() >= 7) {
                counter(7);
            } else if (plan_.counters && bits.size() == 6 && rows == 1) {
                counter(6);
            } else if (bits.size() >= 3) {
                full_adder();
            } else {
                half_adder();
            }
        }
    }

    GateNet& net_;
    Columns columns_;
    Plan plan_;
    std::size_t at_ = 0;
    bool adding_ = false;  ///< a lower column has left two bits
};

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

std::vector<Literal> ColumnSum::resolve(GateNet& net, Objective objective) const {
    Columns columns = columns_;
    std::size_t tallest = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        tallest = std::max(tallest, columns[i].size() + (constant_[i] ? 1 : 0));
        if (constant_[i]) columns[i].push_back(Literal::constant(true));
    }
    const bool counters = net.weight_limit() >= 7 && tallest >= 4;
    if (objective == Objective::size) {
        columns = Compression(net, std::move(columns), {1, counters}).run();
        std::vector<Literal> out;
        for (const auto& column : columns)
            out.push_back(column.empty() ? Literal::constant(false) : column[0]);
        return out;
    }
    std::vector<Literal> best;
    std::uint32_t best_level = 0;
    std::uint64_t best_cost = 0;
    const std::size_t first = net.size();
    for (const bool with_counters : {false, true}) {
        if (with_counters && !counters) continue;
        const std::vector<Literal> out = add_rows(net, Compression(net, columns, {2, with_counters}).run());
        std::uint32_t level = 0;
        for (const Literal bit : out) level = std::max(level, net.level(bit));
        const std::uint64_t cost = net.cost(out, first);
        if (best.empty() || level < best_level || (level == best_level && cost < best_cost)) {
            best = out;
            best_level = level;
            best_cost = cost;
        }
    }
    return best;
}

}  // namespace toroid::compiler
