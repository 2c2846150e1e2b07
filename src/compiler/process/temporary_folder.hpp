// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace toroid::compiler {

/// A folder that only this user can enter, removed with all it holds.
class TemporaryFolder {
 public:
    /// Error(io) if it cannot be made.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
    std::filesystem::path path_;
};

}  // namespace toroid::compiler
