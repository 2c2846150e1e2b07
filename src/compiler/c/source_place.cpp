// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/source_place.hpp"

#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

namespace toroid::compiler {

std::string place_of(const llvm::DILocation* location) {
    const std::string file = location->getFilename().str();
    if (location->getLine() == 0) return file;
    return fmt::format("{}:{}:{}", file, location->getLine(), location->getColumn());
}

std::string place_of(const llvm::Instruction& instruction) {
    if (const llvm::DILocation* location = instruction.getDebugLoc().get(); location != nullptr)
        return place_of(location);
    return place_of(*instruction.getFunction());
}

std::string place_of(const llvm::Function& function) {
    const llvm::DISubprogram* subprogram = function.getSubprogram();
    if (subprogram == nullptr) return function.getParent()->getSourceFileName();
    return fmt::format("{}:{}", subprogram->getFilename().str(), subprogram->getLine());
}

std::string source_name(const llvm::Function& function) {
    const llvm::DISubprogram* subprogram = function.getSubprogram();
    if (subprogram != nullptr) return subprogram->getName().str();
    return llvm::demangle(function.getName().str());
}

}  // namespace toroid::compiler
