// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/bit_vector.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler::xls {

/// A place in the text; both count from 1.
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// Index into a TypeTable.
using TypeId = std::uint32_t;

struct Type {
    enum class Kind : std::uint8_t { bits, array, tuple, token };
    Kind kind = Kind::bits;
    std::uint32_t width = 0;       ///< bits
    std::vector<TypeId> elements;  ///< tuple; of an array the one type of all
    std::uint32_t count = 0;       ///< elements of an array or tuple
    std::uint64_t leaves = 0;      ///< words of bits in it; bits[0] has none
    friend bool operator<(const Type& a, const Type& b) {
        return std::tie(a.kind, a.width, a.elements, a.count) <
               std::tie(b.kind, b.width, b.elements, b.count);
    }
};

/// Types by structure: equal types have equal ids.
class TypeTable {
 public:
    TypeId bits(std::uint32_t width);
    TypeId token();
    /// Error(circuit) without a place if the type is too large; likewise tuple().
    TypeId array(TypeId element, std::uint32_t count);
    TypeId tuple(std::vector<TypeId> elements);
    [[nodiscard]] const Type& operator[](TypeId id) const { return types_[id]; }
    [[nodiscard]] TypeId element(TypeId id, std::uint32_t index) const {
        const Type& type = types_[id];
        return type.kind == Type::Kind::array ? type.elements[0] : type.elements[index];
    }
    [[nodiscard]] std::string text(TypeId id) const;

 private:
    TypeId intern(Type type);
    std::vector<Type> types_;
    std::map<Type, TypeId> known_;
};

/// A keyword argument: a number, a name, or a list of operands.
struct Keyword {
    std::string name;
    Place place;
    bool is_number = false;
    std::int64_t number = 0;
    std::string text;
    std::vector<std::uint32_t> operands;  ///< nodes named, where the keyword takes operands
};

struct Node {
    std::string name;
    TypeId type = 0;
    std::string operation;
    std::vector<std::uint32_t> operands;
    std::vector<Keyword> keywords;
    std::vector<base::BitVector> literal;  ///< leaves of a literal's value
    Place place;
    SourceLocation location;
};

struct Function {
    std::string name;
    std::uint32_t parameters = 0;  ///< the first nodes
    std::vector<Node> nodes;
    std::uint32_t result = 0;
    bool is_top = false;
    Place place;
};

struct Package {
    std::string name;
    TypeTable types;
    std::vector<Function> functions;
    std::map<std::string, std::uint32_t, std::less<>> function_by_name;
    std::vector<std::string> files;  ///< source files that locations speak of
};

/// Error(circuit) "source:line:column: message".
[[noreturn]] void fail(const std::string& source, Place place, const std::string& message);

[[nodiscard]] Package parse(std::string_view text, const std::string& source);

}  // namespace toroid::compiler::xls
