// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/c/declared_extents.hpp"

namespace llvm {
class DIType;
class Function;
class Module;
}  // namespace llvm

namespace toroid::compiler {

/// One port's place in the memory of a parameter or result.
struct Leaf {
    std::string name;
    std::uint64_t first_bit = 0;
    std::uint32_t width = 0;
    bool is_signed = false;
};

/// How a parameter or result travels in LLVM's form of the call.
enum class Passing : std::uint8_t {
    nothing,  ///< void, or a structure without members
    direct,   ///< a number: one argument
    pieces,   ///< a structure in one or two arguments of up to 8 bytes
    memory    ///< behind a pointer: pointers, references, large structures
};

struct CParameter {
    std::string name;
    std::string place;
    Passing passing = Passing::direct;
    bool may_change = false;  ///< the caller sees what the function writes
    bool is_clear = false;    ///< annotated: its value must be given
    std::uint64_t size = 0;   ///< bytes
    unsigned first_argument = 0;
    unsigned argument_count = 0;
    std::vector<Leaf> leaves;
};

struct CInterface {
    std::string name;
    std::vector<CParameter> parameters;
    CParameter result;  ///< passing memory: the first argument points to it
};

/// The function to compile. Error(circuit) if there is none or several of that name.
[[nodiscard]] const llvm::Function& find_function(const llvm::Module& module, const std::string& top);

/// Names, types and places from the debug information of code that is not yet optimised.
/// `declared` finds how the parameters were written (declared_extents.hpp). Error(circuit) names the place of
/// what no port can be made for.
using DeclarationFinder = std::function<std::vector<std::vector<DeclaredParameter>>(
    const std::string& file, const std::string& name, const std::vector<std::string>& parameter_names)>;
[[nodiscard]] CInterface interface_of(const llvm::Function& function, const DeclarationFinder& declared);

}  // namespace toroid::compiler
