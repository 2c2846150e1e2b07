// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace toroid::cli {

/// To standard output. Error(io) if that fails.
void print_text(const std::string& text);

/// To standard error. A failure is passed over: there is nobody left to tell, and the work itself is sound.
void print_note(const std::string& text) noexcept;

}  // namespace toroid::cli
