// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace toroid::tests {

/// Mean of measured numbers and the standard error of that mean.
struct MeanEstimate {
    double mean = 0;
    double standard_error = 0;

    explicit MeanEstimate(std::span<const double> values) {
        const auto count = static_cast<double>(values.size());
        for (const double value : values) mean += value / count;
        double squares = 0;
        for (const double value : values) squares += (value - mean) * (value - mean);
        standard_error = std::sqrt(squares / (count - 1) / count);
    }
};

/// Moments of torus words read as fractions in [-1/2, 1/2).
struct Moments {
    double mean = 0;
    double variance = 0;
    double kurtosis = 0;
    double largest = 0;

    explicit Moments(std::span<const std::uint32_t> words) {
        const auto count = static_cast<double>(words.size());
        for (const std::uint32_t word : words) mean += value(word) / count;
        double fourth = 0;
        for (const std::uint32_t word : words) {
            const double square = std::pow(value(word) - mean, 2);
            variance += square / count;
            fourth += square * square / count;
            largest = std::max(largest, std::abs(value(word)));
        }
        kurtosis = fourth / (variance * variance);
    }
    [[nodiscard]] double deviation() const { return std::sqrt(variance); }
    [[nodiscard]] static double value(std::uint32_t word) {
        return std::ldexp(static_cast<double>(static_cast<std::int32_t>(word)), -32);
    }
};

}  // namespace toroid::tests
