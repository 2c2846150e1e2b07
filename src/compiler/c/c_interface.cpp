// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/c_interface.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>

#include "compiler/c/source_place.hpp"
#include "compiler/c/toroid_header.hpp"
#include "compiler/c/type_leaves.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

using Form = DeclaredParameter::Form;

std::string qualified_name(const llvm::Function& function) {
    const std::string full = llvm::demangle(function.getName().str());
    return full.substr(0, full.find('('));
}

std::string listed(const std::vector<const llvm::Function*>& functions, bool by_linkage_name = false) {
    std::string result;
    for (const llvm::Function* function : functions) {
        result += fmt::format("{}'{}' ({})", result.empty() ? "" : ", ",
                              by_linkage_name ? function->getName().str() : qualified_name(*function),
                              place_of(*function));
    }
    return result;
}

// Numbers (from 0) of the parameters annotated as clear. The annotation is on the variable that holds the
// argument.
std::set<unsigned> clear_parameters(const llvm::Function& function) {
    std::map<const llvm::Value*, unsigned> holders;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
            if (record.isDbgDeclare() && record.getVariable()->getArg() > 0)
                holders[record.getAddress()] = record.getVariable()->getArg() - 1;
        }
        if (const auto* declare = llvm::dyn_cast<llvm::DbgDeclareInst>(&instruction);
            declare != nullptr && declare->getVariable()->getArg() > 0) {
            holders[declare->getAddress()] = declare->getVariable()->getArg() - 1;
        }
    }
    std::set<unsigned> result;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* annotation = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (annotation == nullptr || annotation->getIntrinsicID() != llvm::Intrinsic::var_annotation)
            continue;
        const auto* text =
            llvm::dyn_cast<llvm::GlobalVariable>(annotation->getArgOperand(1)->stripPointerCasts());
        const auto holder = holders.find(annotation->getArgOperand(0)->stripPointerCasts());
        if (text == nullptr || !text->hasInitializer() || holder == holders.end()) continue;
        const auto* data = llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
        if (data != nullptr && data->isCString() && data->getAsCString() == llvm::StringRef(clear_annotation))
            result.insert(holder->second);
    }
    return result;
}

class InterfaceReader {
 public:
    InterfaceReader(const llvm::Function& function, const DeclarationFinder& declared)
        : function_(function), declared_(declared), place_(place_of(function)) {}

    CInterface read() {
        const llvm::DISubprogram* subprogram = function_.getSubprogram();
        const llvm::DITypeRefArray types = subprogram->getType()->getTypeArray();
        if (function_.isVarArg())
            fail(fmt::format("function '{}' takes any number of arguments", subprogram->getName().str()));
        CInterface result;
        result.name = subprogram->getName().str();
        read_result(types.size() > 0 ? types[0] : nullptr, result.result);
        for (unsigned i = 1; i < types.size(); ++i) {
            CParameter parameter;
            parameter.name = fmt::format("arg{}", i - 1);
            parameter.place = place_;
            result.parameters.push_back(std::move(parameter));
        }
        std::vector<std::string> names(result.parameters.size());
        for (const llvm::DINode* node : subprogram->getRetainedNodes()) {
            const auto* variable = llvm::dyn_cast<llvm::DILocalVariable>(node);
            if (variable == nullptr || variable->getArg() == 0 || variable->getArg() > names.size()) continue;
            if (variable->isArtificial())
                fail(fmt::format("'{}' is a member function; wrap it in a free function", result.name));
            if (variable->getName().empty()) continue;
            CParameter& parameter = result.parameters[variable->getArg() - 1];
            names[variable->getArg() - 1] = parameter.name = variable->getName().str();
            parameter.place = fmt::format("{}:{}", variable->getFilename().str(), variable->getLine());
        }
        const std::set<unsigned> clear = clear_parameters(function_);
        for (unsigned i = 0; i < result.parameters.size(); ++i) {
            CParameter& parameter = result.parameters[i];
            parameter.is_clear = clear.contains(i);
            read_parameter(types[i + 1], i, names, parameter);
        }
        if (next_argument_ != function_.arg_size())
            fail(fmt::format("the parameters of '{}' are passed in a way that is not understood",
                             result.name));
        return result;
    }

 private:
    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::circuit, fmt::format("{}: {}", place_, message));
    }
    [[noreturn]] static void refuse(const CParameter& parameter, const std::string& reason) {
        throw Error(ErrorKind::circuit,
                    fmt::format("{}: parameter '{}' {}", parameter.place, parameter.name, reason));
    }

    void read_result(const llvm::DIType* type, CParameter& result) {
        result.name = "result";
        result.place = place_;
        result.passing = Passing::nothing;
        if (type == nullptr) return;
        result.size = size_of(type);
        const llvm::DIType* bare = bare_type(type);
        if (llvm::isa<llvm::DIDerivedType>(bare))
            fail("the function returns a pointer or reference; write to a parameter instead");
        append_leaves(type, result.name, 0, place_, result.leaves);
        if (function_.arg_size() > 0 && function_.getArg(0)->hasStructRetAttr()) {
            result.passing = Passing::memory;
            result.argument_count = 1;
            next_argument_ = 1;
        } else if (signedness(bare)) {
            result.passing = Passing::direct;
            result.leaves[0].width = function_.getReturnType()->getIntegerBitWidth();
        } else if (!result.leaves.empty()) {
            result.passing = Passing::pieces;
        }
    }

    void read_parameter(const llvm::DIType* type, unsigned index, const std::vector<std::string>& names,
                        CParameter& parameter) {
        parameter.first_argument = next_argument_;
        const llvm::DIType* bare = bare_type(type);
        if (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(bare)) {
            read_pointer(*derived, llvm::isa<llvm::DIDerivedType>(type) && type == bare, index, names,
                         parameter);
        } else {
            append_leaves(type, parameter.name, 0, parameter.place, parameter.leaves);
            parameter.size = size_of(type);
            if (signedness(bare)) {
                parameter.passing = Passing::direct;
                parameter.argument_count = 1;
                parameter.leaves[0].width = argument(parameter)->getType()->getIntegerBitWidth();
            } else if (parameter.leaves.empty()) {
                parameter.passing = Passing::nothing;
            } else if (argument(parameter)->getType()->isPointerTy()) {
                parameter.passing = Passing::memory;
                parameter.argument_count = 1;
            } else {
                parameter.passing = Passing::pieces;
                parameter.argument_count = parameter.size > 8 ? 2 : 1;
            }
        }
        next_argument_ += parameter.argument_count;
    }

    const llvm::Argument* argument(const CParameter& parameter) const {
        if (next_argument_ >= function_.arg_size())
            refuse(parameter, "is passed in a way that is not understood");
        return function_.getArg(next_argument_);
    }

    void read_pointer(const llvm::DIDerivedType& pointer, bool is_written_as_such, unsigned index,
                      const std::vector<std::string>& names, CParameter& parameter) {
        const unsigned tag = pointer.getTag();
        if (tag != llvm::dwarf::DW_TAG_pointer_type && tag != llvm::dwarf::DW_TAG_reference_type &&
            tag != llvm::dwarf::DW_TAG_rvalue_reference_type) {
            refuse(parameter, "has a type that no port can carry");
        }
        bool is_constant = false;
        const llvm::DIType* pointee = bare_type(pointer.getBaseType(), &is_constant);
        if (pointee == nullptr) refuse(parameter, "is a void pointer; its type must tell what it points to");
        if (llvm::isa<llvm::DISubroutineType>(pointee)) refuse(parameter, "is a pointer to a function");
        if (llvm::isa<llvm::DIDerivedType>(pointee)) refuse(parameter, "is a pointer to a pointer");
        // The element type of an array may carry the const.
        if (const auto* composite = llvm::dyn_cast<llvm::DICompositeType>(pointee);
            composite != nullptr && composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
            (void)bare_type(composite->getBaseType(), &is_constant);
        }
        const DeclaredParameter declared = tag == llvm::dwarf::DW_TAG_pointer_type && is_written_as_such
                                               ? declaration(index, names, parameter)
                                               : DeclaredParameter{Form::pointer, 1};
        const std::uint64_t each = size_of(pointee);
        const bool is_array = declared.form == Form::array;
        const std::uint64_t count = is_array ? declared.extent : 1;
        if (count == 0) refuse(parameter, "is an array without elements");
        if (each != 0 && count > (std::uint64_t{1} << 26) / each)
            refuse(parameter, "is an array of more than 2^26 bytes");
        for (std::uint64_t i = 0; i < count; ++i) {
            append_leaves(pointee, is_array ? fmt::format("{}[{}]", parameter.name, i) : parameter.name,
                          8 * each * i, parameter.place, parameter.leaves);
        }
        parameter.passing = Passing::memory;
        parameter.argument_count = 1;
        parameter.may_change = !is_constant;
        parameter.size = each * count;
        (void)argument(parameter);
    }

    DeclaredParameter declaration(unsigned index, const std::vector<std::string>& names,
                                  const CParameter& parameter) {
        if (!found_) {
            const llvm::DISubprogram* subprogram = function_.getSubprogram();
            found_ = declared_(subprogram->getFilename().str(), subprogram->getName().str(), names);
        }
        if (found_->empty()) refuse(parameter, "has no declaration that tells its length");
        const DeclaredParameter result = (*found_)[0][index];
        for (const std::vector<DeclaredParameter>& other : *found_) {
            // A prototype may leave lengths open that the definition gives; overloads may differ.
            if (other[index].form != result.form || other[index].extent != result.extent)
                refuse(parameter, "is declared with different lengths under one name");
        }
        switch (result.form) {
            case Form::plain:
                refuse(parameter,
                       fmt::format("hides its length behind a type name; write it as {}[N]", parameter.name));
            case Form::open_array:
                refuse(parameter, fmt::format("has no length; write {}[N]", parameter.name));
            case Form::variable_size:
                refuse(parameter, "is an array of variable length, which is not supported");
            case Form::pointer:
            case Form::array:
                break;
        }
        return result;
    }

    const llvm::Function& function_;
    const DeclarationFinder& declared_;
    std::string place_;
    unsigned next_argument_ = 0;
    std::optional<std::vector<std::vector<DeclaredParameter>>> found_;
};

}  // namespace

const llvm::Function& find_function(const llvm::Module& module, const std::string& top) {
    std::vector<const llvm::Function*> candidates;
    std::vector<const llvm::Function*> matches;
    for (const llvm::Function& function : module) {
        if (function.isDeclaration() || function.getSubprogram() == nullptr) continue;
        if (function.hasExternalLinkage() && function.getName() != "main") candidates.push_back(&function);
        if (!top.empty() && (source_name(function) == top || function.getName() == llvm::StringRef(top) ||
                             qualified_name(function) == top)) {
            matches.push_back(&function);
        }
    }
    const std::string file = module.getSourceFileName();
    if (top.empty()) {
        if (candidates.size() == 1) return *candidates[0];
        if (candidates.empty())
            throw Error(ErrorKind::circuit,
                        fmt::format("{}: there is no function to compile; it must be neither "
                                    "static nor called main",
                                    file));
        throw Error(ErrorKind::circuit,
                    fmt::format("{}: several functions could be meant; choose one by --top: {}", file,
                                listed(candidates)));
    }
    if (matches.size() == 1) return *matches[0];
    if (matches.empty()) {
        throw Error(ErrorKind::circuit, candidates.empty()
                                            ? fmt::format("{}: there is no function '{}'", file, top)
                                            : fmt::format("{}: there is no function '{}'; there are: {}",
                                                          file, top, listed(candidates)));
    }
    throw Error(ErrorKind::circuit,
                fmt::format("{}: several functions are called '{}'; choose one by its linkage "
                            "name: {}",
                            file, top, listed(matches, true)));
}

CInterface interface_of(const llvm::Function& function, const DeclarationFinder& declared) {
    return InterfaceReader(function, declared).read();
}

}  // namespace toroid::compiler
