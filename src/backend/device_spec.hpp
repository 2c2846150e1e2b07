// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toroid::backend {

/// What a user writes for the devices to run on:
///     NAME            the backend's first usable device
///     NAME:1          its device number 1
///     NAME:0,2        devices 0 and 2 together; one named twice counts as two, with memory of their own
///     NAME:all        all of them together
struct DeviceSpec {
    std::string name;
    std::vector<int> indices;  ///< empty: not given
    bool all = false;

    /// Error(usage) says what is wrong with a text of another form.
    [[nodiscard]] static DeviceSpec parse(std::string_view text);
};

}  // namespace toroid::backend
