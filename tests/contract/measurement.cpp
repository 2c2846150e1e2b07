// SPDX-License-Identifier: Apache-2.0
#include "contract/measurement.hpp"

#include <algorithm>
#include <cmath>

#include "contract/workbench.hpp"
#include "math/negacyclic.hpp"
#include "math/noise.hpp"
#include "math/torus.hpp"

namespace toroid::tests {

void Moments::add(double value) {
    ++count_;
    mean_ += (value - mean_) / static_cast<double>(count_);
    squares_ += value * value;
    largest_ = std::max(largest_, std::abs(value));
}

std::vector<std::uint16_t> random_rows(const scheme::Parameters& parameters, std::size_t count,
                                       std::mt19937_64& random) {
    std::vector<std::uint16_t> rows(count * (static_cast<std::size_t>(parameters.n()) + 1));
    const auto rotations = static_cast<std::uint64_t>(2 * parameters.N());
    for (std::uint16_t& rotation : rows) rotation = static_cast<std::uint16_t>(random() % rotations);
    return rows;
}

std::uint32_t switched_phase(const client::SecretKey& key, std::span<const std::uint16_t> row) {
    std::uint32_t phase = row.back();
    for (std::size_t i = 0; i < key.lwe().size(); ++i) {
        phase -= static_cast<std::uint32_t>(key.lwe()[i]) * std::uint32_t{row[i]};
    }
    return phase % static_cast<std::uint32_t>(2 * key.parameters().N());
}

std::vector<std::uint32_t> glwe_phases(const client::SecretKey& key, std::span<const std::uint32_t> sample) {
    const auto N = static_cast<std::size_t>(key.parameters().N());
    std::vector<std::uint32_t> masked(N);
    for (std::size_t first = 0; first + N < sample.size(); first += N) {
        math::negacyclic_add_product(sample.subspan(first, N), key.glwe().subspan(first, N), masked);
    }
    std::vector<std::uint32_t> phases(N);
    for (std::size_t i = 0; i < N; ++i) phases[i] = sample[sample.size() - N + i] - masked[i];
    return phases;
}

std::vector<std::uint32_t> rotated_test_polynomial(const scheme::Parameters& parameters,
                                                   std::uint32_t phase) {
    const auto N = static_cast<std::uint32_t>(parameters.N());
    std::vector<std::uint32_t> out(N);
    for (std::uint32_t j = 0; j < N; ++j) out[j] = math::encode_bit((j + phase) % (2 * N) < N);
    return out;
}

void add_rotation_errors(const client::SecretKey& key, std::span<const std::uint16_t> rows,
                         std::span<const std::uint32_t> accumulators, Moments& errors) {
    const auto width = static_cast<std::size_t>(key.parameters().n()) + 1;
    const auto words = static_cast<std::size_t>((key.parameters().k() + 1) * key.parameters().N());
    for (std::size_t i = 0; i < rows.size() / width; ++i) {
        const auto expected =
            rotated_test_polynomial(key.parameters(), switched_phase(key, rows.subspan(i * width, width)));
        const auto phases = glwe_phases(key, accumulators.subspan(i * words, words));
        for (std::size_t j = 0; j < phases.size(); ++j) errors.add(to_fraction(phases[j] - expected[j]));
    }
}

double switching_error(const client::SecretKey& key, std::span<const std::uint16_t> row,
                       std::uint32_t exact_phase) {
    const int shift = 32 - key.parameters().rotation_log();
    const std::uint32_t middle = (switched_phase(key, row) << shift) + (std::uint32_t{1} << (shift - 1));
    return to_fraction(middle - exact_phase);
}

double rotation_variance(const client::SecretKey& key) {
    const scheme::ParametersLiteral& literal = key.parameters().literal();
    const double second_moment = literal.glwe.key == scheme::KeyDistribution::binary ? 1.0 / 2 : 2.0 / 3;
    const math::ExternalProductNoise product =
        math::external_product_noise(literal.glwe.ring_dimension, literal.glwe.glwe_dimension, literal.mask,
                                     literal.body, std::exp2(literal.glwe.std_log2), second_moment);
    const auto ones = static_cast<double>(std::ranges::count(key.lwe(), 1));
    const double uniform = key.parameters().n() * product.key + ones * product.rounding;
    return key.parameters().block() == 1 ? uniform : 2 * uniform;
}

}  // namespace toroid::tests
