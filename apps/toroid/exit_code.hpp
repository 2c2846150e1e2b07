// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "toroid/error.hpp"

namespace toroid::cli {

/// The documented exit code of each kind of error, docs/cli.md; never 0.
[[nodiscard]] int exit_code(ErrorKind kind);
/// The table of exit codes for the help text.
[[nodiscard]] std::string exit_code_help();

}  // namespace toroid::cli
