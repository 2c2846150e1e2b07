// SPDX-License-Identifier: Apache-2.0
#include "compiler/process/preprocessor_options.hpp"

#include <fmt/format.h>

#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_macro_name(const std::string& name) {
    if (name.empty() || !is_letter(name[0])) return false;
    for (const char c : name) {
        if (!is_letter(c) && !is_digit(c)) return false;
    }
    return true;
}

}  // namespace

void check_preprocessor_options(const PreprocessorOptions& options) {
    for (const std::filesystem::path& folder : options.include_folders) {
        std::error_code error;
        if (!std::filesystem::is_directory(folder, error)) {
            throw Error(ErrorKind::io, fmt::format("include folder '{}': {}", folder.string(),
                                                   error ? error.message() : "it is no folder"));
        }
    }
    for (const std::string& define : options.defines) {
        const std::string name = define.substr(0, define.find('='));
        if (!is_macro_name(name)) {
            throw Error(ErrorKind::usage,
                        fmt::format("define '{}': '{}' is no name of a macro; give NAME or NAME=VALUE",
                                    define, name));
        }
        if (define.find_first_of("\n\r") != std::string::npos || define.find('\0') != std::string::npos)
            throw Error(ErrorKind::usage, fmt::format("define '{}': its value must be of one line", name));
    }
}

std::string with_value(const std::string& define) {
    return define.find('=') == std::string::npos ? define + "=1" : define;
}

}  // namespace toroid::compiler
