// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
}  // namespace llvm

namespace toroid::compiler {

/// In which order a function's blocks are executed symbolically: a weak topological order. Every block comes
/// after all that lead to it, save back edges; the blocks of a loop lie together, the latch last; so a loop
/// has gone its last round before anything behind it is executed.
class ControlFlow {
 public:
    struct Block {
        const llvm::BasicBlock* block = nullptr;
        bool is_loop_header = false;
        const llvm::BasicBlock* latch = nullptr;  ///< of a header: where the back edge comes from
        /// The number of the block that every path here has passed and that leads nowhere else: what holds on
        /// arrival here is what held there.
        std::optional<std::uint32_t> fork;
        struct InLoop {
            std::uint32_t header = 0;
            bool is_exiting = false;  ///< whether control can leave that loop from this block
        };
        std::vector<InLoop> loops;  ///< all that hold the block
    };

    /// Error(circuit) for a cycle that is no loop with one entry.
    explicit ControlFlow(const llvm::Function& function);

    [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }  ///< in order
    [[nodiscard]] std::uint32_t number(const llvm::BasicBlock* block) const { return numbers_.at(block); }

 private:
    std::vector<Block> blocks_;
    std::unordered_map<const llvm::BasicBlock*, std::uint32_t> numbers_;
};

}  // namespace toroid::compiler
