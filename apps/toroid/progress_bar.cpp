// SPDX-License-Identifier: Apache-2.0
#include "progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "interruption.hpp"
#include "print.hpp"

namespace toroid::cli {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
constexpr std::uint64_t bar_width = 30;

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, 1e9) + 0.5);
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// "12,345 of 36,000 bootstraps, 130/s, 3:02 left"
std::string state_text(std::uint64_t done, std::uint64_t total, const std::string& unit, double seconds) {
    std::string text = fmt::format("{} of {} {}", done, total, unit);
    if (done > 0 && seconds > 0) {
        const double rate = static_cast<double>(done) / seconds;
        text += fmt::format(", {:.4g}/s", rate);
        if (done < total)
            text += fmt::format(", {} left", clock_text(static_cast<double>(total - done) / rate));
    }
    return text;
}

}  // namespace

ProgressBar::ProgressBar(std::string label, std::string unit, bool quiet)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_drawn_(start_ - redraw_interval) {}

ProgressBar::~ProgressBar() {
    if (drawn_) print_note("\n");
}

Progress ProgressBar::callback() {
    start_ = Clock::now();
    return [this](std::uint64_t done, std::uint64_t total) { update(done, total); };
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
    check_interrupted();
    if (quiet_ || total == 0) return;
    if (terminal_) {
        draw_bar(done, total);
    } else {
        print_line(done, total);
    }
}

void ProgressBar::draw_bar(std::uint64_t done, std::uint64_t total) {
    const Clock::time_point now = Clock::now();
    if (done != total && now - last_drawn_ < redraw_interval) return;
    last_drawn_ = now;
    drawn_ = true;
    const double part = static_cast<double>(done) / static_cast<double>(total);
    const auto filled = static_cast<std::size_t>(part * static_cast<double>(bar_width));
    const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
    const double seconds = std::chrono::duration<double>(now - start_).count();
    // \033[K clears what an earlier, longer line left.
    print_note(fmt::format("\r{} [{}] {:3.0f}%  {}\033[K", label_, bar, 100 * part,
                           state_text(done, total, unit_, seconds)));
}

void ProgressBar::print_line(std::uint64_t done, std::uint64_t total) {
    const auto tenth =
        static_cast<std::uint64_t>(10 * (static_cast<double>(done) / static_cast<double>(total)));
    if (tenth < next_tenth_) return;
    next_tenth_ = tenth + 1;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    print_note(fmt::format("{}: {}%, {}\n", label_, 10 * tenth, state_text(done, total, unit_, seconds)));
}

}  // namespace toroid::cli
