// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace toroid::runtime {

/// Largest resident memory of this process so far, in bytes, as the system counted it.
[[nodiscard]] std::uint64_t peak_memory_bytes();

}  // namespace toroid::runtime
