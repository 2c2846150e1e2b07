// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace toroid {

/// Version of the library that runs, as "major.minor.patch".
[[nodiscard]] std::string_view version() noexcept;

}  // namespace toroid
