// SPDX-License-Identifier: Apache-2.0
// Pointer arithmetic and comparison.
#include <algorithm>

#include "compiler/c/memory.hpp"

namespace toroid::compiler {
namespace {

// Objects lie this far apart, so that no offset leads from one into another.
constexpr int address_shift = 40;

std::int64_t add_limits(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

bool is_limitless(const IndexTerm& term) {
    return term.low == INT64_MIN && term.high == INT64_MAX;
}

const IndexTerm* find(const PointerTarget& target, std::int64_t stride) {
    const auto found = std::ranges::find(target.terms, stride, &IndexTerm::stride);
    return found == target.terms.end() ? nullptr : &*found;
}

}  // namespace

Pointer MemoryModel::pointer_to(ObjectId object, std::int64_t offset) {
    return {{graph_.ones(1), object, offset, {}}};
}

Pointer MemoryModel::moved(Pointer pointer, std::int64_t bytes) const {
    for (PointerTarget& target : pointer) {
        target.offset += bytes;
        // a[i + 1] may reach the program as &a[i] + 1 with i = -1.
        for (IndexTerm& term : target.terms) {
            if (is_limitless(term) || term.stride <= 0) continue;
            const std::int64_t steps = (std::abs(bytes) + term.stride - 1) / term.stride;
            if (bytes > 0) term.low = add_limits(term.low, -steps);
            if (bytes < 0) term.high = add_limits(term.high, steps);
        }
    }
    return pointer;
}

Pointer MemoryModel::moved(Pointer pointer, const IndexTerm& term) {
    if (term.stride == 0) return pointer;
    if (graph_.is_constant(term.index)) {
        const std::int64_t index = bounds_.of(term.index).signed_low;
        std::int64_t bytes = 0;
        if (__builtin_mul_overflow(index, term.stride, &bytes) || std::abs(bytes) > INT64_MAX / 4)
            throw UnsupportedProgram{"a pointer is moved by more than the address space"};
        return moved(std::move(pointer), bytes);
    }
    for (PointerTarget& target : pointer) {
        const auto same = std::ranges::find(target.terms, term.stride, &IndexTerm::stride);
        if (same == target.terms.end()) {
            target.terms.push_back(term);
            continue;
        }
        same->index = graph_.add(same->index, term.index);
        same->low = add_limits(same->low, term.low);
        same->high = add_limits(same->high, term.high);
    }
    return pointer;
}

PointerTarget MemoryModel::select_offsets(Word condition, const PointerTarget& a, const PointerTarget& b) {
    PointerTarget result;
    result.object = a.object;
    result.guard = graph_.select(condition, a.guard, b.guard);
    const IndexTerm none{graph_.constant(0, 64), 0, 0, 0};
    std::vector<std::int64_t> strides;
    for (const PointerTarget* target : {&a, &b}) {
        for (const IndexTerm& term : target->terms) {
            if (std::ranges::find(strides, term.stride) == strides.end()) strides.push_back(term.stride);
        }
    }
    for (const std::int64_t stride : strides) {
        const IndexTerm* in_a = find(a, stride);
        const IndexTerm* in_b = find(b, stride);
        const IndexTerm& term_a = in_a == nullptr ? none : *in_a;
        const IndexTerm& term_b = in_b == nullptr ? none : *in_b;
        result.terms.push_back({graph_.select(condition, term_a.index, term_b.index), stride,
                                std::min(term_a.low, term_b.low), std::max(term_a.high, term_b.high)});
    }
    result.offset = std::min(a.offset, b.offset);
    const std::int64_t difference = std::max(a.offset, b.offset) - result.offset;
    if (difference == 0) return result;
    // The side that is further on counts as an index of its own, or adds to one that is there.
    const Word further = graph_.zero_extend(a.offset > b.offset ? condition : graph_.bit_not(condition), 64);
    for (IndexTerm& term : result.terms) {
        if (term.stride <= 0 || difference % term.stride != 0) continue;
        const std::int64_t steps = difference / term.stride;
        const Word amount =
            steps == 1 ? further
                       : graph_.multiply(further, graph_.constant(static_cast<std::uint64_t>(steps), 64));
        term.index = graph_.add(term.index, amount);
        term.high = add_limits(term.high, steps);
        return result;
    }
    result.terms.push_back({further, difference, 0, 1});
    return result;
}

Pointer MemoryModel::select_pointers(Word condition, const Pointer& if_one, const Pointer& if_zero) {
    Pointer result;
    for (const PointerTarget& target : if_one) {
        const auto other = std::ranges::find(if_zero, target.object, &PointerTarget::object);
        if (other != if_zero.end()) {
            result.push_back(select_offsets(condition, target, *other));
        } else {
            result.push_back(target);
            result.back().guard = graph_.bit_and(condition, target.guard);
        }
    }
    for (const PointerTarget& target : if_zero) {
        if (std::ranges::find(if_one, target.object, &PointerTarget::object) != if_one.end()) continue;
        result.push_back(target);
        result.back().guard = graph_.bit_and(graph_.bit_not(condition), target.guard);
    }
    return result;
}

Word MemoryModel::offset(const PointerTarget& target) {
    Word result = graph_.constant(static_cast<std::uint64_t>(target.offset), 64);
    for (const IndexTerm& term : target.terms) {
        const Word stride = graph_.constant(static_cast<std::uint64_t>(term.stride), 64);
        result = graph_.add(result, graph_.multiply(term.index, stride));
    }
    return result;
}

Word MemoryModel::address(const Pointer& pointer) {
    Word result = graph_.constant(0, 64);
    bool is_first = true;
    for (const PointerTarget& target : pointer) {
        const Word base = graph_.constant(static_cast<std::uint64_t>(target.object) << address_shift, 64);
        const Word here = graph_.add(base, offset(target));
        result = is_first ? here : graph_.select(target.guard, here, result);
        is_first = false;
    }
    return result;
}

Word MemoryModel::equal(const Pointer& a, const Pointer& b) {
    Word result = graph_.constant(0, 1);
    for (const PointerTarget& x : a) {
        for (const PointerTarget& y : b) {
            if (x.object != y.object) continue;
            const Word guards = graph_.bit_and(x.guard, y.guard);
            const Word same = x.object == null_object ? graph_.ones(1) : graph_.equal(offset(x), offset(y));
            result = graph_.bit_or(result, graph_.bit_and(guards, same));
        }
    }
    return result;
}

}  // namespace toroid::compiler
