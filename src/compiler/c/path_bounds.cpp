// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/path_bounds.hpp"

#include <algorithm>
#include <array>

namespace toroid::compiler {
namespace {

// How far a fact is followed: down to what a word is made of, and up from there.
constexpr int deepest_narrowing = 12;
constexpr int deepest_evaluation = 6;
constexpr std::size_t most_operands = 4;
// Sources whose values are tried, and how deep what is made of them may be.
constexpr std::uint32_t narrowest_source = 2;
constexpr std::uint32_t widest_source = 5;
constexpr int deepest_source = 64;
constexpr std::uint32_t no_source = 0xffffffff;
constexpr std::uint32_t constant_source = 0xfffffffe;

std::uint64_t top(std::uint32_t width) {
    return width >= 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
}

std::int64_t sign_extended(std::uint64_t value, std::uint32_t width) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    return static_cast<std::int64_t>(((value & top(width)) ^ sign) - sign);
}

// x of x + amount = sum modulo 2^width: an interval moved round the circle is one again unless it now passes
// the end of the reading.
Bounds moved_down(const Bounds& sum, std::uint64_t amount, std::uint32_t width) {
    Bounds result;
    const std::uint64_t low = (sum.unsigned_low - amount) & top(width);
    const std::uint64_t high = (sum.unsigned_high - amount) & top(width);
    if (low <= high) {
        result.unsigned_low = low;
        result.unsigned_high = high;
    }
    const std::int64_t least = sign_extended(static_cast<std::uint64_t>(sum.signed_low) - amount, width);
    const std::int64_t most = sign_extended(static_cast<std::uint64_t>(sum.signed_high) - amount, width);
    if (least <= most) {
        result.signed_low = least;
        result.signed_high = most;
    }
    return result;
}

}  // namespace

void PathBounds::set_path(const Path& path) {
    const auto [own, other] = std::ranges::mismatch(path_, path);
    const auto same = static_cast<std::size_t>(own - path_.begin());
    if (same < path_.size()) {
        forget_from(marks_[same].facts);
        for (; values_trail_.size() > marks_[same].values; values_trail_.pop_back())
            possible_[values_trail_.back().first] = values_trail_.back().second;
        path_.resize(same);
        marks_.resize(same);
    }
    for (std::size_t k = same; k < path.size(); ++k) {
        marks_.push_back({trail_.size(), values_trail_.size()});
        path_.push_back(path[k]);
        keep_values(path[k].word, !path[k].inverted);
        assume(path[k].word, !path[k].inverted, deepest_narrowing);
    }
}

Bounds PathBounds::of(Word word) {
    return evaluate(word, deepest_evaluation);
}

std::optional<bool> PathBounds::truth(Word bit) {
    const Bounds bounds = of(bit);
    if (bounds.unsigned_low != bounds.unsigned_high) return std::nullopt;
    return bounds.unsigned_low != 0;
}

bool PathBounds::excludes(Condition condition) {
    const std::size_t before = trail_.size();
    contradicts_ = false;
    assume(condition.word, !condition.inverted, deepest_narrowing);
    forget_from(before);
    if (contradicts_) return true;
    const std::uint32_t source = source_of(condition.word, deepest_source);
    return source < constant_source && values_for(source, condition.word, !condition.inverted) == 0;
}

std::uint32_t PathBounds::source_of(Word word, int depth) {
    if (graph_.is_constant(word)) return constant_source;
    if (const auto found = sources_.find(word.id); found != sources_.end()) return found->second;
    const std::size_t count = depth == 0 ? 0 : graph_.operands(word).size();
    std::uint32_t source = count == 0 ? no_source : constant_source;
    for (std::size_t i = 0; i < count && source != no_source; ++i) {
        const std::uint32_t other = source_of(graph_.operands(word)[i], depth - 1);
        if (source == constant_source) {
            source = other;
        } else if (other != constant_source && other != source) {
            source = no_source;
        }
    }
    const std::uint32_t width = graph_.width(word);
    if (source == no_source && width >= narrowest_source && width <= widest_source) source = word.id;
    sources_[word.id] = source;
    return source;
}

std::uint32_t PathBounds::values_for(std::uint32_t source, Word bit, bool value) {
    const std::uint32_t width = graph_.width({source});
    const std::uint32_t count = std::uint32_t{1} << width;
    const auto known = possible_.find(source);
    const std::uint32_t before =
        known != possible_.end() ? known->second : static_cast<std::uint32_t>(top(count));
    std::uint32_t result = 0;
    for (std::uint32_t tried = 0; tried < count; ++tried) {
        if ((before >> tried & 1) == 0) continue;
        const std::size_t trail = trail_.size();
        const std::int64_t number = sign_extended(tried, width);
        const auto fact = facts_.find(source);
        trail_.push_back({source, fact == facts_.end() ? std::nullopt : std::optional(fact->second)});
        facts_[source] = {tried, tried, number, number};
        memory_.clear();
        const Bounds found = evaluate(bit, deepest_source);
        const bool is_excluded =
            found.unsigned_low == found.unsigned_high && (found.unsigned_low != 0) != value;
        if (!is_excluded) result |= std::uint32_t{1} << tried;
        forget_from(trail);
    }
    return result;
}

// Nothing is left only where the path cannot be taken.
void PathBounds::keep_values(Word bit, bool value) {
    const std::uint32_t source = source_of(bit, deepest_source);
    if (source >= constant_source) return;
    const std::uint32_t count = std::uint32_t{1} << graph_.width({source});
    const std::uint32_t before =
        possible_.try_emplace(source, static_cast<std::uint32_t>(top(count))).first->second;
    const std::uint32_t kept = values_for(source, bit, value);
    if (kept == before || kept == 0) return;
    values_trail_.emplace_back(source, before);
    possible_[source] = kept;
}

Bounds PathBounds::evaluate(Word word, int depth) {
    Bounds bounds = everywhere_.of(word);
    const std::uint32_t width = graph_.width(word);
    if (facts_.empty() || width > 64 || graph_.is_constant(word)) return bounds;
    if (const auto found = memory_.find(word.id); found != memory_.end() && found->second.depth >= depth)
        return found->second.bounds;
    const auto meet = [&](const Bounds& other) {
        const Bounds both = common(bounds, other, width);
        // Nothing is left only where the path cannot be taken; then anything is true.
        if (!both.is_empty()) bounds = both;
    };
    const auto operands = graph_.operands(word);
    if (depth > 0 && !operands.empty() && operands.size() <= most_operands) {
        std::array<Bounds, most_operands> known;
        for (std::size_t i = 0; i < operands.size(); ++i) known[i] = evaluate(operands[i], depth - 1);
        meet(bounds_from(graph_, word, std::span(known.data(), operands.size())));
    }
    if (const auto fact = facts_.find(word.id); fact != facts_.end()) meet(fact->second);
    memory_[word.id] = {depth, bounds};
    return bounds;
}

void PathBounds::assume(Word bit, bool value, int depth) {
    const std::uint64_t number = value ? 1 : 0;
    narrow(bit, {number, number, value ? -1 : 0, value ? -1 : 0}, depth);
}

void PathBounds::narrow(Word word, const Bounds& bounds, int depth) {
    const std::uint32_t width = graph_.width(word);
    if (depth == 0 || width > 64) return;
    const Bounds before = of(word);
    const Bounds both = common(before, bounds, width);
    if (both.is_empty()) {
        contradicts_ = true;
        return;
    }
    if (graph_.is_constant(word)) return;
    const auto fact = facts_.find(word.id);
    if (both == before && (width > 1 || fact != facts_.end())) return;
    trail_.push_back({word.id, fact == facts_.end() ? std::nullopt : std::optional(fact->second)});
    facts_[word.id] = both;
    memory_.clear();
    narrow_operands(word, both, depth - 1);
}

void PathBounds::narrow_operands(Word word, const Bounds& bounds, int depth) {
    const WordGraph::Node& node = graph_.node(word);
    const auto operands = graph_.operands(word);
    const bool is_known_bit = node.width == 1 && bounds.unsigned_low == bounds.unsigned_high;
    const bool bit = bounds.unsigned_low != 0;
    switch (node.op) {
        case WordOp::equal:
        case WordOp::unsigned_less:
        case WordOp::signed_less: {
            const std::uint32_t width = graph_.width(operands[0]);
            if (!is_known_bit || width > 64) return;
            Bounds a = of(operands[0]);
            Bounds b = of(operands[1]);
            narrow_compared(node.op, bit, a, b, width);
            narrow(operands[0], a, depth);
            narrow(operands[1], b, depth);
            return;
        }
        case WordOp::bit_and:
        case WordOp::bit_or: {
            if (!is_known_bit || bit != (node.op == WordOp::bit_and)) return;
            const Word first = operands[0];
            const Word second = operands[1];
            assume(first, bit, depth);
            assume(second, bit, depth);
            // What the second says may say more about the words of the first.
            if (depth > 0) narrow_operands(first, bounds, depth - 1);
            return;
        }
        case WordOp::bit_not:
            narrow(operands[0],
                   {top(node.width) - bounds.unsigned_high, top(node.width) - bounds.unsigned_low,
                    -1 - bounds.signed_high, -1 - bounds.signed_low},
                   depth);
            return;
        case WordOp::add: {
            std::uint64_t amount = 0;
            if (graph_.constant_value(operands[1], amount))
                narrow(operands[0], moved_down(bounds, amount, node.width), depth);
            return;
        }
        case WordOp::zero_extend:
            narrow(operands[0], {bounds.unsigned_low, bounds.unsigned_high, INT64_MIN, INT64_MAX}, depth);
            return;
        case WordOp::sign_extend:
            narrow(operands[0], {0, UINT64_MAX, bounds.signed_low, bounds.signed_high}, depth);
            return;
        case WordOp::extract:
            // A cut that takes nothing away.
            if (node.parameter == 0 && graph_.width(operands[0]) <= 64 &&
                of(operands[0]).unsigned_high <= top(node.width))
                narrow(operands[0], {bounds.unsigned_low, bounds.unsigned_high, INT64_MIN, INT64_MAX}, depth);
            if (is_upper_part(graph_, word))
                narrow(operands[0], from_upper_part(bounds, node.parameter), depth);
            return;
        default:
            return;
    }
}

void PathBounds::forget_from(std::size_t trail_size) {
    if (trail_.size() == trail_size) return;
    for (; trail_.size() > trail_size; trail_.pop_back()) {
        const Undo& undo = trail_.back();
        if (undo.before) {
            facts_[undo.word] = *undo.before;
        } else {
            facts_.erase(undo.word);
        }
    }
    memory_.clear();
}

}  // namespace toroid::compiler
