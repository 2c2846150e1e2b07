// SPDX-License-Identifier: Apache-2.0
// Every blind-rotation kernel of every instruction set against exact integer negacyclic products.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "backend_cpu/instruction_set.hpp"
#include "backend_cpu/key_data.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

using backend_cpu::accumulator_padding;
using backend_cpu::KernelShape;
using backend_cpu::KernelTable;
using backend_cpu::RotationJob;
using backend_cpu::RotationKernels;

/// Named shapes, then sizes only the run-time kernels have: small and large rings, k = 1 to 4, uneven levels,
/// a gadget of all 32 bits.
const std::vector<RotationSizes> all_sizes{
    {"tfhe128", 512, 2, {8, 2}, {7, 2}, 1, 1},
    {"tfhe128_block", 512, 2, {8, 2}, {7, 2}, 4, 3},
    {"tfhe128_wide", 512, 2, {6, 3}, {7, 2}, 1, 1},
    {"tfhe128_wide_block", 512, 2, {6, 3}, {7, 2}, 2, 3},
    {"tfhepp_concrete", 512, 2, {8, 2}, {10, 1}, 2, 1},
    {"tfhepp_blockbinary", 512, 2, {8, 2}, {10, 1}, 3, 2},
    {"tfhepp_128bit", 1024, 1, {6, 3}, {6, 3}, 1, 1},
    {"tfhers_default", 512, 3, {10, 2}, {10, 2}, 1, 1},
    {"ring64", 64, 2, {8, 2}, {7, 2}, 5, 1},
    {"ring64_block", 64, 2, {8, 2}, {7, 2}, 7, 3},
    {"ring128", 128, 4, {4, 3}, {5, 4}, 3, 2},
    {"ring256", 256, 3, {8, 1}, {9, 2}, 2, 1},
    {"ring2048", 2048, 1, {8, 1}, {7, 1}, 1, 1},
    {"all_bits", 64, 1, {8, 4}, {16, 2}, 3, 1},
};

class BlindRotation : public testing::TestWithParam<std::tuple<const KernelTable*, RotationSizes>> {};

const RotationKernels& kernels_of(const KernelTable& table, const RotationSizes& sizes) {
    const KernelShape shape{sizes.ring_dimension, sizes.glwe_dimension, sizes.mask.levels, sizes.body.levels};
    std::size_t i = 0;
    while (i < backend_cpu::kernel_shapes.size() && !(backend_cpu::kernel_shapes[i] == shape)) ++i;
    return table.rotations[i];
}

/// Largest difference from the exact result over all gates.
double worst_difference(const RandomRotationKey& key, RotationKernels::Kernel kernel,
                        std::int64_t scratch_doubles, std::size_t gates, std::size_t slots,
                        std::mt19937_64& random) {
    const std::size_t ring = key.ring();
    const std::size_t stride = ring + accumulator_padding;
    const auto n = static_cast<std::size_t>(key.view().lwe_dimension);
    std::vector<std::uint16_t> switched(gates * (n + 1));
    for (std::uint16_t& exponent : switched) exponent = static_cast<std::uint16_t>(random() % (2 * ring));
    switched[0] = 0;
    base::AlignedVector<std::uint32_t> accumulators(slots * key.components() * stride);
    std::vector<std::vector<std::uint32_t>> expected(gates,
                                                     std::vector<std::uint32_t>(key.components() * ring));
    for (std::size_t gate = 0; gate < gates; ++gate) {
        for (std::size_t c = 0; c < key.components(); ++c) {
            std::uint32_t* const polynomial = accumulators.data() + (gate * key.components() + c) * stride;
            for (std::size_t j = 0; j < stride; ++j) {
                polynomial[j] = j < ring ? static_cast<std::uint32_t>(random()) : 0U - polynomial[j - ring];
                if (j < ring) expected[gate][c * ring + j] = polynomial[j];
            }
        }
    }
    base::AlignedVector<double> scratch(static_cast<std::size_t>(scratch_doubles));
    kernel({.key = &key.view(),
            .gates = static_cast<int>(gates),
            .switched = switched.data(),
            .switched_stride = static_cast<std::int64_t>(n + 1),
            .accumulators = accumulators.data(),
            .scratch = scratch.data()});
    double worst = 0;
    for (std::size_t gate = 0; gate < gates; ++gate) {
        key.rotate(std::span(switched).subspan(gate * (n + 1), n), expected[gate]);
        for (std::size_t c = 0; c < key.components(); ++c) {
            for (std::size_t j = 0; j < ring; ++j) {
                const std::uint32_t got = accumulators[(gate * key.components() + c) * stride + j];
                worst = std::max(worst, std::abs(static_cast<double>(
                                            static_cast<std::int32_t>(got - expected[gate][c * ring + j]))));
            }
        }
    }
    return worst;
}

TEST_P(BlindRotation, EqualsExactProducts) {
    const auto& [table, sizes] = GetParam();
    if (const std::string absent = backend_cpu::absence_reason(*table); !absent.empty())
        GTEST_SKIP() << absent;
    auto random = generator(11);
    const RandomRotationKey key(sizes, random);
    const RotationKernels& kernels = kernels_of(*table, sizes);
    const auto lanes = static_cast<std::size_t>(table->lanes);
    const bool block = sizes.block > 1;
    // Rounding each step's sums to integers hides the transforms' errors, which are far below half a unit; a
    // wrong digit or coefficient is off by millions. The gadget of all bits sums to 2^47 and may be one off.
    const double tolerated = sizes.name == "all_bits" ? 1 : 0;
    // One unit with idle lanes, and two units of which the second is not full.
    for (const std::size_t gates : {std::size_t{1}, lanes + 1}) {
        EXPECT_LE(worst_difference(key, block ? kernels.wide_block : kernels.wide_binary,
                                   table->wide_scratch_doubles(key.view(), static_cast<int>(gates)), gates,
                                   (gates + lanes - 1) / lanes * lanes, random),
                  tolerated)
            << "wide kernel, " << gates << " gates";
    }
    for (const std::size_t gates : {1, 2}) {
        EXPECT_LE(worst_difference(key, block ? kernels.narrow_block : kernels.narrow_binary,
                                   table->narrow_scratch_doubles(key.view(), static_cast<int>(gates)), gates,
                                   gates, random),
                  tolerated)
            << "narrow kernel, " << gates << " gates";
    }
}

INSTANTIATE_TEST_SUITE_P(All, BlindRotation,
                         testing::Combine(testing::ValuesIn(backend_cpu::compiled_kernels()),
                                          testing::ValuesIn(all_sizes)),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)->name) + "_" +
                                    std::get<1>(info.param).name;
                         });

}  // namespace
}  // namespace toroid::tests
