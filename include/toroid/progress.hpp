// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace toroid {

/// Called now and then with (done, total) from the thread that runs the work. To stop the work, throw from
/// it: the exception leaves the call that was given the callback, and nothing half-made stays behind.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace toroid
