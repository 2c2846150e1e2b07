// SPDX-License-Identifier: Apache-2.0
#include "print.hpp"

#include <cstdio>

#include "toroid/error.hpp"

namespace toroid::cli {

void print_text(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0) throw Error(ErrorKind::io, "standard output cannot be written");
}

void print_note(const std::string& text) noexcept {
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
    static_cast<void>(std::fflush(stderr));
}

}  // namespace toroid::cli
