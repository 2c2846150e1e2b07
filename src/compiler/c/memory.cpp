// SPDX-License-Identifier: Apache-2.0
// Objects, accesses at fixed places, and the merging of memories.
#include "compiler/c/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toroid::compiler {
namespace {

constexpr std::uint32_t pointer_bytes = 8;

// Whether the cells from `at` on are all bytes of one stored thing, from its first to its last.
bool holds_whole(const Object& object, std::uint64_t at) {
    const Cell& first = object[at];
    if (first.byte != 0 || at + first.size > object.size()) return false;
    for (std::uint32_t i = 1; i < first.size; ++i) {
        if (object[at + i] != Cell{first.source, i, first.size, first.is_pointer}) return false;
    }
    return true;
}

}  // namespace

MemoryModel::MemoryModel(WordGraph& graph, PathBounds& bounds) : graph_(graph), bounds_(bounds) {
    objects_.push_back({"a null pointer", 0, true, false, std::make_shared<Object>()});
}

ObjectId MemoryModel::add(ObjectInfo info) {
    objects_.push_back(std::move(info));
    return static_cast<ObjectId>(objects_.size() - 1);
}

Object MemoryModel::zeros(std::uint64_t size) {
    return Object(size, Cell{graph_.constant(0, 8).id, 0, 1, false});
}

void MemoryModel::set_word(Object& object, std::uint64_t offset, Word word) {
    const std::uint32_t size = graph_.width(word) / 8;
    for (std::uint32_t i = 0; i < size; ++i) object[offset + i] = {word.id, i, size, false};
}

void MemoryModel::set_pointer(Object& object, std::uint64_t offset, const Value& pointer) {
    put(object, offset, pointer, pointer_bytes);
}

const Object& MemoryModel::contents(const Memory& memory, ObjectId object) const {
    if (const auto found = memory.find(object); found != memory.end()) return *found->second;
    if (objects_[object].initial == nullptr) {
        throw UnsupportedProgram{
            fmt::format("{} is used after the end of its function or block", objects_[object].name)};
    }
    return *objects_[object].initial;
}

Object& MemoryModel::writable(Memory& memory, ObjectId object) {
    const Object& before = contents(memory, object);
    std::shared_ptr<Object>& place = memory[object];
    if (place == nullptr) {
        place = std::make_shared<Object>(before);
    } else if (place.use_count() > 1) {
        place = std::make_shared<Object>(*place);
    }
    return *place;
}

std::uint32_t MemoryModel::pool_index(const std::shared_ptr<const Pointer>& pointer) {
    pointers_.push_back(pointer);
    return static_cast<std::uint32_t>(pointers_.size() - 1);
}

Word MemoryModel::word_at(const Object& object, std::uint64_t offset, std::uint64_t size) {
    std::vector<Word> parts;
    for (std::uint64_t at = offset; at < offset + size;) {
        const Cell& first = object[at];
        if (first.is_pointer) {
            if (at + pointer_bytes > offset + size || !holds_whole(object, at))
                throw UnsupportedProgram{"a part of a pointer is read as a number"};
            parts.push_back(address(*pointers_[first.source]));
            at += pointer_bytes;
            continue;
        }
        std::uint32_t run = 1;
        while (at + run < offset + size && first.byte + run < first.size &&
               object[at + run] == Cell{first.source, first.byte + run, first.size, false}) {
            ++run;
        }
        parts.push_back(graph_.extract({first.source}, 8 * first.byte, 8 * run));
        at += run;
    }
    return parts.size() == 1 ? parts[0] : graph_.concatenate(parts);
}

Value MemoryModel::load_at(const Object& object, std::uint64_t offset, std::uint64_t size, bool is_pointer) {
    if (!is_pointer) return Value::of(word_at(object, offset, size));
    if (object[offset].is_pointer && holds_whole(object, offset)) {
        Value result;
        result.kind = Value::Kind::pointer;
        result.pointer = pointers_[object[offset].source];
        return result;
    }
    if (graph_.is_zero(word_at(object, offset, size))) return Value::of(pointer_to(null_object));
    throw UnsupportedProgram{"a number is read as a pointer"};
}

void MemoryModel::put(Object& object, std::uint64_t offset, const Value& value, std::uint64_t size) {
    if (value.kind == Value::Kind::pointer) {
        const std::uint32_t index = pool_index(value.pointer);
        for (std::uint32_t i = 0; i < pointer_bytes; ++i)
            object[offset + i] = {index, i, pointer_bytes, true};
        return;
    }
    for (std::uint32_t i = 0; i < size; ++i)
        object[offset + i] = {value.word.id, i, static_cast<std::uint32_t>(size), false};
}

void MemoryModel::store_at(Object& object, std::uint64_t offset, const Value& value, std::uint64_t size,
                           Word guard) {
    if (graph_.is_ones(guard)) {
        put(object, offset, value, size);
    } else if (!graph_.is_zero(guard)) {
        const Value old = load_at(object, offset, size, value.kind == Value::Kind::pointer);
        put(object, offset, select(guard, value, old), size);
    }
}

void MemoryModel::copy(Memory& memory, const Pointer& to, const Pointer& from, std::uint64_t size,
                       const Problem& problem) {
    if (size == 0) return;
    const auto fixed = [&](const Pointer& pointer) {
        return pointer.size() == 1 && pointer[0].terms.empty() && pointer[0].offset >= 0 &&
               static_cast<std::uint64_t>(pointer[0].offset) + size <= objects_[pointer[0].object].size;
    };
    if (fixed(to) && fixed(from) && graph_.is_ones(to[0].guard) && graph_.is_ones(from[0].guard) &&
        !objects_[to[0].object].is_read_only) {
        // Byte by byte, so that pointers and padding keep what they are; a temporary allows overlap.
        const Object& source = contents(memory, from[0].object);
        const Object bytes(source.begin() + from[0].offset,
                           source.begin() + from[0].offset + static_cast<std::int64_t>(size));
        std::copy(bytes.begin(), bytes.end(), writable(memory, to[0].object).begin() + to[0].offset);
        return;
    }
    store(memory, to, load(memory, from, size, false, problem), size, problem);
}

Value MemoryModel::select(Word condition, const Value& if_one, const Value& if_zero) {
    if (graph_.is_ones(condition)) return if_one;
    if (graph_.is_zero(condition)) return if_zero;
    if (if_one.kind != if_zero.kind) throw UnsupportedProgram{"a pointer and a number share a place"};
    switch (if_one.kind) {
        case Value::Kind::word:
            return Value::of(graph_.select(condition, if_one.word, if_zero.word));
        case Value::Kind::pointer:
            if (if_one.pointer == if_zero.pointer) return if_one;
            return Value::of(select_pointers(condition, *if_one.pointer, *if_zero.pointer));
        case Value::Kind::aggregate:
            break;
    }
    Value result = if_one;
    for (std::size_t i = 0; i < result.fields.size(); ++i)
        result.fields[i] = select(condition, if_one.fields[i], if_zero.fields[i]);
    return result;
}

// Where one side holds a whole word, the other side's bytes are taken as one word too: selects of words, not
// of bytes, are what arithmetic can be narrowed through.
void MemoryModel::merge_objects(Word condition, const Object& if_one, Object& if_zero) {
    for (std::uint64_t at = 0; at < if_zero.size();) {
        if (if_one[at] == if_zero[at]) {
            ++at;
            continue;
        }
        std::uint32_t size = 1;
        for (const Object* object : {&if_one, static_cast<const Object*>(&if_zero)}) {
            if (holds_whole(*object, at)) size = std::max(size, (*object)[at].size);
        }
        const bool is_pointer = (if_one[at].is_pointer && holds_whole(if_one, at)) ||
                                (if_zero[at].is_pointer && holds_whole(if_zero, at));
        const Value merged =
            select(condition, load_at(if_one, at, size, is_pointer), load_at(if_zero, at, size, is_pointer));
        put(if_zero, at, merged, size);
        at += size;
    }
}

Memory MemoryModel::merge(Word condition, const Memory& if_one, const Memory& if_zero) {
    Memory result = if_zero;
    for (const auto& [object, contents_if_one] : if_one) {
        const auto found = result.find(object);
        if (found == result.end()) {
            // Untouched on the other side: made after the paths parted, or still as it was at first.
            if (objects_[object].initial == nullptr) {
                result.emplace(object, contents_if_one);
                continue;
            }
        } else if (found->second == contents_if_one) {
            continue;
        }
        merge_objects(condition, *contents_if_one, writable(result, object));
    }
    for (const auto& [object, contents_if_zero] : if_zero) {
        if (if_one.contains(object) || objects_[object].initial == nullptr) continue;
        const Object& original = *objects_[object].initial;
        merge_objects(condition, original, writable(result, object));
    }
    return result;
}

}  // namespace toroid::compiler
