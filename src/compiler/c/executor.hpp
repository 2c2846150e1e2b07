// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/c/c_reader.hpp"
#include "compiler/c/control_flow.hpp"
#include "compiler/c/memory.hpp"
#include "compiler/c/path.hpp"

namespace llvm {
class BinaryOperator;
class CallBase;
class CmpInst;
class Constant;
class DataLayout;
class GetElementPtrInst;
class GlobalVariable;
class Instruction;
class IntrinsicInst;
class Module;
class Type;
class Value;
}  // namespace llvm

namespace toroid::compiler {

/// Executes LLVM code on words: every instruction once for all inputs. Where control parts, each way gets a
/// path condition; where it joins, values and memory are selected by it. Blocks run in weak topological
/// order.
class Executor {
 public:
    Executor(WordGraph& graph, MemoryModel& memory, PathBounds& bounds, const llvm::Module& module,
             const COptions& options, std::vector<circuit::Warning>& warnings);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    struct Result {
        Value value;  ///< meaningless for a function without one
        Memory memory;
    };
    /// Error(circuit) with file, line and column for what cannot be a circuit.
    [[nodiscard]] Result run(const llvm::Function& function, std::vector<Value> arguments, Memory memory);

    /// One bit: whether some loop was cut short; nothing if none can be.
    [[nodiscard]] std::optional<Word> loop_bound_hit() const { return loop_bound_hit_; }

 private:
    struct State {
        Path path;
        Memory memory;
    };
    struct Arrival {
        State state;
        std::vector<Value> phis;
    };
    struct LoopState {
        std::uint64_t rounds = 0;
        std::uint64_t guarded_rounds = 0;  ///< of them, gone under encrypted conditions
        std::size_t entry_conditions = 0;
        bool is_last_round = false;
    };
    struct Frame;

    // executor.cpp
    Value call(const llvm::Function& function, std::vector<Value> arguments, State& state,
               const llvm::Instruction* site);
    Value run_blocks(Frame& frame, State& state);
    void run_block(Frame& frame, std::uint32_t number, State state);
    void leave(Frame& frame, std::uint32_t from, const llvm::Instruction& terminator, State state);
    void arrive(Frame& frame, std::uint32_t from, const llvm::Instruction& terminator, std::uint32_t to,
                State state);
    [[nodiscard]] bool enter_round(Frame& frame, std::uint32_t header, std::uint32_t from,
                                   const llvm::Instruction& terminator, const State& state);
    [[nodiscard]] Arrival join(std::vector<Arrival> arrivals);
    const ControlFlow& flow_of(const llvm::Function& function);
    void count_step();
    void set_location(const llvm::Instruction& instruction);

    // constants.cpp
    [[nodiscard]] Value value_of(const llvm::Value* value);
    [[nodiscard]] Value constant(const llvm::Constant* constant);
    [[nodiscard]] Value zero(const llvm::Type* type);
    [[nodiscard]] ObjectId object_of(const llvm::GlobalVariable& variable);
    void lay_out(Object& object, std::uint64_t offset, const llvm::Constant* constant);
    void store_typed(Object& object, std::uint64_t offset, const Value& value);

    // instructions.cpp
    /// False if control does not go on behind the instruction.
    [[nodiscard]] bool execute(const llvm::Instruction& instruction, State& state);
    [[nodiscard]] Value binary(const llvm::BinaryOperator& instruction, const State& state);
    [[nodiscard]] Value compare(const llvm::CmpInst& instruction);
    [[nodiscard]] Word compare_words(unsigned predicate, Word a, Word b);
    [[nodiscard]] Word compare_pointers(unsigned predicate, const Pointer& a, const Pointer& b);
    [[nodiscard]] Value element_pointer(const llvm::GetElementPtrInst& instruction);
    [[nodiscard]] Value load(const llvm::Instruction& instruction, const State& state, const Pointer& pointer,
                             llvm::Type* type);
    void store(const llvm::Instruction& instruction, State& state, const Pointer& pointer, const Value& value,
               llvm::Type* type);
    [[nodiscard]] bool known_nonzero(Word word, const State& state);
    [[nodiscard]] Word shift(unsigned opcode, Word a, Word amount);

    // calls.cpp
    [[nodiscard]] bool execute_call(const llvm::CallBase& instruction, State& state);
    [[nodiscard]] bool library_call(const llvm::CallBase& instruction, const llvm::Function& function,
                                    State& state);
    [[noreturn]] void refuse_call(const llvm::CallBase& instruction, const llvm::Function& function) const;
    [[nodiscard]] std::uint64_t fixed_size(const llvm::CallBase& instruction, unsigned argument);
    void fill(const llvm::CallBase& instruction, State& state);
    void copy(const llvm::CallBase& instruction, State& state);
    void compare_memory(const llvm::CallBase& instruction, State& state);

    // intrinsics.cpp
    [[nodiscard]] bool execute_intrinsic(const llvm::IntrinsicInst& instruction, State& state);
    [[nodiscard]] Word saturating(const llvm::IntrinsicInst& instruction);
    [[nodiscard]] Value with_overflow(const llvm::IntrinsicInst& instruction);

    [[nodiscard]] MemoryModel::Problem problem_at(const llvm::Instruction& instruction, const State& state);
    [[noreturn]] void fail(const llvm::Instruction& instruction, const std::string& message) const;
    void warn(const llvm::Instruction& instruction, const std::string& message);
    [[nodiscard]] Word word_of(const llvm::Value* value);
    [[nodiscard]] const Pointer& pointer_of(const llvm::Value* value);
    void set(const llvm::Instruction& instruction, Value value);
    void set(const llvm::Instruction& instruction, Word word) { set(instruction, Value::of(word)); }

    WordGraph& graph_;
    MemoryModel& memory_;
    PathBounds& bounds_;
    const llvm::Module& module_;
    const llvm::DataLayout& layout_;
    const COptions& options_;
    std::vector<circuit::Warning>& warnings_;
    PathLogic paths_;

    std::vector<Frame*> frames_;  // of the calls in progress, innermost last
    std::unordered_map<const llvm::Function*, std::unique_ptr<ControlFlow>> flows_;
    std::unordered_map<const llvm::Value*, ObjectId> globals_;
    std::unordered_map<const llvm::Constant*, Value> constants_;
    std::map<ObjectId, const llvm::Function*> functions_;
    std::unordered_map<std::string, std::uint32_t> files_;
    std::set<std::pair<std::string, std::string>> warned_;
    std::optional<Word> loop_bound_hit_;
    std::uint64_t steps_ = 0;
    std::chrono::steady_clock::time_point deadline_;
};

}  // namespace toroid::compiler
