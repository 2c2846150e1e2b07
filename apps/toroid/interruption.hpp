// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace toroid::cli {

/// From here on SIGINT and SIGTERM end the process as ever, but leave no file half-written aside.
void end_tidily_on_signals();

/// While one exists, SIGINT and SIGTERM only set a flag, so that the work ends at its next check with its
/// files tidied up. A second signal ends the process at once.
class InterruptionGuard {
 public:
    InterruptionGuard();
    ~InterruptionGuard();
    InterruptionGuard(const InterruptionGuard&) = delete;
    InterruptionGuard& operator=(const InterruptionGuard&) = delete;
};

/// Error(interrupted) if a signal came.
void check_interrupted();
/// The signal that came, or 0.
[[nodiscard]] int interrupting_signal() noexcept;

}  // namespace toroid::cli
