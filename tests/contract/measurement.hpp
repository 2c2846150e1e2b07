// SPDX-License-Identifier: Apache-2.0
// What a key's owner can say about a backend's intermediate values: exact phases, and the errors left in
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "client/secret_key.hpp"
#include "scheme/parameters.hpp"

namespace toroid::tests {

/// Mean and variance of a stream of numbers.
class Moments {
 public:
    void add(double value);
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] double mean() const { return mean_; }
    /// About zero, since errors have the known mean zero.
    [[nodiscard]] double second() const { return squares_ / static_cast<double>(count_); }
    [[nodiscard]] double largest() const { return largest_; }

 private:
    std::size_t count_ = 0;
    double mean_ = 0;
    double squares_ = 0;
    double largest_ = 0;
};

/// `count` rows of n + 1 uniform rotations.
[[nodiscard]] std::vector<std::uint16_t> random_rows(const scheme::Parameters& parameters, std::size_t count,
                                                     std::mt19937_64& random);

/// b - <a, s> mod 2N of a switched row.
[[nodiscard]] std::uint32_t switched_phase(const client::SecretKey& key, std::span<const std::uint16_t> row);

/// The N phases body - sum_c mask_c S_c of a GLWE sample.
[[nodiscard]] std::vector<std::uint32_t> glwe_phases(const client::SecretKey& key,
                                                     std::span<const std::uint32_t> sample);

/// Coefficients of X^-phase * TV with the sign test polynomial.
[[nodiscard]] std::vector<std::uint32_t> rotated_test_polynomial(const scheme::Parameters& parameters,
                                                                 std::uint32_t phase);

/// Adds the error of each phase of each accumulator that came of rotating the rows, as fraction of the torus.
void add_rotation_errors(const client::SecretKey& key, std::span<const std::uint16_t> rows,
                         std::span<const std::uint32_t> accumulators, Moments& errors);

/// Error of a switched row against the exact phase that it stands for: the row's phase lies in the middle of
/// its 1/2N-th of the torus.
[[nodiscard]] double switching_error(const client::SecretKey& key, std::span<const std::uint16_t> row,
                                     std::uint32_t exact_phase);

/// Blind rotation's variance for this very LWE key: the formula with its own number of ones for the expected
/// one.
[[nodiscard]] double rotation_variance(const client::SecretKey& key);

}  // namespace toroid::tests
