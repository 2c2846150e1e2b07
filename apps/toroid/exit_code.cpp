// SPDX-License-Identifier: Apache-2.0
#include "exit_code.hpp"

#include <fmt/format.h>

#include <array>

namespace toroid::cli {
namespace {

struct Row {
    ErrorKind kind;
    int code;
    const char* meaning;
};
constexpr std::array rows{
    Row{ErrorKind::internal, 1, "a fault of Toroid itself"},
    Row{ErrorKind::usage, 2, "wrong use of the command line"},
    Row{ErrorKind::io, 3, "a file cannot be read or written"},
    Row{ErrorKind::format, 4, "a file is truncated, damaged, foreign or of another version or kind"},
    Row{ErrorKind::parameters, 5, "a parameter set is refused"},
    Row{ErrorKind::key_mismatch, 6, "ciphertext, key, parameter set and interface do not belong together"},
    Row{ErrorKind::circuit, 7, "a circuit or program is wrong or unsupported"},
    Row{ErrorKind::value, 8, "a value does not fit, or a name is missing, unknown or given twice"},
    Row{ErrorKind::noise, 9, "a gate or output would fail more often than the target allows"},
    Row{ErrorKind::device, 10, "the device is absent or failed"},
    Row{ErrorKind::out_of_memory, 11, "not enough memory"},
    Row{ErrorKind::interrupted, 130, "interrupted (143 if terminated)"},
};

}  // namespace

int exit_code(ErrorKind kind) {
    for (const Row& row : rows) {
        if (row.kind == kind) return row.code;
    }
    return 1;
}

std::string exit_code_help() {
    std::string text = "Exit codes:\n    0  success\n";
    for (const Row& row : rows) text += fmt::format("  {:>3}  {}\n", row.code, row.meaning);
    return text;
}

}  // namespace toroid::cli
