// SPDX-License-Identifier: Apache-2.0
#include "scheme/cost_model.hpp"

#include <cmath>

namespace toroid::scheme {

CostModel::CostModel(const Parameters& parameters) {
    const auto n = static_cast<std::uint64_t>(parameters.n());
    const auto N = static_cast<std::uint64_t>(parameters.N());
    const auto components = static_cast<std::uint64_t>(parameters.k()) + 1;
    const auto rows = static_cast<std::uint64_t>(parameters.rows());
    const bool is_block = parameters.literal().lwe.key == KeyDistribution::block_binary;
    const auto block = static_cast<std::uint64_t>(parameters.block());

    steps = n / block;
    transforms_per_step = parameters.rows() + parameters.k() + 1;
    const double points = static_cast<double>(N) / 2;
    const double transform = 2.7 * points * std::log2(points);
    const double products =
        4 * points * static_cast<double>((is_block ? block * (rows + 1) : rows) * components);
    blind_rotation_fma = static_cast<double>(steps) * (transforms_per_step * transform + products);

    const std::uint64_t samples = static_cast<std::uint64_t>(parameters.extracted_dimension()) *
                                  static_cast<std::uint64_t>(parameters.key_switch_gadget().levels);
    key_switch_mac = samples * (n + 1);
    fourier_key_bytes = n * rows * components * N * sizeof(double);
    bootstrapping_key_bytes = n * rows * components * N * sizeof(std::uint32_t);
    const auto word = static_cast<std::uint64_t>(parameters.key_switch_modulus_log() / 8);
    key_switching_key_bytes = samples * (n + 1) * word;
    seeded_key_bytes = n * rows * N * sizeof(std::uint32_t) + samples * word;
}

}  // namespace toroid::scheme
