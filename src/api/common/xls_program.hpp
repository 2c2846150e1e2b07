// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "api/common/program.hpp"

namespace toroid::detail {

/// XLS IR text, checked against the values of its words.
[[nodiscard]] Program read_xls_program(const std::filesystem::path& file, const CompileOptions& options,
                                       const circuit::ReadOptions& read);

}  // namespace toroid::detail
