// SPDX-License-Identifier: Apache-2.0
// Accesses whose place depends on encrypted words: select trees, look-ups and decoders.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/c/memory.hpp"

namespace toroid::compiler {
namespace {

__extension__ using Wide = __int128;

constexpr std::uint64_t most_choices = std::uint64_t{1} << 20;

Wide floor_divide(Wide a, Wide b) {
    const Wide quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
Wide ceil_divide(Wide a, Wide b) {
    return -floor_divide(-a, b);
}

struct Extent {
    Wide low = 0;
    Wide high = 0;
};

Extent scaled(Extent index, std::int64_t stride) {
    const Wide a = index.low * stride;
    const Wide b = index.high * stride;
    return {std::min(a, b), std::max(a, b)};
}

}  // namespace

// Every index gets the range that can hit the object, given what the others may be. False if nothing can.
bool MemoryModel::choose(const PointerTarget& target, std::uint64_t object_size, std::uint64_t size,
                         std::vector<Choice>& choices) {
    if (object_size < size) return false;
    std::vector<Extent> extents;
    Extent total{target.offset, target.offset};
    for (const IndexTerm& term : target.terms) {
        const Bounds& bounds = bounds_.of(term.index);
        extents.push_back({std::max(bounds.signed_low, term.low), std::min(bounds.signed_high, term.high)});
        if (extents.back().low > extents.back().high) return false;
        const Extent bytes = scaled(extents.back(), term.stride);
        total.low += bytes.low;
        total.high += bytes.high;
    }
    const auto last_byte = static_cast<Wide>(object_size - size);
    // Ranges narrow each other; twice is enough for rows and columns.
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < extents.size(); ++i) {
            const std::int64_t stride = target.terms[i].stride;
            const Extent own = scaled(extents[i], stride);
            const Wide others_low = total.low - own.low;
            const Wide others_high = total.high - own.high;
            const Wide least = -others_high;
            const Wide most = last_byte - others_low;
            const Wide low = stride > 0 ? ceil_divide(least, stride) : ceil_divide(most, stride);
            const Wide high = stride > 0 ? floor_divide(most, stride) : floor_divide(least, stride);
            extents[i] = {std::max(extents[i].low, low), std::min(extents[i].high, high)};
            if (extents[i].low > extents[i].high) return false;
            const Extent bytes = scaled(extents[i], stride);
            total = {others_low + bytes.low, others_high + bytes.high};
        }
    }
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        Choice choice;
        choice.term = target.terms[i];
        const auto count = static_cast<std::uint64_t>(extents[i].high - extents[i].low) + 1;
        if (count == 0 || count > most_choices || product * count > most_choices) {
            throw UnsupportedProgram{fmt::format("an encrypted index may reach more than {} places of {}",
                                                 most_choices, objects_[target.object].name)};
        }
        product *= count;
        choice.first = static_cast<std::int64_t>(extents[i].low);
        choice.last = static_cast<std::int64_t>(extents[i].high);
        choice.bits = static_cast<std::uint32_t>(std::bit_width(count - 1));
        if (choice.bits > 0) {
            const Word low = graph_.extract(choice.term.index, 0, choice.bits);
            choice.selector =
                graph_.subtract(low, graph_.constant(static_cast<std::uint64_t>(choice.first) &
                                                         ((std::uint64_t{1} << choice.bits) - 1),
                                                     choice.bits));
        }
        choices.push_back(choice);
    }
    return true;
}

Value MemoryModel::load_chosen(const Object& object, const std::vector<Choice>& choices, std::size_t level,
                               std::int64_t offset, std::uint64_t size, bool is_pointer) {
    if (level == choices.size()) return load_at(object, static_cast<std::uint64_t>(offset), size, is_pointer);
    const Choice& choice = choices[level];
    std::vector<Value> values;
    for (std::int64_t index = choice.first; index <= choice.last; ++index) {
        const std::int64_t at = offset + index * choice.term.stride;
        // With several indices some combinations may lie outside; the nearest place inside stands for them.
        const std::int64_t clamped =
            level + 1 < choices.size()
                ? at
                : std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(object.size() - size));
        values.push_back(load_chosen(object, choices, level + 1, clamped, size, is_pointer));
    }
    for (std::uint32_t bit = 0; bit < choice.bits; ++bit) {
        const Word condition = graph_.extract(choice.selector, bit, 1);
        std::vector<Value> halved;
        for (std::size_t i = 0; i < values.size(); i += 2) {
            halved.push_back(i + 1 < values.size() ? select(condition, values[i + 1], values[i]) : values[i]);
        }
        values = std::move(halved);
    }
    return values[0];
}

// All that can be reached is constant: one look-up instead of a tree.
bool MemoryModel::look_up(const Object& object, const std::vector<Choice>& choices, std::int64_t offset,
                          std::uint64_t size, Word& result) {
    WordGraph::Table table;
    table.width = static_cast<std::uint32_t>(8 * size);
    std::uint32_t bits = 0;
    std::vector<Word> parts;
    for (const Choice& choice : choices) {
        bits += choice.bits;
        if (choice.bits > 0) parts.push_back(choice.selector);
    }
    if (bits == 0 || bits > 16) return false;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << bits; ++code) {
        std::int64_t at = offset;
        std::uint64_t rest = code;
        bool reachable = true;
        for (const Choice& choice : choices) {
            const auto part = static_cast<std::int64_t>(rest & ((std::uint64_t{1} << choice.bits) - 1));
            rest >>= choice.bits;
            reachable = reachable && choice.first + part <= choice.last;
            at += (choice.first + part) * choice.term.stride;
        }
        if (!reachable || at < 0 || static_cast<std::uint64_t>(at) + size > object.size()) {
            table.entries.push_back(base::BitVector(table.width));
            continue;
        }
        for (std::uint64_t i = 0; i < size; ++i) {
            const Cell& cell = object[static_cast<std::uint64_t>(at) + i];
            if (cell.is_pointer || !graph_.is_constant({cell.source})) return false;
        }
        table.entries.push_back(graph_.constant_bits(word_at(object, static_cast<std::uint64_t>(at), size)));
    }
    // Codes at the end that no index has need no rows.
    std::uint64_t rows = 0;
    std::uint64_t scale = 1;
    for (const Choice& choice : choices) {
        rows += static_cast<std::uint64_t>(choice.last - choice.first) * scale;
        scale <<= choice.bits;
    }
    table.entries.resize(rows + 1);
    result = graph_.lookup(parts.size() == 1 ? parts[0] : graph_.concatenate(parts), table);
    return true;
}

Value MemoryModel::load(const Memory& memory, const Pointer& pointer, std::uint64_t size, bool is_pointer,
                        const Problem& problem) {
    Value result = is_pointer ? Value::of(pointer_to(null_object))
                              : Value::of(graph_.constant(0, static_cast<std::uint32_t>(8 * size)));
    bool is_first = true;
    for (const PointerTarget& target : pointer) {
        if (graph_.is_zero(target.guard)) continue;
        const ObjectInfo& info = objects_[target.object];
        if (info.is_function) throw UnsupportedProgram{"the code of a function is read as data"};
        std::vector<Choice> choices;
        if (target.object == null_object || !choose(target, info.size, size, choices) ||
            (choices.empty() &&
             (target.offset < 0 || static_cast<std::uint64_t>(target.offset) + size > info.size))) {
            // A pointer that may be null beside others is checked before use in every sound program.
            if (target.object != null_object || pointer.size() == 1)
                problem(target.object == null_object
                            ? "a null pointer is read"
                            : fmt::format("{} is read outside its {} bytes", info.name, info.size));
            continue;
        }
        const Object& object = contents(memory, target.object);
        Value value;
        if (Word looked_up; !is_pointer && look_up(object, choices, target.offset, size, looked_up)) {
            value = Value::of(looked_up);
        } else {
            value = load_chosen(object, choices, 0, target.offset, size, is_pointer);
        }
        result = is_first ? value : select(target.guard, value, result);
        is_first = false;
    }
    return result;
}

void MemoryModel::store_chosen(Object& object, const std::vector<Choice>& choices, std::size_t level,
                               std::int64_t offset, const Value& value, std::uint64_t size, Word guard) {
    if (level == choices.size()) {
        if (offset >= 0 && static_cast<std::uint64_t>(offset) + size <= object.size())
            store_at(object, static_cast<std::uint64_t>(offset), value, size, guard);
        return;
    }
    const Choice& choice = choices[level];
    const auto count = static_cast<std::uint64_t>(choice.last - choice.first) + 1;
    std::vector<Word> guards{guard};
    for (std::uint32_t bit = choice.bits; bit-- > 0;) {
        const Word one = graph_.extract(choice.selector, bit, 1);
        std::vector<Word> next;
        for (std::size_t i = 0; i < guards.size(); ++i) {
            // Where no index goes on the side of 1, the bit need not be looked at.
            const bool has_upper = ((2 * i + 1) << bit) < count;
            next.push_back(has_upper ? graph_.bit_and(guards[i], graph_.bit_not(one)) : guards[i]);
            if (has_upper) next.push_back(graph_.bit_and(guards[i], one));
        }
        guards = std::move(next);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::int64_t index = choice.first + static_cast<std::int64_t>(i);
        store_chosen(object, choices, level + 1, offset + index * choice.term.stride, value, size, guards[i]);
    }
}

void MemoryModel::store(Memory& memory, const Pointer& pointer, const Value& value, std::uint64_t size,
                        const Problem& problem) {
    for (const PointerTarget& target : pointer) {
        if (graph_.is_zero(target.guard)) continue;
        const ObjectInfo& info = objects_[target.object];
        std::vector<Choice> choices;
        if (target.object == null_object || !choose(target, info.size, size, choices) ||
            (choices.empty() &&
             (target.offset < 0 || static_cast<std::uint64_t>(target.offset) + size > info.size))) {
            if (target.object != null_object || pointer.size() == 1)
                problem(target.object == null_object
                            ? "a null pointer is written"
                            : fmt::format("{} is written outside its {} bytes", info.name, info.size));
            continue;
        }
        if (info.is_read_only) {
            problem(fmt::format("{} is written, but is constant", info.name));
            continue;
        }
        store_chosen(writable(memory, target.object), choices, 0, target.offset, value, size, target.guard);
    }
}

}  // namespace toroid::compiler
