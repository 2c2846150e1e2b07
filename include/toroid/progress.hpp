// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace toroid {

/// Called now and then with (done, total), by one thread at a time, which need not be the caller's. To stop
/// the work, throw: the exception leaves the call that was given the callback, and nothing half-made stays.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace toroid
