// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/c/executor.hpp"

namespace toroid::compiler {

/// One call in progress.
struct Executor::Frame {
    const llvm::Function* function = nullptr;
    const llvm::Instruction* site = nullptr;  ///< the call; null for the first
    const ControlFlow* flow = nullptr;
    std::unordered_map<const llvm::Value*, Value> values;
    std::map<std::uint32_t, std::vector<Arrival>> pending;  ///< by block number
    std::vector<Path> paths;                                ///< what held when a block last ran
    std::unordered_map<std::uint32_t, LoopState> loops;     ///< by header
    std::vector<Arrival> returns;                           ///< the value returned is their only phi
    std::vector<ObjectId> locals;
};

}  // namespace toroid::compiler
