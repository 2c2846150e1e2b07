// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/c/c_interface.hpp"
#include "compiler/c/c_reader.hpp"

namespace toroid::compiler {

/// The source compiled for this machine, and where its values lie. Parameters and the result lie one behind
/// the other in a block of bytes, each at a multiple of 16.
struct NativeProgram {
    struct Port {
        std::string name;
        std::uint64_t first_bit = 0;  ///< in the block
        std::uint32_t width = 0;
        bool is_signed = false;
    };
    COptions options;
    std::string linkage_name;
    CInterface interface;
    std::vector<std::uint64_t> offsets;  ///< bytes, one a parameter
    std::uint64_t result_offset = 0;
    std::uint64_t block_bytes = 0;
    std::vector<std::uint8_t> initial;  ///< the block with the clear values in it
    std::vector<Port> inputs;           ///< in the order of the circuit's ports
    std::vector<Port> outputs;          ///< without the loop bound's bit
    bool has_loop_bound_output = false;
};

}  // namespace toroid::compiler
