// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace toroid::base {

/// Called now and then with (done, total), by one thread at a time, any worker's. May throw to stop the work.
using ProgressCallback = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace toroid::base
