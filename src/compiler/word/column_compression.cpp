// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/column_compression.hpp"

#include <algorithm>

namespace toroid::compiler {
namespace {

class Compression {
 public:
    Compression(GateNet& net, Columns columns, CompressionPlan plan)
        : net_(net), columns_(std::move(columns)), plan_(plan) {}

    Columns run() {
        if (plan_.order == CompressionPlan::Order::rounds) reduce_in_rounds();
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
            } else if (bits.size() == 3 && rows == 2 && plan_.order == CompressionPlan::Order::patient &&
                       net_.level(bits[2]) > net_.level(bits[1])) {
                half_adder();
            } else if (bits.size() >= 3) {
                full_adder();
            } else {
                half_adder();
            }
        }
    }

    /// All columns to heights 2, 3, 4, 6, 9, ... from above.
    void reduce_in_rounds() {
        std::size_t tallest = 0;
        for (at_ = 0; at_ < columns_.size(); ++at_) {
            merge();
            tallest = std::max(tallest, columns_[at_].size());
        }
        std::vector<std::size_t> heights{2};
        while (heights.back() < tallest) heights.push_back(heights.back() * 3 / 2);
        heights.pop_back();
        for (auto height = heights.rbegin(); height != heights.rend(); ++height) round(*height);
    }
    void round(std::size_t height) {
        Columns next(columns_.size() + 2);
        for (at_ = 0; at_ < columns_.size(); ++at_) {
            auto& bits = columns_[at_];
            std::sort(bits.begin(), bits.end(), [&](Literal a, Literal b) { return before(a, b); });
            const bool last = at_ + 1 == columns_.size();
            while (bits.size() + next[at_].size() > height && bits.size() > 1) {
                const std::size_t excess = bits.size() + next[at_].size() - height;
                if (last) {
                    const auto widest = static_cast<std::size_t>(net_.weight_limit());
                    next[at_].push_back(net_.e2_gate({}, take(std::min({bits.size(), excess + 1, widest}))));
                    continue;
                }
                if (plan_.counters && height >= 6 && excess >= 4 && bits.size() >= 7) {
                    const auto x = take(7);
                    const Literal two = net_.e2_gate(x, {});
                    const Literal low = net_.majority(x[0], x[1], x[2]);
                    next[at_].push_back(net_.e2_gate({}, x));
                    next[at_ + 1].push_back(two);
                    next[at_ + 2].push_back(net_.majority(low, net_.majority(x[3], x[4], x[5]), !two));
                } else if (excess >= 2 && bits.size() >= 3) {
                    const auto x = take(3);
                    next[at_].push_back(net_.xor_gate(x[0], x[1], x[2]));
                    next[at_ + 1].push_back(net_.majority(x[0], x[1], x[2]));
                } else {
                    const auto x = take(2);
                    next[at_].push_back(net_.xor_gate(x[0], x[1]));
                    next[at_ + 1].push_back(net_.and_gate(x[0], x[1]));
                }
            }
            next[at_].insert(next[at_].end(), bits.begin(), bits.end());
        }
        next.resize(columns_.size());
        for (auto& bits : next) std::erase(bits, Literal::constant(false));
        columns_ = std::move(next);
    }

    GateNet& net_;
    Columns columns_;
    CompressionPlan plan_;
    std::size_t at_ = 0;
    bool adding_ = false;  ///< a lower column has left two bits
};

}  // namespace

Columns compress(GateNet& net, Columns columns, const CompressionPlan& plan) {
    return Compression(net, std::move(columns), plan).run();
}

}  // namespace toroid::compiler
