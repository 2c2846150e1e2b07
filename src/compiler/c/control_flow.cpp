// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/control_flow.hpp"

#include <fmt/format.h>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include <queue>

#include "compiler/c/source_place.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

// Sorts the blocks of each loop with its inner loops taken as one, outermost first.
class Sorter {
 public:
    Sorter(llvm::Function& function, const llvm::LoopInfo& loops) : function_(function), loops_(loops) {
        std::uint32_t position = 0;
        for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
            positions_[block] = position++;
        }
    }

    std::vector<const llvm::BasicBlock*> sorted() {
        for (const auto& [block, position] : positions_) {
            ++regions_[loops_.getLoopFor(block)].size;
            for (const llvm::BasicBlock* next : llvm::successors(block)) add_edge(block, next);
        }
        for (llvm::Loop* loop : loops_.getLoopsInPreorder()) ++regions_[loop->getParentLoop()].size;
        std::vector<const llvm::BasicBlock*> order;
        append(nullptr, &function_.getEntryBlock(), order);
        return order;
    }

 private:
    struct Region {
        // From a block, or the header that stands for an inner loop, to others of the same region.
        std::unordered_map<const llvm::BasicBlock*, std::vector<const llvm::BasicBlock*>> edges;
        std::unordered_map<const llvm::BasicBlock*, std::uint32_t> incoming;
        std::size_t size = 0;
    };

    const llvm::BasicBlock* representative(const llvm::BasicBlock* block, const llvm::Loop* region) const {
        const llvm::Loop* loop = loops_.getLoopFor(block);
        if (loop == region) return block;
        while (loop->getParentLoop() != region) loop = loop->getParentLoop();
        return loop->getHeader();
    }

    void add_edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to) {
        const llvm::Loop* region = loops_.getLoopFor(from);
        while (region != nullptr && !region->contains(to)) region = region->getParentLoop();
        if (region != nullptr && region->getHeader() == to) return;
        const llvm::BasicBlock* source = representative(from, region);
        const llvm::BasicBlock* target = representative(to, region);
        if (source == target) return;
        regions_[region].edges[source].push_back(target);
        ++regions_[region].incoming[target];
    }

    // Loops nest as deep as the source's statements, which clang limits.
    void append(const llvm::Loop* region, const llvm::BasicBlock* entry,
                std::vector<const llvm::BasicBlock*>& order) {
        Region& own = regions_[region];
        const auto later = [&](const llvm::BasicBlock* a, const llvm::BasicBlock* b) {
            return positions_.at(a) > positions_.at(b);
        };
        std::priority_queue<const llvm::BasicBlock*, std::vector<const llvm::BasicBlock*>, decltype(later)>
            ready(later);
        ready.push(entry);
        std::size_t placed = 0;
        while (!ready.empty()) {
            const llvm::BasicBlock* block = ready.top();
            ready.pop();
            ++placed;
            const llvm::Loop* loop = loops_.getLoopFor(block);
            if (loop != region) {
                append(loop, block, order);
            } else {
                order.push_back(block);
            }
            for (const llvm::BasicBlock* next : own.edges[block]) {
                if (--own.incoming[next] == 0) ready.push(next);
            }
        }
        if (placed != own.size) {
            throw Error(ErrorKind::circuit,
                        fmt::format("{}: function '{}' jumps into the middle of a loop; loops need one entry",
                                    place_of(function_), source_name(function_)));
        }
    }

    llvm::Function& function_;
    const llvm::LoopInfo& loops_;
    std::unordered_map<const llvm::BasicBlock*, std::uint32_t> positions_;
    std::unordered_map<const llvm::Loop*, Region> regions_;
};

}  // namespace

ControlFlow::ControlFlow(const llvm::Function& constant_function) {
    // LLVM's analyses take functions as changeable; none changes it.
    auto& function = const_cast<llvm::Function&>(constant_function);
    llvm::DominatorTree dominators(function);
    const llvm::PostDominatorTree post_dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (const llvm::BasicBlock* block : Sorter(function, loops).sorted()) {
        numbers_[block] = static_cast<std::uint32_t>(blocks_.size());
        Block entry;
        entry.block = block;
        const llvm::Loop* loop = loops.getLoopFor(block);
        entry.is_loop_header = loop != nullptr && loop->getHeader() == block;
        if (entry.is_loop_header) {
            entry.latch = loop->getLoopLatch();
            if (entry.latch == nullptr) {
                throw Error(ErrorKind::circuit,
                            fmt::format("{}: a loop of function '{}' goes back in several ways",
                                        place_of(function), source_name(function)));
            }
        }
        blocks_.push_back(entry);
    }
    for (Block& entry : blocks_) {
        for (const llvm::Loop* loop = loops.getLoopFor(entry.block); loop != nullptr;
             loop = loop->getParentLoop()) {
            entry.loops.push_back({numbers_.at(loop->getHeader()), loop->isLoopExiting(entry.block)});
        }
        const llvm::DomTreeNode* node = dominators.getNode(entry.block)->getIDom();
        // Out of every loop that this block is not in: there each round has had its own path.
        while (node != nullptr) {
            const llvm::Loop* loop = loops.getLoopFor(node->getBlock());
            if (loop == nullptr || loop->contains(entry.block)) break;
            node = dominators.getNode(loop->getHeader())->getIDom();
        }
        if (node != nullptr && !entry.is_loop_header &&
            post_dominators.dominates(entry.block, node->getBlock())) {
            entry.fork = numbers_.at(node->getBlock());
        }
    }
}

}  // namespace toroid::compiler
