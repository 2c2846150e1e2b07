// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, memory accesses and what moves values about.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/c/frame.hpp"
#include "compiler/c/source_place.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint64_t largest_local = std::uint64_t{1} << 24;

}  // namespace

void Executor::fail(const llvm::Instruction& instruction, const std::string& message) const {
    throw Error(ErrorKind::circuit, fmt::format("{}: {}", place_of(instruction), message));
}

void Executor::warn(const llvm::Instruction& instruction, const std::string& message) {
    const std::string place = place_of(instruction);
    if (warned_.emplace(place, message).second) warnings_.push_back({place, message});
}

MemoryModel::Problem Executor::problem_at(const llvm::Instruction& instruction, const State& state) {
    const bool is_certain = state.path.empty();
    return [this, &instruction, is_certain](const std::string& message) {
        if (is_certain) fail(instruction, message);
        warn(instruction, message + " on some path; reading gives 0 there, writing changes nothing");
    };
}

Word Executor::word_of(const llvm::Value* value) {
    const Value result = value_of(value);
    if (result.kind != Value::Kind::word) throw UnsupportedProgram{"a number is expected here"};
    return result.word;
}

const Pointer& Executor::pointer_of(const llvm::Value* value) {
    const Value result = value_of(value);
    if (result.kind != Value::Kind::pointer) throw UnsupportedProgram{"a pointer is expected here"};
    // The frame or the table of constants holds the same pointer.
    return *result.pointer;
}

void Executor::set(const llvm::Instruction& instruction, Value value) {
    frames_.back()->values[&instruction] = std::move(value);
}

bool Executor::execute(const llvm::Instruction& instruction, State& state) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call))
            return execute_intrinsic(*intrinsic, state);
        return execute_call(*call, state);
    }
    const llvm::Type* type = instruction.getType();
    if (type->isFPOrFPVectorTy()) fail(instruction, "floating point is not supported");
    if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
        set(instruction, binary(*operation, state));
        return true;
    }
    if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
        set(instruction, compare(*comparison));
        return true;
    }
    const llvm::Value* first = instruction.getNumOperands() > 0 ? instruction.getOperand(0) : nullptr;
    switch (instruction.getOpcode()) {
        case llvm::Instruction::Select: {
            const Word condition = word_of(first);
            set(instruction, memory_.select(condition, value_of(instruction.getOperand(1)),
                                            value_of(instruction.getOperand(2))));
            return true;
        }
        case llvm::Instruction::ZExt:
            set(instruction, graph_.zero_extend(word_of(first), type->getIntegerBitWidth()));
            return true;
        case llvm::Instruction::SExt:
            set(instruction, graph_.sign_extend(word_of(first), type->getIntegerBitWidth()));
            return true;
        case llvm::Instruction::Trunc:
            set(instruction, graph_.extract(word_of(first), 0, type->getIntegerBitWidth()));
            return true;
        case llvm::Instruction::Freeze:
            set(instruction, value_of(first));
            return true;
        case llvm::Instruction::PtrToInt:
            set(instruction,
                graph_.resize(memory_.address(pointer_of(first)), type->getIntegerBitWidth(), false));
            return true;
        case llvm::Instruction::IntToPtr:
            if (!graph_.is_zero(word_of(first))) fail(instruction, "a number is turned into a pointer");
            set(instruction, Value::of(memory_.pointer_to(null_object)));
            return true;
        case llvm::Instruction::GetElementPtr:
            set(instruction, element_pointer(llvm::cast<llvm::GetElementPtrInst>(instruction)));
            return true;
        case llvm::Instruction::Alloca: {
            const auto& local = llvm::cast<llvm::AllocaInst>(instruction);
            std::uint64_t count = 0;
            if (!graph_.constant_value(word_of(local.getArraySize()), count))
                fail(instruction, "an array of variable length is not supported");
            const std::uint64_t each = layout_.getTypeAllocSize(local.getAllocatedType());
            if (count > largest_local || each * count > largest_local)
                fail(instruction, fmt::format("a local variable has more than {} bytes", largest_local));
            const ObjectId object = memory_.add({"a local variable", each * count, false, false, nullptr});
            state.memory[object] = std::make_shared<Object>(memory_.zeros(each * count));
            frames_.back()->locals.push_back(object);
            set(instruction, Value::of(memory_.pointer_to(object)));
            return true;
        }
        case llvm::Instruction::Load: {
            const auto& access = llvm::cast<llvm::LoadInst>(instruction);
            if (access.isVolatile()) fail(instruction, "a volatile variable is read");
            if (access.isAtomic()) fail(instruction, "an atomic variable is read");
            set(instruction, load(instruction, state, pointer_of(first), access.getType()));
            return true;
        }
        case llvm::Instruction::Store: {
            const auto& access = llvm::cast<llvm::StoreInst>(instruction);
            if (access.isVolatile()) fail(instruction, "a volatile variable is written");
            if (access.isAtomic()) fail(instruction, "an atomic variable is written");
            store(instruction, state, pointer_of(access.getPointerOperand()),
                  value_of(access.getValueOperand()), access.getValueOperand()->getType());
            return true;
        }
        case llvm::Instruction::ExtractValue: {
            Value value = value_of(first);
            for (const unsigned index : llvm::cast<llvm::ExtractValueInst>(instruction).indices()) {
                Value field = std::move(value.fields.at(index));
                value = std::move(field);
            }
            set(instruction, std::move(value));
            return true;
        }
        case llvm::Instruction::InsertValue: {
            Value whole = value_of(first);
            Value* place = &whole;
            for (const unsigned index : llvm::cast<llvm::InsertValueInst>(instruction).indices())
                place = &place->fields.at(index);
            *place = value_of(instruction.getOperand(1));
            set(instruction, std::move(whole));
            return true;
        }
        default:
            break;
    }
    for (const llvm::Value* operand : instruction.operand_values()) {
        if (operand->getType()->isFPOrFPVectorTy()) fail(instruction, "floating point is not supported");
    }
    if (instruction.isAtomic()) fail(instruction, "atomic operations are not supported");
    if (type->isVectorTy()) fail(instruction, "vector types are not supported");
    fail(instruction, fmt::format("the operation '{}' is not supported", instruction.getOpcodeName()));
}

// A divisor that the path or its range shows not to be 0.
bool Executor::known_nonzero(Word word, const State& state) {
    if (bounds_.of(word).unsigned_low > 0 || bounds_.of(word).signed_low > 0 ||
        bounds_.of(word).signed_high < 0)
        return true;
    const auto strip = [&](Word inner) {
        while (graph_.node(inner).op == WordOp::zero_extend || graph_.node(inner).op == WordOp::sign_extend)
            inner = graph_.operands(inner)[0];
        return inner;
    };
    const Word core = strip(word);
    for (const Condition& condition : state.path) {
        const WordGraph::Node& node = graph_.node(condition.word);
        if (node.width == 1 && !condition.inverted && condition.word == core) return true;
        if (node.op != WordOp::equal && node.op != WordOp::unsigned_less && node.op != WordOp::signed_less)
            continue;
        const Word a = graph_.operands(condition.word)[0];
        const Word b = graph_.operands(condition.word)[1];
        const bool involves = strip(a) == core || strip(b) == core;
        if (!involves) continue;
        if (node.op == WordOp::equal && condition.inverted && (graph_.is_zero(a) || graph_.is_zero(b)))
            return true;
        // c < word with c >= 0 (or word < c with c <= 0), and not (word < c) with c > 0.
        const bool word_right = strip(b) == core;
        const Bounds& other = bounds_.of(word_right ? a : b);
        if (word_right && !condition.inverted && (node.op == WordOp::unsigned_less || other.signed_low >= 0))
            return true;
        if (!word_right && condition.inverted &&
            (node.op == WordOp::unsigned_less ? other.unsigned_low > 0 : other.signed_low > 0))
            return true;
        if (!word_right && !condition.inverted && node.op == WordOp::signed_less && other.signed_high <= 0)
            return true;
    }
    return false;
}

Word Executor::shift(unsigned opcode, Word a, Word amount) {
    switch (opcode) {
        case llvm::Instruction::Shl:
            return graph_.shift_left(a, amount);
        case llvm::Instruction::LShr:
            return graph_.shift_right_logical(a, amount);
        default:
            return graph_.shift_right_arithmetic(a, amount);
    }
}

Value Executor::binary(const llvm::BinaryOperator& instruction, const State& state) {
    const Word a = word_of(instruction.getOperand(0));
    const Word b = word_of(instruction.getOperand(1));
    const auto check_divisor = [&] {
        if (graph_.is_zero(b)) {
            warn(instruction,
                 "division by 0; x / 0 is -1 (all ones; 1 if x is a negative number), x % 0 is x");
        } else if (!known_nonzero(b, state)) {
            warn(instruction,
                 "the divisor may be 0; then x / 0 is -1 (all ones; 1 if x is a negative number), "
                 "x % 0 is x");
        }
    };
    switch (instruction.getOpcode()) {
        case llvm::Instruction::Add:
            return Value::of(graph_.add(a, b));
        case llvm::Instruction::Sub:
            return Value::of(graph_.subtract(a, b));
        case llvm::Instruction::Mul:
            return Value::of(graph_.multiply(a, b));
        case llvm::Instruction::UDiv:
            check_divisor();
            return Value::of(graph_.unsigned_divide(a, b));
        case llvm::Instruction::URem:
            check_divisor();
            return Value::of(graph_.unsigned_remainder(a, b));
        case llvm::Instruction::SDiv:
        case llvm::Instruction::SRem: {
            check_divisor();
            const bool is_division = instruction.getOpcode() == llvm::Instruction::SDiv;
            // Two numbers that cannot be negative need no work on signs.
            if (bounds_.of(a).signed_low >= 0 && bounds_.of(b).signed_low >= 0) {
                return Value::of(is_division ? graph_.unsigned_divide(a, b)
                                             : graph_.unsigned_remainder(a, b));
            }
            return Value::of(is_division ? graph_.signed_divide(a, b) : graph_.signed_remainder(a, b));
        }
        case llvm::Instruction::And:
            return Value::of(graph_.bit_and(a, b));
        case llvm::Instruction::Or:
            return Value::of(graph_.bit_or(a, b));
        case llvm::Instruction::Xor:
            return Value::of(graph_.bit_xor(a, b));
        case llvm::Instruction::Shl:
        case llvm::Instruction::LShr:
        case llvm::Instruction::AShr:
            if (bounds_.of(b).unsigned_high >= graph_.width(a)) {
                warn(instruction,
                     fmt::format("the shift amount may be {} or more; then every bit is shifted out",
                                 graph_.width(a)));
            }
            return Value::of(shift(instruction.getOpcode(), a, b));
        default:
            fail(instruction,
                 fmt::format("the operation '{}' is not supported", instruction.getOpcodeName()));
    }
}

Word Executor::compare_words(unsigned predicate, Word a, Word b) {
    // Copies: the table of bounds grows as words are added.
    const Bounds xs = bounds_.of(a);
    const Bounds ys = bounds_.of(b);
    const bool has_bounds = graph_.width(a) <= 64;
    const auto unsigned_less = [&](Word first, const Bounds& of_first, Word second, const Bounds& of_second) {
        if (has_bounds && of_first.unsigned_high < of_second.unsigned_low) return graph_.ones(1);
        if (has_bounds && of_first.unsigned_low >= of_second.unsigned_high) return graph_.constant(0, 1);
        return graph_.unsigned_less(first, second);
    };
    const auto signed_less = [&](Word first, const Bounds& of_first, Word second, const Bounds& of_second) {
        if (has_bounds && of_first.signed_high < of_second.signed_low) return graph_.ones(1);
        if (has_bounds && of_first.signed_low >= of_second.signed_high) return graph_.constant(0, 1);
        return graph_.signed_less(first, second);
    };
    switch (predicate) {
        case llvm::CmpInst::ICMP_EQ:
        case llvm::CmpInst::ICMP_NE: {
            const bool apart =
                has_bounds && (xs.unsigned_high < ys.unsigned_low || ys.unsigned_high < xs.unsigned_low);
            const Word equal = apart ? graph_.constant(0, 1) : graph_.equal(a, b);
            return predicate == llvm::CmpInst::ICMP_EQ ? equal : graph_.bit_not(equal);
        }
        case llvm::CmpInst::ICMP_ULT:
            return unsigned_less(a, xs, b, ys);
        case llvm::CmpInst::ICMP_UGE:
            return graph_.bit_not(unsigned_less(a, xs, b, ys));
        case llvm::CmpInst::ICMP_UGT:
            return unsigned_less(b, ys, a, xs);
        case llvm::CmpInst::ICMP_ULE:
            return graph_.bit_not(unsigned_less(b, ys, a, xs));
        case llvm::CmpInst::ICMP_SLT:
            return signed_less(a, xs, b, ys);
        case llvm::CmpInst::ICMP_SGE:
            return graph_.bit_not(signed_less(a, xs, b, ys));
        case llvm::CmpInst::ICMP_SGT:
            return signed_less(b, ys, a, xs);
        case llvm::CmpInst::ICMP_SLE:
            return graph_.bit_not(signed_less(b, ys, a, xs));
        default:
            throw UnsupportedProgram{"floating point is not supported"};
    }
}

Word Executor::compare_pointers(unsigned predicate, const Pointer& a, const Pointer& b) {
    if (predicate == llvm::CmpInst::ICMP_EQ) return memory_.equal(a, b);
    if (predicate == llvm::CmpInst::ICMP_NE) return graph_.bit_not(memory_.equal(a, b));
    // Within one object offsets decide; one to the left of its start counts as negative.
    const auto is_signed_predicate =
        llvm::CmpInst::getSignedPredicate(static_cast<llvm::CmpInst::Predicate>(predicate));
    std::optional<Word> result;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a.size() != b.size() || a[i].object != b[i].object || a[i].guard != b[i].guard)
            return compare_words(predicate, memory_.address(a), memory_.address(b));
        const Word here = compare_words(is_signed_predicate, memory_.offset(a[i]), memory_.offset(b[i]));
        result = result ? graph_.select(a[i].guard, here, *result) : here;
    }
    return result ? *result : graph_.constant(0, 1);
}

Value Executor::compare(const llvm::CmpInst& instruction) {
    const llvm::Value* a = instruction.getOperand(0);
    const llvm::Value* b = instruction.getOperand(1);
    if (a->getType()->isPointerTy())
        return Value::of(compare_pointers(instruction.getPredicate(), pointer_of(a), pointer_of(b)));
    if (!a->getType()->isIntegerTy()) fail(instruction, "floating point and vectors are not supported");
    return Value::of(compare_words(instruction.getPredicate(), word_of(a), word_of(b)));
}

Value Executor::element_pointer(const llvm::GetElementPtrInst& instruction) {
    if (instruction.getType()->isVectorTy()) fail(instruction, "vector types are not supported");
    Pointer pointer = pointer_of(instruction.getPointerOperand());
    const auto end = llvm::gep_type_end(instruction);
    const llvm::Type* container = nullptr;
    for (auto step = llvm::gep_type_begin(instruction); step != end; ++step) {
        if (llvm::StructType* structure = step.getStructTypeOrNull()) {
            const auto field = llvm::cast<llvm::ConstantInt>(step.getOperand())->getZExtValue();
            const std::uint64_t offset =
                layout_.getStructLayout(structure)->getElementOffset(static_cast<unsigned>(field));
            pointer = memory_.moved(std::move(pointer), static_cast<std::int64_t>(offset));
            container = step.getIndexedType();
            continue;
        }
        IndexTerm term;
        term.index = graph_.resize(word_of(step.getOperand()), 64, true);
        term.stride = static_cast<std::int64_t>(step.getSequentialElementStride(layout_));
        // The index into an array, as against that of a pointer's first step, stays within the array.
        if (const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(container); array != nullptr) {
            term.low = 0;
            term.high = static_cast<std::int64_t>(array->getNumElements()) - 1;
        }
        pointer = memory_.moved(std::move(pointer), term);
        container = step.getIndexedType();
    }
    return Value::of(std::move(pointer));
}

Value Executor::load(const llvm::Instruction& instruction, const State& state, const Pointer& pointer,
                     llvm::Type* type) {
    const MemoryModel::Problem problem = problem_at(instruction, state);
    if (type->isPointerTy()) return memory_.load(state.memory, pointer, 8, true, problem);
    if (type->isIntegerTy()) {
        const std::uint32_t width = type->getIntegerBitWidth();
        const Value value = memory_.load(state.memory, pointer, (width + 7) / 8, false, problem);
        return Value::of(graph_.extract(value.word, 0, width));
    }
    std::vector<Value> fields;
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
        const llvm::StructLayout* places = layout_.getStructLayout(structure);
        for (unsigned i = 0; i < structure->getNumElements(); ++i) {
            const Pointer field = memory_.moved(
                pointer, static_cast<std::int64_t>(places->getElementOffset(i).getFixedValue()));
            fields.push_back(load(instruction, state, field, structure->getElementType(i)));
        }
        return Value::of(std::move(fields));
    }
    if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
        const std::uint64_t stride = layout_.getTypeAllocSize(array->getElementType());
        for (std::uint64_t i = 0; i < array->getNumElements(); ++i) {
            const Pointer element = memory_.moved(pointer, static_cast<std::int64_t>(i * stride));
            fields.push_back(load(instruction, state, element, array->getElementType()));
        }
        return Value::of(std::move(fields));
    }
    (void)zero(type);  // names what is not supported
    fail(instruction, "a value of this type cannot be read");
}

void Executor::store(const llvm::Instruction& instruction, State& state, const Pointer& pointer,
                     const Value& value, llvm::Type* type) {
    const MemoryModel::Problem problem = problem_at(instruction, state);
    if (type->isPointerTy()) {
        memory_.store(state.memory, pointer, value, 8, problem);
    } else if (type->isIntegerTy()) {
        const std::uint32_t bytes = (type->getIntegerBitWidth() + 7) / 8;
        memory_.store(state.memory, pointer, Value::of(graph_.zero_extend(value.word, 8 * bytes)), bytes,
                      problem);
    } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
        const llvm::StructLayout* places = layout_.getStructLayout(structure);
        for (unsigned i = 0; i < structure->getNumElements(); ++i) {
            const Pointer field = memory_.moved(
                pointer, static_cast<std::int64_t>(places->getElementOffset(i).getFixedValue()));
            store(instruction, state, field, value.fields.at(i), structure->getElementType(i));
        }
    } else if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
        const std::uint64_t stride = layout_.getTypeAllocSize(array->getElementType());
        for (std::uint64_t i = 0; i < array->getNumElements(); ++i) {
            const Pointer element = memory_.moved(pointer, static_cast<std::int64_t>(i * stride));
            store(instruction, state, element, value.fields.at(i), array->getElementType());
        }
    } else {
        (void)zero(type);
        fail(instruction, "a value of this type cannot be written");
    }
}

}  // namespace toroid::compiler
