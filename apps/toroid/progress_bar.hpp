// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "toroid/progress.hpp"

namespace toroid::cli {

/// Progress on standard error: a bar with the time left on a terminal, else a plain line for every tenth. It
/// also stops the work when a signal has come.
class ProgressBar {
 public:
    /// unit: what is counted, e.g. "bootstraps".
    ProgressBar(std::string label, std::string unit, bool quiet);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// For the work; this object must outlive it.
    [[nodiscard]] Progress callback();

 private:
    using Clock = std::chrono::steady_clock;
    void update(std::uint64_t done, std::uint64_t total);
    void draw_bar(std::uint64_t done, std::uint64_t total);
    void print_line(std::uint64_t done, std::uint64_t total);

    std::string label_;
    std::string unit_;
    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    Clock::time_point start_;
    Clock::time_point last_drawn_;
    std::uint64_t next_tenth_ = 0;
};

}  // namespace toroid::cli
