// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/type_leaves.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <charconv>

#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::size_t most_ports = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::string& place, const std::string& name, const std::string& reason) {
    throw Error(ErrorKind::circuit, fmt::format("{}: '{}' {}", place, name, reason));
}

// A _BitInt's debug information gives the size in memory; its width is in its name.
std::uint32_t width_of(const llvm::DIBasicType& type) {
    if (type.getEncoding() == llvm::dwarf::DW_ATE_boolean) return 1;
    const llvm::StringRef name = type.getName();
    const std::size_t open = name.find("_BitInt(");
    if (open != llvm::StringRef::npos) {
        std::uint32_t width = 0;
        const llvm::StringRef number = name.substr(open + 8);
        std::from_chars(number.begin(), number.end(), width);
        if (width > 0) return width;
    }
    return static_cast<std::uint32_t>(type.getSizeInBits());
}

bool is_static(const llvm::DIDerivedType& member) {
    return member.isStaticMember() || member.getTag() == llvm::dwarf::DW_TAG_variable;
}

std::vector<std::uint64_t> dimensions(const llvm::DICompositeType& array, const std::string& place,
                                      const std::string& name) {
    std::vector<std::uint64_t> result;
    for (const llvm::DINode* element : array.getElements()) {
        const auto* range = llvm::dyn_cast<llvm::DISubrange>(element);
        const auto count = range == nullptr ? llvm::DISubrange::BoundType{} : range->getCount();
        const auto* number = llvm::dyn_cast_if_present<llvm::ConstantInt*>(count);
        if (number == nullptr || number->getSExtValue() < 0)
            refuse(place, name, "is an array of variable or unknown length");
        result.push_back(number->getZExtValue());
    }
    return result;
}

void append_array(const llvm::DICompositeType& array, const std::string& name, std::uint64_t first_bit,
                  const std::string& place, std::vector<Leaf>& leaves) {
    if (array.isVector()) refuse(place, name, "has a vector type, which is not supported");
    const std::vector<std::uint64_t> counts = dimensions(array, place, name);
    std::uint64_t total = 1;
    for (const std::uint64_t count : counts) {
        if (count != 0 && total > most_ports / count) refuse(place, name, "has too many elements");
        total *= count;
    }
    const std::uint64_t each = 8 * size_of(array.getBaseType());
    for (std::uint64_t i = 0; i < total; ++i) {
        std::string element = name;
        std::uint64_t below = total;
        for (const std::uint64_t count : counts) {
            below /= count;
            element += fmt::format("[{}]", i / below % count);
        }
        append_leaves(array.getBaseType(), element, first_bit + i * each, place, leaves);
    }
}

// std::array is what it holds: its ports are a[0], not a._M_elems[0].
bool is_standard_array(const llvm::DICompositeType& type) {
    const auto* scope = llvm::dyn_cast_or_null<llvm::DINamespace>(type.getScope());
    return scope != nullptr && scope->getName() == "std" && type.getName().starts_with("array<");
}

void append_members(const llvm::DICompositeType& structure, const std::string& name, std::uint64_t first_bit,
                    const std::string& place, std::vector<Leaf>& leaves) {
    if (structure.isForwardDecl()) refuse(place, name, "has a type whose members are not known here");
    for (const llvm::DINode* element : structure.getElements()) {
        const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
        if (member == nullptr) continue;
        const std::uint64_t at = first_bit + member->getOffsetInBits();
        if (member->getTag() == llvm::dwarf::DW_TAG_inheritance) {
            if (member->isVirtual()) refuse(place, name, "has a virtual base class, which is not supported");
            append_leaves(member->getBaseType(), name, at, place, leaves);
            continue;
        }
        if (member->getTag() != llvm::dwarf::DW_TAG_member || is_static(*member)) continue;
        if (member->getName().starts_with("_vptr"))
            refuse(place, name, "has virtual functions, which are not supported in ports");
        const std::string field = is_standard_array(structure) || member->getName().empty()
                                      ? name
                                      : fmt::format("{}.{}", name, member->getName().str());
        if (!member->isBitField()) {
            append_leaves(member->getBaseType(), field, at, place, leaves);
            continue;
        }
        const auto is_signed = signedness(member->getBaseType());
        if (!is_signed) refuse(place, field, "is a bit-field of a type that no port can carry");
        if (!member->getName().empty() && member->getSizeInBits() > 0)
            leaves.push_back({field, at, static_cast<std::uint32_t>(member->getSizeInBits()), *is_signed});
    }
}

}  // namespace

const llvm::DIType* bare_type(const llvm::DIType* type, bool* is_constant) {
    while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        switch (derived->getTag()) {
            case llvm::dwarf::DW_TAG_const_type:
                if (is_constant != nullptr) *is_constant = true;
                break;
            case llvm::dwarf::DW_TAG_typedef:
            case llvm::dwarf::DW_TAG_volatile_type:
            case llvm::dwarf::DW_TAG_restrict_type:
            case llvm::dwarf::DW_TAG_atomic_type:
            case llvm::dwarf::DW_TAG_template_alias:
                break;
            default:
                return type;
        }
        type = derived->getBaseType();
    }
    return type;
}

std::uint64_t size_of(const llvm::DIType* type) {
    const llvm::DIType* bare = bare_type(type);
    return bare == nullptr ? 0 : bare->getSizeInBits() / 8;
}

std::optional<bool> signedness(const llvm::DIType* type) {
    const llvm::DIType* bare = bare_type(type);
    if (const auto* basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(bare)) {
        switch (basic->getEncoding()) {
            case llvm::dwarf::DW_ATE_signed:
            case llvm::dwarf::DW_ATE_signed_char:
                return true;
            case llvm::dwarf::DW_ATE_unsigned:
            case llvm::dwarf::DW_ATE_unsigned_char:
            case llvm::dwarf::DW_ATE_boolean:
            case llvm::dwarf::DW_ATE_UTF:
                return false;
            default:
                return std::nullopt;
        }
    }
    if (const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(bare);
        composite != nullptr && composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type) {
        return composite->getBaseType() == nullptr ? std::optional(false)
                                                   : signedness(composite->getBaseType());
    }
    return std::nullopt;
}

void append_leaves(const llvm::DIType* type, const std::string& name, std::uint64_t first_bit,
                   const std::string& place, std::vector<Leaf>& leaves) {
    if (leaves.size() >= most_ports) refuse(place, name, fmt::format("makes more than {} ports", most_ports));
    const llvm::DIType* bare = bare_type(type);
    if (const auto is_signed = signedness(bare)) {
        const auto* basic = llvm::dyn_cast<llvm::DIBasicType>(bare);
        const std::uint32_t width =
            basic != nullptr ? width_of(*basic) : static_cast<std::uint32_t>(bare->getSizeInBits());
        leaves.push_back({name, first_bit, width, *is_signed});
        return;
    }
    if (const auto* basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(bare))
        refuse(place, name,
               fmt::format("has type {}; floating point is not supported", basic->getName().str()));
    const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(bare);
    switch (composite == nullptr ? 0U : static_cast<unsigned>(composite->getTag())) {
        case llvm::dwarf::DW_TAG_array_type:
            append_array(*composite, name, first_bit, place, leaves);
            return;
        case llvm::dwarf::DW_TAG_structure_type:
        case llvm::dwarf::DW_TAG_class_type:
            append_members(*composite, name, first_bit, place, leaves);
            return;
        case llvm::dwarf::DW_TAG_union_type:
            refuse(place, name, "is a union; a port cannot be several things");
        default:
            break;
    }
    if (llvm::isa_and_nonnull<llvm::DIDerivedType>(bare))
        refuse(place, name, "is a pointer inside a parameter or result; only parameters may be pointers");
    refuse(place, name, "has a type that no port can carry");
}

}  // namespace toroid::compiler
