// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/c_support.hpp"
#include "compiler/random_c_program.hpp"

namespace toroid::compiler::tests {

/// Compiles a random program for size or depth, narrow or wide gates, as its seed says, and compares it with
/// native code. C must define it on all vectors.
inline void expect_random_program_agrees(std::uint64_t seed, std::uint32_t vectors) {
    const std::string text = RandomCProgram(seed).text();
    const TemporaryFolder folder;
    COptions options;
    options.files = {folder.path() / "random.c"};
    options.loop_bound = 6;  // more rounds than any loop has: not every loop's end is found
    std::ofstream(options.files[0], std::ios::binary) << text;
    try {
        const CProgram program = read_c(options);
        const MappingOptions mapping{seed % 2 == 0 ? 3 : 14,
                                     seed / 2 % 2 == 0 ? Objective::size : Objective::depth};
        const NativeCheck check =
            check_against_native(program, lower(program.graph, program.name, mapping), vectors);
        EXPECT_EQ(check.compared, vectors) << "seed " << seed << "\n" << text;
    } catch (const Error& error) {
        ADD_FAILURE() << "seed " << seed << ": " << error.what() << "\n" << text;
    }
}

}  // namespace toroid::compiler::tests
