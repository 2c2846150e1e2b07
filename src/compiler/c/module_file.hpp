// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace toroid::compiler {

/// Reads bitcode that clang or opt has just written; several files are linked into one module. Error(circuit)
/// says which symbol is defined twice.
[[nodiscard]] std::unique_ptr<llvm::Module> read_modules(llvm::LLVMContext& context,
                                                         const std::vector<std::filesystem::path>& files);
void write_module(const llvm::Module& module, const std::filesystem::path& file);

}  // namespace toroid::compiler
