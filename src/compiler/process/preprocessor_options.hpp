// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace toroid::compiler {

/// What a program's preprocessor is told, in any language that has one.
struct PreprocessorOptions {
    std::vector<std::filesystem::path> include_folders;  ///< looked through after the file's own folder
    std::vector<std::string> defines;                    ///< "NAME", which means 1, or "NAME=value"
};

/// Error(io) for a folder that is none, Error(usage) for a define that is not of one of both forms, or whose
/// name is no name in C and Verilog.
void check_preprocessor_options(const PreprocessorOptions& options);

/// "NAME=value" in either case.
[[nodiscard]] std::string with_value(const std::string& define);

}  // namespace toroid::compiler
