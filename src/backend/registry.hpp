// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"

namespace toroid::backend {

/// The backends of one program, in order of preference. A value: nothing registers itself behind its back.
class Registry {
 public:
    /// Error(internal) if two entries share a name.
    explicit Registry(std::vector<BackendEntry> entries);

    [[nodiscard]] std::span<const BackendEntry> entries() const noexcept { return entries_; }
    /// Error(device) lists the known names if there is none of this name.
    [[nodiscard]] const BackendEntry& find(std::string_view name) const;
    /// Error(device) if the name is unknown or the device absent, then with the reason for its absence.
    [[nodiscard]] std::unique_ptr<Backend> make(std::string_view name, const BackendOptions& options) const;

 private:
    std::vector<BackendEntry> entries_;
};

}  // namespace toroid::backend
