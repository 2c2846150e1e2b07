// SPDX-License-Identifier: Apache-2.0
#include "compiler/process/temporary_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <cerrno>
#include <system_error>

#include "toroid/error.hpp"

namespace toroid::compiler {

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    const std::filesystem::path base = std::filesystem::temp_directory_path(error);
    if (error) throw Error(ErrorKind::io, "no folder for temporary files: " + error.message());
    std::string name = (base / "toroid-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw Error(ErrorKind::io, fmt::format("cannot make a temporary folder in '{}': {}", base.string(),
                                               std::system_category().message(errno)));
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace toroid::compiler
