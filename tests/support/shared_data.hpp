// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace toroid::tests {

/// The folder of public circuits and data beside the checkout (TOROID_SHARED_DATA, else ../shared); a user's
/// clone has none.
[[nodiscard]] std::optional<std::filesystem::path> shared_data();

}  // namespace toroid::tests

/// Skips the test with a reason where the shared data is absent.
#define TOROID_REQUIRE_SHARED_DATA(variable)                                                           \
    const auto variable##_found = ::toroid::tests::shared_data();                                      \
    if (!variable##_found) GTEST_SKIP() << "shared circuits and data are absent (TOROID_SHARED_DATA)"; \
    const std::filesystem::path& variable = *variable##_found
