// SPDX-License-Identifier: Apache-2.0
// Values of LLVM constants and the first contents of global variables.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "compiler/c/frame.hpp"
#include "compiler/c/source_place.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint64_t largest_object = std::uint64_t{1} << 26;

base::BitVector bits_of(const llvm::APInt& number) {
    base::BitVector bits(number.getBitWidth());
    for (unsigned i = 0; i < number.getBitWidth(); ++i) bits[i] = number[i];
    return bits;
}

std::string name_of(const llvm::GlobalVariable& variable) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> infos;
    variable.getDebugInfo(infos);
    if (!infos.empty()) return fmt::format("'{}'", infos[0]->getVariable()->getName().str());
    return variable.getName().starts_with(".str") ? "a string literal"
                                                  : fmt::format("'{}'", variable.getName().str());
}

}  // namespace

Value Executor::value_of(const llvm::Value* value) {
    if (const auto* constant_value = llvm::dyn_cast<llvm::Constant>(value)) return constant(constant_value);
    const auto& values = frames_.back()->values;
    const auto found = values.find(value);
    if (found != values.end()) return found->second;
    throw Error(ErrorKind::internal, fmt::format("{}: a value is used before it is computed",
                                                 place_of(*frames_.back()->function)));
}

Value Executor::zero(const llvm::Type* type) {
    if (type->isIntegerTy()) return Value::of(graph_.constant(0, type->getIntegerBitWidth()));
    if (type->isPointerTy()) return Value::of(memory_.pointer_to(null_object));
    std::vector<Value> fields;
    if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
        for (const llvm::Type* field : structure->elements()) fields.push_back(zero(field));
        return Value::of(std::move(fields));
    }
    if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
        fields.assign(array->getNumElements(), zero(array->getElementType()));
        return Value::of(std::move(fields));
    }
    if (type->isFPOrFPVectorTy()) throw UnsupportedProgram{"floating point is not supported"};
    if (type->isVectorTy()) throw UnsupportedProgram{"vector types are not supported"};
    throw UnsupportedProgram{"a value of this type is not supported"};
}

Value Executor::constant(const llvm::Constant* constant_value) {
    const auto known = constants_.find(constant_value);
    if (known != constants_.end()) return known->second;
    Value result;
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(constant_value)) {
        result = Value::of(graph_.constant(bits_of(number->getValue())));
    } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant_value)) {
        result = Value::of(memory_.pointer_to(object_of(*variable)));
    } else if (const auto* function = llvm::dyn_cast<llvm::Function>(constant_value)) {
        const ObjectId object = memory_.add({fmt::format("function '{}'", source_name(*function)), 0, true,
                                             true, std::make_shared<Object>()});
        functions_[object] = function;
        result = Value::of(memory_.pointer_to(object));
    } else if (llvm::isa<llvm::UndefValue>(constant_value) ||
               llvm::isa<llvm::ConstantAggregateZero>(constant_value) ||
               llvm::isa<llvm::ConstantPointerNull>(constant_value)) {
        result = zero(constant_value->getType());
    } else if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(constant_value)) {
        result = constant(alias->getAliasee());
    } else if (const auto* aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(constant_value);
               aggregate != nullptr && !aggregate->getType()->isVectorTy()) {
        std::vector<Value> fields;
        for (const llvm::Use& field : aggregate->operands())
            fields.push_back(constant(llvm::cast<llvm::Constant>(field)));
        result = Value::of(std::move(fields));
    } else if (const auto* data = llvm::dyn_cast<llvm::ConstantDataArray>(constant_value)) {
        std::vector<Value> fields;
        for (unsigned i = 0; i < data->getNumElements(); ++i)
            fields.push_back(constant(data->getElementAsConstant(i)));
        result = Value::of(std::move(fields));
    } else if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(constant_value);
               expression != nullptr && expression->getOpcode() == llvm::Instruction::GetElementPtr) {
        llvm::APInt offset(64, 0);
        if (!llvm::cast<llvm::GEPOperator>(expression)->accumulateConstantOffset(layout_, offset))
            throw UnsupportedProgram{"a constant address is not supported"};
        const Value base = constant(expression->getOperand(0));
        result = Value::of(memory_.moved(*base.pointer, offset.getSExtValue()));
    } else if (expression != nullptr && expression->getOpcode() == llvm::Instruction::PtrToInt) {
        const Word address = memory_.address(*constant(expression->getOperand(0)).pointer);
        result = Value::of(graph_.resize(address, expression->getType()->getIntegerBitWidth(), false));
    } else {
        (void)zero(constant_value->getType());  // names a type that is not supported
        throw UnsupportedProgram{"a constant of this kind is not supported"};
    }
    constants_.emplace(constant_value, result);
    return result;
}

ObjectId Executor::object_of(const llvm::GlobalVariable& variable) {
    const auto found = globals_.find(&variable);
    if (found != globals_.end()) return found->second;
    const std::string name = name_of(variable);
    if (!variable.hasInitializer()) throw UnsupportedProgram{name + " is declared but nowhere defined"};
    const std::uint64_t size = layout_.getTypeAllocSize(variable.getValueType());
    if (size > largest_object)
        throw UnsupportedProgram{fmt::format("{} has {} bytes; {} are allowed", name, size, largest_object)};
    auto contents = std::make_shared<Object>(memory_.zeros(size));
    const ObjectId object = memory_.add({name, size, variable.isConstant(), false, contents});
    globals_.emplace(&variable, object);  // before its contents, which may point to itself
    lay_out(*contents, 0, variable.getInitializer());
    return object;
}

void Executor::store_typed(Object& object, std::uint64_t offset, const Value& value) {
    if (value.kind == Value::Kind::word) {
        const std::uint32_t bytes = (graph_.width(value.word) + 7) / 8;
        memory_.set_word(object, offset, graph_.zero_extend(value.word, 8 * bytes));
        return;
    }
    memory_.set_pointer(object, offset, value);
}

void Executor::lay_out(Object& object, std::uint64_t offset, const llvm::Constant* constant_value) {
    if (constant_value->isNullValue() || llvm::isa<llvm::UndefValue>(constant_value)) return;
    const llvm::Type* type = constant_value->getType();
    if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
        const llvm::StructLayout* fields =
            layout_.getStructLayout(const_cast<llvm::StructType*>(structure));  // NOLINT: the cache is LLVM's
        for (unsigned i = 0; i < structure->getNumElements(); ++i)
            lay_out(object, offset + fields->getElementOffset(i), constant_value->getAggregateElement(i));
        return;
    }
    if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
        const std::uint64_t stride = layout_.getTypeAllocSize(array->getElementType());
        if (const auto* data = llvm::dyn_cast<llvm::ConstantDataArray>(constant_value);
            data != nullptr && data->getElementType()->isIntegerTy()) {
            const auto width = static_cast<std::uint32_t>(8 * stride);
            for (unsigned i = 0; i < data->getNumElements(); ++i) {
                memory_.set_word(object, offset + i * stride,
                                 graph_.constant(data->getElementAsInteger(i), width));
            }
            return;
        }
        for (unsigned i = 0; i < array->getNumElements(); ++i)
            lay_out(object, offset + i * stride, constant_value->getAggregateElement(i));
        return;
    }
    if (type->isFloatingPointTy()) {
        // Bytes that nothing but floating-point code reads; they are refused where they are read as such.
        const llvm::APInt bits = llvm::cast<llvm::ConstantFP>(constant_value)->getValueAPF().bitcastToAPInt();
        memory_.set_word(object, offset, graph_.constant(bits_of(bits)));
        return;
    }
    store_typed(object, offset, constant(constant_value));
}

}  // namespace toroid::compiler
