// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/bit_vector.hpp"
#include "compiler/c/c_interface.hpp"
#include "compiler/c/c_reader.hpp"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace toroid::compiler {

/// The value of every leaf that is clear, by its name. Error(usage) for names that no parameter has and for
/// parameters that must have a value but have none; Error(value) for values that do not fit.
using ClearBits = std::map<std::string, base::BitVector>;
[[nodiscard]] ClearBits clear_bits(const CInterface& interface, const COptions& options);

/// What a run through the function has shown about its ports.
struct BuiltProgram {
    WordGraph graph;
    std::vector<circuit::Warning> warnings;
    /// Numbers of the parameters whose first contents no output depends on, and that are written.
    std::set<std::size_t> output_only;
    std::set<std::size_t> written;
    std::string result_name;
    bool has_loop_bound_output = false;
};

/// Executes the function on inputs for every leaf that is not clear; the parameters in `output_only` begin as
/// 0.
[[nodiscard]] BuiltProgram build_program(const llvm::Function& function, const CInterface& interface,
                                         const ClearBits& clear, const std::set<std::size_t>& output_only,
                                         const COptions& options);

}  // namespace toroid::compiler
