// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compiler/c/c_interface.hpp"

namespace toroid::compiler {

/// The type without typedefs and qualifiers; `is_constant` is set if a const was among them.
[[nodiscard]] const llvm::DIType* bare_type(const llvm::DIType* type, bool* is_constant = nullptr);

/// Bytes, with padding.
[[nodiscard]] std::uint64_t size_of(const llvm::DIType* type);

/// Whether a number of that type is signed; nothing if the type is no integer, bool or enumeration.
[[nodiscard]] std::optional<bool> signedness(const llvm::DIType* type);

/// Appends a leaf for every number in the type: "name", "name.field", "name[2]". Error(circuit) at `place`
/// for what cannot be a port.
void append_leaves(const llvm::DIType* type, const std::string& name, std::uint64_t first_bit,
                   const std::string& place, std::vector<Leaf>& leaves);

}  // namespace toroid::compiler
