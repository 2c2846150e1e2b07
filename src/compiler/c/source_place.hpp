// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace llvm {
class DILocation;
class Function;
class Instruction;
}  // namespace llvm

namespace toroid::compiler {

/// "file:line:column" of the user's source; what is unknown is left out.
[[nodiscard]] std::string place_of(const llvm::DILocation* location);
[[nodiscard]] std::string place_of(const llvm::Instruction& instruction);  ///< or of its function
[[nodiscard]] std::string place_of(const llvm::Function& function);
/// The name as the user wrote it.
[[nodiscard]] std::string source_name(const llvm::Function& function);

}  // namespace toroid::compiler
