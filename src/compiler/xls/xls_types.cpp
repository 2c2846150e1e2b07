// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "compiler/xls/xls_syntax.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler::xls {
namespace {

constexpr std::uint64_t most_leaves = std::uint64_t{1} << 18;
constexpr std::size_t longest_text = 60;

[[noreturn]] void too_large() {
    throw Error(ErrorKind::circuit, fmt::format("a type of more than {} words", most_leaves));
}

}  // namespace

void fail(const std::string& source, Place place, const std::string& message) {
    throw Error(ErrorKind::circuit, fmt::format("{}:{}:{}: {}", source, place.line, place.column, message));
}

TypeId TypeTable::intern(Type type) {
    const auto [at, is_new] = known_.try_emplace(type, static_cast<TypeId>(types_.size()));
    if (is_new) types_.push_back(std::move(type));
    return at->second;
}

TypeId TypeTable::bits(std::uint32_t width) {
    Type type;
    type.width = width;
    type.leaves = width == 0 ? 0 : 1;
    return intern(std::move(type));
}

TypeId TypeTable::token() {
    Type type;
    type.kind = Type::Kind::token;
    return intern(std::move(type));
}

TypeId TypeTable::array(TypeId element, std::uint32_t count) {
    Type type;
    type.kind = Type::Kind::array;
    type.elements = {element};
    type.count = count;
    type.leaves = types_[element].leaves * count;
    if (type.leaves > most_leaves || count > most_leaves) too_large();
    return intern(std::move(type));
}

TypeId TypeTable::tuple(std::vector<TypeId> elements) {
    Type type;
    type.kind = Type::Kind::tuple;
    type.count = static_cast<std::uint32_t>(elements.size());
    for (const TypeId element : elements) type.leaves += types_[element].leaves;
    if (type.leaves > most_leaves) too_large();
    type.elements = std::move(elements);
    return intern(std::move(type));
}

std::string TypeTable::text(TypeId id) const {
    const Type& type = types_[id];
    std::string out;
    switch (type.kind) {
        case Type::Kind::bits:
            return fmt::format("bits[{}]", type.width);
        case Type::Kind::token:
            return "token";
        case Type::Kind::array:
            return fmt::format("{}[{}]", text(type.elements[0]), type.count);
        case Type::Kind::tuple:
            for (const TypeId element : type.elements) {
                out += (out.empty() ? "" : ", ") + text(element);
                if (out.size() > longest_text) return "(" + out.substr(0, longest_text) + "...)";
            }
            return "(" + out + ")";
    }
    return out;
}

}  // namespace toroid::compiler::xls
