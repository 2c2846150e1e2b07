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
    /// The device or devices of a DeviceSpec; several are one backend, each called NAME:INDEX, and
    /// NAME:INDEX#1, NAME:INDEX#2, ... where one is taken several times. options.device is not looked at.
    /// Error(usage) if the text is none; Error(device) if the name is unknown, the backend absent (with the
    /// reason) or there is no such device (with those there are).
    [[nodiscard]] std::unique_ptr<Backend> make(std::string_view device, const BackendOptions& options) const;

 private:
    std::vector<BackendEntry> entries_;
};

}  // namespace toroid::backend
