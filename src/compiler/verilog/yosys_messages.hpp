// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toroid::compiler {

/// What Yosys said on its error stream.
struct YosysMessages {
    std::string error;                  ///< its own message with file and line; empty if there is none
    std::vector<std::string> warnings;  ///< each once, in order
    std::string conflict;               ///< a message on a net with several drivers, if there is one
    bool out_of_memory = false;
};
[[nodiscard]] YosysMessages parse_yosys_messages(std::string_view text);

}  // namespace toroid::compiler
