// SPDX-License-Identifier: Apache-2.0
// Calls: of functions in the program, of the few library functions that are known, and why others are
// refused.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/c/frame.hpp"
#include "compiler/c/source_place.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint64_t largest_copy = std::uint64_t{1} << 20;

template <std::size_t size>
bool is_one_of(std::string_view name, const std::array<std::string_view, size>& names) {
    return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 11> heap_functions{"malloc",        "calloc",  "realloc", "free",
                                                          "aligned_alloc", "alloca",  "_Znwm",   "_Znam",
                                                          "_ZdlPv",        "_ZdlPvm", "_ZdaPv"};
constexpr std::array<std::string_view, 24> io_functions{
    "printf", "fprintf", "sprintf", "snprintf", "puts", "putchar", "fputs",   "fputc",
    "putc",   "scanf",   "fscanf",  "sscanf",   "gets", "fgets",   "getchar", "fopen",
    "fclose", "fread",   "fwrite",  "fflush",   "read", "write",   "open",    "perror"};
constexpr std::array<std::string_view, 9> ending_functions{"abort",
                                                           "exit",
                                                           "_Exit",
                                                           "__assert_fail",
                                                           "_ZSt9terminatev",
                                                           "__cxa_pure_virtual",
                                                           "_ZSt21__glibcxx_assert_failPKciS0_S0_",
                                                           "_ZSt20__throw_out_of_rangePKc",
                                                           "_ZSt24__throw_out_of_range_fmtPKcz"};
// What <iostream> does before main() concerns no function that can be compiled.
constexpr std::array<std::string_view, 3> start_functions{"_ZNSt8ios_base4InitC1Ev", "__cxa_atexit",
                                                          "atexit"};

}  // namespace

bool Executor::execute_call(const llvm::CallBase& instruction, State& state) {
    if (instruction.isInlineAsm()) fail(instruction, "inline assembly is not supported");
    const llvm::Function* function = instruction.getCalledFunction();
    if (function == nullptr) {
        const Pointer& callee = pointer_of(instruction.getCalledOperand());
        if (callee.size() != 1 || !functions_.contains(callee[0].object))
            fail(instruction, "a function pointer that depends on encrypted data, or is null, is called");
        function = functions_.at(callee[0].object);
    }
    if (function->isDeclaration()) return library_call(instruction, *function, state);
    if (function->isVarArg())
        fail(instruction, fmt::format("'{}' takes any number of arguments, which is not supported",
                                      source_name(*function)));
    std::vector<Value> arguments;
    for (const llvm::Use& argument : instruction.args()) arguments.push_back(value_of(argument));
    const Path path = state.path;
    Value result = call(*function, std::move(arguments), state, &instruction);
    state.path = path;
    bounds_.set_path(path);
    if (!instruction.getType()->isVoidTy()) set(instruction, std::move(result));
    return true;
}

bool Executor::library_call(const llvm::CallBase& instruction, const llvm::Function& function, State& state) {
    const std::string_view name(function.getName().data(), function.getName().size());
    if (name == "memcpy" || name == "memmove" || name == "memset") {
        if (name == "memset") {
            fill(instruction, state);
        } else {
            copy(instruction, state);
        }
        set(instruction, value_of(instruction.getArgOperand(0)));
        return true;
    }
    if (name == "memcmp") {
        compare_memory(instruction, state);
        return true;
    }
    if (name == "abs" || name == "labs" || name == "llabs") {
        const Word number = word_of(instruction.getArgOperand(0));
        const Word negative = graph_.extract(number, graph_.width(number) - 1, 1);
        set(instruction, graph_.select(negative, graph_.negate(number), number));
        return true;
    }
    if (is_one_of(name, ending_functions)) {
        warn(instruction,
             fmt::format("the program may end here ('{}'); the circuit's outputs then mean nothing",
                         source_name(function)));
        return false;
    }
    if (is_one_of(name, start_functions)) {
        if (!instruction.getType()->isVoidTy()) set(instruction, zero(instruction.getType()));
        return true;
    }
    refuse_call(instruction, function);
}

void Executor::refuse_call(const llvm::CallBase& instruction, const llvm::Function& function) const {
    const std::string_view name(function.getName().data(), function.getName().size());
    const std::string shown = source_name(function);
    if (is_one_of(name, heap_functions))
        fail(instruction,
             fmt::format("'{}' uses the heap, which is not supported; use arrays of fixed size", shown));
    if (is_one_of(name, io_functions) || name.find("basic_ostream") != std::string_view::npos ||
        name.find("basic_istream") != std::string_view::npos || name.starts_with("_ZNSo") ||
        name.starts_with("_ZStls") || name.starts_with("_ZNSi")) {
        fail(instruction, fmt::format("'{}' is input or output, which a circuit cannot do", shown));
    }
    fail(instruction, fmt::format("'{}' is called, but its source is not given", shown));
}

std::uint64_t Executor::fixed_size(const llvm::CallBase& instruction, unsigned argument) {
    std::uint64_t size = 0;
    const Word word = word_of(instruction.getArgOperand(argument));
    if (!graph_.constant_value(word, size))
        fail(instruction,
             "the number of bytes depends on encrypted data; write a loop with a fixed end instead");
    if (size > largest_copy) fail(instruction, fmt::format("more than {} bytes at once", largest_copy));
    return size;
}

void Executor::copy(const llvm::CallBase& instruction, State& state) {
    const std::uint64_t size = fixed_size(instruction, 2);
    memory_.copy(state.memory, pointer_of(instruction.getArgOperand(0)),
                 pointer_of(instruction.getArgOperand(1)), size, problem_at(instruction, state));
}

void Executor::fill(const llvm::CallBase& instruction, State& state) {
    const std::uint64_t size = fixed_size(instruction, 2);
    const Pointer& to = pointer_of(instruction.getArgOperand(0));
    const Value byte = Value::of(graph_.extract(word_of(instruction.getArgOperand(1)), 0, 8));
    const MemoryModel::Problem problem = problem_at(instruction, state);
    for (std::uint64_t i = 0; i < size; ++i)
        memory_.store(state.memory, memory_.moved(to, static_cast<std::int64_t>(i)), byte, 1, problem);
}

// The sign of the first difference; 0 without one.
void Executor::compare_memory(const llvm::CallBase& instruction, State& state) {
    const std::uint64_t size = fixed_size(instruction, 2);
    const MemoryModel::Problem problem = problem_at(instruction, state);
    const Pointer& a = pointer_of(instruction.getArgOperand(0));
    const Pointer& b = pointer_of(instruction.getArgOperand(1));
    // Big-endian words compare as their bytes do in order.
    std::vector<Word> a_bytes;
    std::vector<Word> b_bytes;
    for (std::uint64_t i = size; i-- > 0;) {
        const auto at = static_cast<std::int64_t>(i);
        a_bytes.push_back(memory_.load(state.memory, memory_.moved(a, at), 1, false, problem).word);
        b_bytes.push_back(memory_.load(state.memory, memory_.moved(b, at), 1, false, problem).word);
    }
    const std::uint32_t width = instruction.getType()->getIntegerBitWidth();
    if (size == 0) {
        set(instruction, graph_.constant(0, width));
        return;
    }
    const Word a_word = graph_.concatenate(a_bytes);
    const Word b_word = graph_.concatenate(b_bytes);
    const Word different = graph_.not_equal(a_word, b_word);
    const Word sign =
        graph_.select(graph_.unsigned_less(a_word, b_word), graph_.ones(width), graph_.constant(1, width));
    set(instruction, graph_.select(different, sign, graph_.constant(0, width)));
}

}  // namespace toroid::compiler
