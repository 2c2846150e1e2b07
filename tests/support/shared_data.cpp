// SPDX-License-Identifier: Apache-2.0
#include "support/shared_data.hpp"

#include <cstdlib>

namespace toroid::tests {

std::optional<std::filesystem::path> shared_data() {
    std::filesystem::path path;
    if (const char* text = std::getenv("TOROID_SHARED_DATA")) {
        path = text;
    } else {
        path = std::filesystem::path(TOROID_SOURCE_DIR).parent_path() / "shared";
    }
    if (!std::filesystem::is_directory(path / "circuits")) return std::nullopt;
    return path;
}

}  // namespace toroid::tests
