// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "api/common/program.hpp"

namespace toroid::detail {

/// C and C++ sources, checked against what clang makes of them for this machine.
[[nodiscard]] Program read_c_program(const std::vector<std::filesystem::path>& files,
                                     const CompileOptions& options, const circuit::ReadOptions& read);

}  // namespace toroid::detail
