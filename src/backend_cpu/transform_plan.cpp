// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/transform_plan.hpp"

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

namespace toroid::backend_cpu {
namespace {

using Complex = std::complex<double>;

/// exp(2 pi i numerator / denominator), each part rounded correctly to double but for rare ties.
Complex root_of_unity(std::uint64_t numerator, std::uint64_t denominator) {
    const long double angle = 2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(numerator % denominator) /
                              static_cast<long double>(denominator);
    return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

}  // namespace

TransformPlan::TransformPlan(int ring_dimension) {
    const auto points = static_cast<std::size_t>(ring_dimension) / 2;
    tables_.points = ring_dimension / 2;
    int log_points = 0;
    while ((std::size_t{1} << log_points) < points) ++log_points;
    for (int remaining = log_points; remaining > 0;) {
        const bool radix2 = tables_.stages == 1 && remaining % 2 == 1;
        tables_.radix[tables_.stages++] = radix2 ? 2 : 4;
        remaining -= radix2 ? 1 : 2;
    }

    // Node roots u = exp(2 pi i numerator / denominator), starting from u = i.
    std::vector<std::uint64_t> numerators{1};
    std::uint64_t denominator = 4;
    std::vector<std::size_t> offsets;
    for (int stage = 0; stage < tables_.stages; ++stage) {
        const auto radix = static_cast<std::uint64_t>(tables_.radix[stage]);
        const bool last = stage + 1 == tables_.stages;
        const std::size_t base = (twiddles_.size() + 7) / 8 * 8;  // on a cache line
        offsets.push_back(base);
        twiddles_.resize(base + numerators.size() * 2 * (radix - 1));
        denominator *= radix;
        std::vector<std::uint64_t> children;
        for (std::size_t node = 0; node < numerators.size(); ++node) {
            for (std::uint64_t power = 1; power < radix; ++power) {
                const Complex w = root_of_unity(power * numerators[node], denominator);
                const std::size_t pair = 2 * (static_cast<std::size_t>(power) - 1);
                if (last) {
                    const std::size_t block = node / nodes_per_block;
                    const std::size_t at = base + block * 6 * nodes_per_block + node % nodes_per_block;
                    twiddles_[at + pair * nodes_per_block] = w.real();
                    twiddles_[at + (pair + 1) * nodes_per_block] = w.imag();
                } else {
                    const std::size_t at = base + node * 2 * (static_cast<std::size_t>(radix) - 1);
                    twiddles_[at + pair] = w.real();
                    twiddles_[at + pair + 1] = w.imag();
                }
            }
            for (std::uint64_t t = 0; t < radix; ++t) {
                children.push_back(numerators[node] + t * (denominator / radix));
            }
        }
        numerators = std::move(children);
    }
    // denominator is 4M = 2N here, and leaf t of a node lies N/2 further than leaf 0.
    leaf_exponents_.resize(points / 4);
    for (std::size_t node = 0; node < points / 4; ++node) {
        leaf_exponents_[node] = static_cast<std::uint16_t>(numerators[4 * node]);
    }
    roots_.resize(8 * points);
    for (std::size_t e = 0; e < 4 * points; ++e) {
        const Complex w = root_of_unity(e, 4 * points);
        roots_[2 * e] = w.real();
        roots_[2 * e + 1] = w.imag();
    }
    for (int stage = 0; stage < tables_.stages; ++stage) {
        tables_.twiddles[stage] = twiddles_.data() + offsets[static_cast<std::size_t>(stage)];
    }
    tables_.roots = roots_.data();
    tables_.leaf_exponents = leaf_exponents_.data();
}

std::uint64_t TransformPlan::bytes() const noexcept {
    return (twiddles_.size() + roots_.size()) * sizeof(double) +
           leaf_exponents_.size() * sizeof(std::uint16_t);
}

void TransformPlan::forward(std::span<const std::int32_t> polynomial, double scale,
                            std::span<double> leaves) const {
    const auto points = static_cast<std::size_t>(tables_.points);
    std::vector<Complex> values(points);
    for (std::size_t j = 0; j < points; ++j) {
        values[j] = {scale * static_cast<double>(polynomial[j]),
                     scale * static_cast<double>(polynomial[j + points])};
    }
    // Multiplies by parts: std::complex's operator checks for infinities.
    const auto times = [](Complex a, Complex w) {
        return Complex(a.real() * w.real() - a.imag() * w.imag(), a.real() * w.imag() + a.imag() * w.real());
    };
    std::size_t nodes = 1;
    for (int stage = 0; stage < tables_.stages; ++stage) {
        const auto radix = static_cast<std::size_t>(tables_.radix[stage]);
        const bool last = stage + 1 == tables_.stages;
        const std::size_t part = points / nodes / radix;
        for (std::size_t node = 0; node < nodes; ++node) {
            Complex w[3];
            for (std::size_t power = 0; power + 1 < radix; ++power) {
                const double* table = tables_.twiddles[stage];
                if (last) {
                    table += node / nodes_per_block * 6 * nodes_per_block + node % nodes_per_block;
                    w[power] = {table[2 * power * nodes_per_block], table[(2 * power + 1) * nodes_per_block]};
                } else {
                    table += node * 2 * (radix - 1) + 2 * power;
                    w[power] = {table[0], table[1]};
                }
            }
            Complex* block = values.data() + node * radix * part;
            for (std::size_t j = 0; j < part; ++j) {
                if (radix == 2) {
                    const Complex a = block[j];
                    const Complex b = times(block[j + part], w[0]);
                    block[j] = a + b;
                    block[j + part] = a - b;
                    continue;
                }
                const Complex a0 = block[j];
                const Complex a1 = times(block[j + part], w[0]);
                const Complex a2 = times(block[j + 2 * part], w[1]);
                const Complex a3 = times(block[j + 3 * part], w[2]);
                const Complex odd = a1 - a3;
                const Complex turned(-odd.imag(), odd.real());
                block[j] = (a0 + a2) + (a1 + a3);
                block[j + part] = (a0 - a2) + turned;
                block[j + 2 * part] = (a0 + a2) - (a1 + a3);
                block[j + 3 * part] = (a0 - a2) - turned;
            }
        }
        nodes *= radix;
    }
    for (std::size_t f = 0; f < points; ++f) {
        leaves[2 * f] = values[f].real();
        leaves[2 * f + 1] = values[f].imag();
    }
}

}  // namespace toroid::backend_cpu
