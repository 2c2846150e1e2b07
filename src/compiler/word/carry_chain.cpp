// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/carry_chain.hpp"

#include <algorithm>
#include <limits>

namespace toroid::compiler {
namespace {

// Searching all splits takes n^3 steps; longer chains are split at powers of two.
constexpr std::uint32_t most_searched = 160;
constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max() / 2;

/// Largest power of two not above n > 0.
std::uint32_t floor_power(std::uint32_t n) {
    std::uint32_t out = 1;
    while (out <= n / 2) out *= 2;
    return out;
}

}  // namespace

CarryChain::CarryChain(GateNet& net, std::vector<Literal> a, std::vector<Literal> b, Literal carry_in)
    : net_(net), a_(std::move(a)), b_(std::move(b)), carry_in_(carry_in) {}

std::uint32_t CarryChain::leaf_level(std::uint32_t i) const {
    return std::max(net_.level(a_[i]), net_.level(b_[i]));
}

/// The least level of every group and carry, by the splits that are searched.
void CarryChain::find_levels() {
    count_ = static_cast<std::uint32_t>(a_.size());
    exact_ = count_ <= most_searched;
    groups_.assign(static_cast<std::size_t>(count_) * count_, {});
    carries_.assign(count_, {});
    fastest_group_.assign(static_cast<std::size_t>(count_) * count_, never);
    fastest_carry_.assign(count_, never);
    for (std::uint32_t j = 0; j < count_; ++j) {
        fastest_group_[index(j, j)] = leaf_level(j);
        for (std::uint32_t i = j; i-- > 0;) {
            std::uint32_t best = never;
            const std::uint32_t jump = floor_power(j - i);
            for (std::uint32_t split = exact_ ? i + 1 : i + jump; split <= (exact_ ? j : i + jump); ++split) {
                best = std::min(
                    best, std::max(fastest_group_[index(i, split - 1)], fastest_group_[index(split, j)]) + 1);
            }
            fastest_group_[index(i, j)] = best;
        }
        const std::uint32_t jump = j == 0 ? 0 : floor_power(j);
        for (std::uint32_t split = exact_ ? 0 : jump; split <= (exact_ ? j : jump); ++split) {
            const std::uint32_t below = split == 0 ? net_.level(carry_in_) : fastest_carry_[split - 1];
            fastest_carry_[j] =
                std::min(fastest_carry_[j], std::max(fastest_group_[index(split, j)], below) + 1);
        }
    }
}

/// About how many gates the group would add to what is planned.
std::uint32_t CarryChain::group_cost(std::uint32_t i, std::uint32_t j, std::uint32_t time) const {
    if (i == j) return 0;
    const Group& whole = groups_[index(i, j)];
    if (whole.planned && whole.level <= time) return 0;
    std::uint32_t best = 2 * (j - i);
    for (std::uint32_t split = i + 1; split <= j; ++split) {
        const Group& upper = groups_[index(split, j)];
        const Group& lower = groups_[index(i, split - 1)];
        std::uint32_t cost = 2;
        if (!(upper.planned && upper.level < time)) cost += 2 * (j - split);
        if (!(lower.planned && lower.level < time)) cost += 2 * (split - 1 - i);
        best = std::min(best, cost);
    }
    return best;
}

void CarryChain::plan_group(std::uint32_t i, std::uint32_t j, std::uint32_t time) {
    if (i == j) return;
    Group& group = groups_[index(i, j)];
    if (group.planned && group.level <= time) return;
    std::uint32_t best_split = i + floor_power(j - i);
    if (exact_) {
        std::uint32_t best = never;
        for (std::uint32_t split = i + 1; split <= j; ++split) {
            if (fastest_group_[index(i, split - 1)] >= time || fastest_group_[index(split, j)] >= time)
                continue;
            const std::uint32_t cost = group_cost(i, split - 1, time - 1) + group_cost(split, j, time - 1);
            if (cost < best) {
                best = cost;
                best_split = split;
            }
        }
    }
    plan_group(i, best_split - 1, time - 1);
    plan_group(best_split, j, time - 1);
    const auto level_of = [&](std::uint32_t from, std::uint32_t to) {
        return from == to ? leaf_level(from) : groups_[index(from, to)].level;
    };
    group.split = best_split;
    group.level = std::max(level_of(i, best_split - 1), level_of(best_split, j)) + 1;
    group.planned = true;
}

/// Splits for all carries needed, the highest first, so that each knows when its readers want it.
void CarryChain::plan_carries() {
    for (std::uint32_t j = count_; j-- > 0;) {
        Carry& carry = carries_[j];
        if (!carry.needed) continue;
        const std::uint32_t time = carry.required;
        std::uint32_t best_split = j == 0 ? 0 : floor_power(j);
        if (exact_) {
            std::uint32_t best = never;
            for (std::uint32_t split = j + 1; split-- > 0;) {
                const std::uint32_t below = split == 0 ? net_.level(carry_in_) : fastest_carry_[split - 1];
                if (fastest_group_[index(split, j)] >= time || below >= time) continue;
                const std::uint32_t cost = group_cost(split, j, time - 1);
                if (cost < best) {
                    best = cost;
                    best_split = split;
                }
            }
        }
        carry.split = best_split;
        plan_group(best_split, j, time - 1);
        if (best_split == 0) continue;
        Carry& below = carries_[best_split - 1];
        below.required = below.needed ? std::min(below.required, time - 1) : time - 1;
        below.needed = true;
    }
}

CarryChain::Pair CarryChain::group(std::uint32_t i, std::uint32_t j) {
    if (i == j) return {a_[i], b_[i]};
    Group& group = groups_[index(i, j)];
    if (!group.built) {
        const Pair upper = this->group(group.split, j);
        const Pair lower = this->group(i, group.split - 1);
        group.pair.a = net_.majority(upper.a, upper.b, lower.a);
        group.pair.b = net_.majority(upper.a, upper.b, lower.b);
        group.built = true;
    }
    return group.pair;
}

Literal CarryChain::carry(std::uint32_t i) {
    // From below, for a chain may be long.
    std::vector<std::uint32_t> open{i};
    while (!open.empty()) {
        const std::uint32_t j = open.back();
        Carry& carry = carries_[j];
        if (!carry.built && carry.split != 0 && !carries_[carry.split - 1].built) {
            open.push_back(carry.split - 1);
            continue;
        }
        open.pop_back();
        if (carry.built) continue;
        const Pair pair = group(carry.split, j);
        const Literal below = carry.split == 0 ? carry_in_ : carries_[carry.split - 1].literal;
        carry.literal = net_.majority(pair.a, pair.b, below);
        carry.built = true;
    }
    return carries_[i].literal;
}

Literal CarryChain::carry_out(Objective objective) {
    // A position of opposite bits hands the carry on.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) {
        if (a_[i] == !b_[i]) continue;
        // MAJ(a, b, MAJ(a, b, c)) = MAJ(a, b, c)
        if (kept != 0 && a_[i] == a_[kept - 1] && b_[i] == b_[kept - 1]) continue;
        a_[kept] = a_[i];
        b_[kept++] = b_[i];
    }
    a_.resize(kept);
    b_.resize(kept);
    if (objective == Objective::size || kept < 2) {
        Literal carry = carry_in_;
        for (std::size_t i = 0; i < kept; ++i) carry = net_.majority(a_[i], b_[i], carry);
        return carry;
    }
    find_levels();
    carries_[count_ - 1].needed = true;
    carries_[count_ - 1].required = exact_ ? fastest_carry_[count_ - 1] : never;
    plan_carries();
    return carry(count_ - 1);
}

Literal CarryChain::sum_bit(std::uint32_t i, Literal carry) {
    const Literal operands[] = {a_[i], b_[i], carry, change_};
    return net_.e2_gate({}, operands);
}

std::vector<Literal> CarryChain::ripple_sum() {
    std::vector<Literal> out;
    Literal carry = carry_in_;
    for (std::uint32_t i = 0; i < a_.size(); ++i) {
        out.push_back(sum_bit(i, carry));
        if (i + 1 < a_.size()) carry = net_.majority(a_[i], b_[i], carry);
    }
    return out;
}

std::vector<Literal> CarryChain::sum(Objective objective, Literal change) {
    change_ = change;
    if (objective == Objective::size || a_.size() < 2) return ripple_sum();
    // While the carry is known without a gate, the sum is too.
    std::vector<Literal> out;
    std::uint32_t first = 0;
    while (first < a_.size()) {
        const Literal carry = net_.majority(a_[first], b_[first], carry_in_);
        if (!carry.is_constant() && carry != a_[first] && carry != b_[first] && carry != carry_in_) break;
        out.push_back(sum_bit(first, carry_in_));
        carry_in_ = carry;
        ++first;
    }
    a_.erase(a_.begin(), a_.begin() + static_cast<std::ptrdiff_t>(first));
    b_.erase(b_.begin(), b_.begin() + static_cast<std::ptrdiff_t>(first));
    if (a_.empty()) return out;
    find_levels();
    const bool fused = net_.weight_limit() >= 11;
    std::uint32_t target = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
        const std::uint32_t below = i == 0 ? net_.level(carry_in_) : fastest_carry_[i - 1];
        target = std::max({target, leaf_level(i) + 1, i != 0 && fused ? below : below + 1});
    }
    for (std::uint32_t i = 0; i + 1 < count_; ++i) {
        carries_[i].needed = true;
        carries_[i].required = exact_ ? (fused ? target : target - 1) : never;
    }
    plan_carries();
    for (std::uint32_t i = 0; i < count_; ++i) {
        if (i == 0) {
            out.push_back(sum_bit(0, carry_in_));
            continue;
        }
        const Carry& carry = carries_[i - 1];
        if (fused && carry.required >= target) {
            // Read by nobody else in time, so the carry itself need not exist unless it is there anyway.
            const Pair pair = group(carry.split, i - 1);
            const Literal below = carry.split == 0 ? carry_in_ : this->carry(carry.split - 1);
            const std::uint32_t level =
                std::max({net_.level(pair.a), net_.level(pair.b), net_.level(below)}) + 1;
            if (level + 1 > target || !carry.built) {
                const Literal light[] = {pair.a, pair.b, below};
                const Literal heavy[] = {a_[i], b_[i], change_};
                out.push_back(net_.e2_gate(light, heavy));
                continue;
            }
        }
        out.push_back(sum_bit(i, this->carry(i - 1)));
    }
    return out;
}

}  // namespace toroid::compiler
