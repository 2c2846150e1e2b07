// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// A one-bit word or its inverse.
struct Condition {
    Word word;
    bool inverted = false;
    [[nodiscard]] Condition operator!() const { return {word, !inverted}; }
    friend bool operator==(const Condition&, const Condition&) = default;
};

using ObjectId = std::uint32_t;
inline constexpr ObjectId null_object = 0;

/// index * stride bytes; the index is a signed word of 64 bits.
struct IndexTerm {
    Word index;
    std::int64_t stride = 0;
    /// Beyond these an access would leave the array that the index is for, whatever the index's own bounds
    /// are.
    std::int64_t low = INT64_MIN;
    std::int64_t high = INT64_MAX;
    friend bool operator==(const IndexTerm&, const IndexTerm&) = default;
};

/// One object that a pointer may point into, at offset + sum of terms bytes.
struct PointerTarget {
    Word guard;  ///< one bit: whether it is this one; the guards of a pointer exclude each other
    ObjectId object = null_object;
    std::int64_t offset = 0;
    std::vector<IndexTerm> terms;  ///< strides differ
};

using Pointer = std::vector<PointerTarget>;

/// A program that cannot be a circuit, found where no source line is at hand; the executor adds the place.
struct UnsupportedProgram {
    std::string message;
};

/// What an LLVM value is during execution.
struct Value {
    enum class Kind : std::uint8_t { word, pointer, aggregate };
    Kind kind = Kind::word;
    Word word;
    std::shared_ptr<const Pointer> pointer;
    std::vector<Value> fields;

    static Value of(Word word) {
        Value result;
        result.word = word;
        return result;
    }
    static Value of(Pointer pointer) {
        Value result;
        result.kind = Kind::pointer;
        result.pointer = std::make_shared<const Pointer>(std::move(pointer));
        return result;
    }
    static Value of(std::vector<Value> fields) {
        Value result;
        result.kind = Kind::aggregate;
        result.fields = std::move(fields);
        return result;
    }
};

}  // namespace toroid::compiler
