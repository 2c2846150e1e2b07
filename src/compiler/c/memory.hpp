// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/c/path_bounds.hpp"
#include "compiler/c/value.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler {

/// One byte of memory: byte `byte` of a stored word of `size` bytes, or of a stored pointer (8 bytes).
struct Cell {
    std::uint32_t source = 0;  ///< word id, or index into the pool of pointers
    std::uint32_t byte = 0;
    std::uint32_t size = 1;
    bool is_pointer = false;
    friend bool operator==(const Cell&, const Cell&) = default;
};

/// The contents of all objects that have been written; copy on write.
using Object = std::vector<Cell>;
using Memory = std::map<ObjectId, std::shared_ptr<Object>>;

struct ObjectInfo {
    std::string name;
    std::uint64_t size = 0;
    bool is_read_only = false;
    bool is_function = false;
    std::shared_ptr<Object> initial;  ///< contents where a Memory has none
};

/// Loads and stores at places that may depend on encrypted words.
class MemoryModel {
 public:
    MemoryModel(WordGraph& graph, PathBounds& bounds);

    ObjectId add(ObjectInfo info);
    [[nodiscard]] const ObjectInfo& info(ObjectId object) const { return objects_[object]; }
    [[nodiscard]] Object zeros(std::uint64_t size);
    void set_word(Object& object, std::uint64_t offset, Word word);  ///< its width is whole bytes
    void set_pointer(Object& object, std::uint64_t offset, const Value& pointer);
    [[nodiscard]] Word word_at(const Object& object, std::uint64_t offset, std::uint64_t size);
    [[nodiscard]] const Object& contents(const Memory& memory, ObjectId object) const;

    /// A word of 8 * size bits, or a pointer. `problem` is called with text on what C leaves undefined.
    using Problem = std::function<void(const std::string&)>;
    [[nodiscard]] Value load(const Memory& memory, const Pointer& pointer, std::uint64_t size,
                             bool is_pointer, const Problem& problem);
    void store(Memory& memory, const Pointer& pointer, const Value& value, std::uint64_t size,
               const Problem& problem);
    void copy(Memory& memory, const Pointer& to, const Pointer& from, std::uint64_t size,
              const Problem& problem);

    [[nodiscard]] Value select(Word condition, const Value& if_one, const Value& if_zero);
    [[nodiscard]] Memory merge(Word condition, const Memory& if_one, const Memory& if_zero);
    /// The pointer moved by index * stride bytes; the index has 64 bits.
    [[nodiscard]] Pointer moved(Pointer pointer, const IndexTerm& term);
    [[nodiscard]] Pointer moved(Pointer pointer, std::int64_t bytes) const;
    [[nodiscard]] Pointer pointer_to(ObjectId object, std::int64_t offset = 0);
    /// 64 bits: an address that no two objects share; null is 0.
    [[nodiscard]] Word address(const Pointer& pointer);
    [[nodiscard]] Word offset(const PointerTarget& target);  ///< from the object's start, 64 bits
    [[nodiscard]] Word equal(const Pointer& a, const Pointer& b);

 private:
    struct Choice {
        IndexTerm term;
        std::int64_t first = 0;  ///< smallest index that may hit the object
        std::int64_t last = 0;
        Word selector;  ///< index - first in as few bits as its largest value needs
        std::uint32_t bits = 0;
    };
    [[nodiscard]] bool choose(const PointerTarget& target, std::uint64_t object_size, std::uint64_t size,
                              std::vector<Choice>& choices);
    [[nodiscard]] Value load_at(const Object& object, std::uint64_t offset, std::uint64_t size,
                                bool is_pointer);
    [[nodiscard]] Value load_chosen(const Object& object, const std::vector<Choice>& choices,
                                    std::size_t level, std::int64_t offset, std::uint64_t size,
                                    bool is_pointer);
    [[nodiscard]] bool look_up(const Object& object, const std::vector<Choice>& choices, std::int64_t offset,
                               std::uint64_t size, Word& result);
    void store_at(Object& object, std::uint64_t offset, const Value& value, std::uint64_t size, Word guard);
    void store_chosen(Object& object, const std::vector<Choice>& choices, std::size_t level,
                      std::int64_t offset, const Value& value, std::uint64_t size, Word guard);
    void put(Object& object, std::uint64_t offset, const Value& value, std::uint64_t size);
    [[nodiscard]] Object& writable(Memory& memory, ObjectId object);
    [[nodiscard]] Pointer select_pointers(Word condition, const Pointer& if_one, const Pointer& if_zero);
    [[nodiscard]] PointerTarget select_offsets(Word condition, const PointerTarget& a,
                                               const PointerTarget& b);
    void merge_objects(Word condition, const Object& if_one, Object& if_zero);
    std::uint32_t pool_index(const std::shared_ptr<const Pointer>& pointer);

    WordGraph& graph_;
    PathBounds& bounds_;
    std::vector<ObjectInfo> objects_;
    std::vector<std::shared_ptr<const Pointer>> pointers_;
};

}  // namespace toroid::compiler
