// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace toroid::base {

/// Bytes of memory that can be had now without swapping, as the operating system says; the largest number
/// where it does not say.
[[nodiscard]] std::uint64_t available_memory_bytes();

}  // namespace toroid::base
