// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace toroid::base {

/// Called now and then with (done, total) from the thread that runs the work. May throw to stop it.
using ProgressCallback = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace toroid::base
