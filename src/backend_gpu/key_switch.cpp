// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/key_switch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "backend_gpu/integer_product.hpp"

namespace toroid::backend_gpu {
namespace {

int round_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

KeySwitchSizes::KeySwitchSizes(const scheme::Parameters& parameters)
    : input_dimension(parameters.extracted_dimension()),
      output_dimension(parameters.n()),
      gadget(parameters.key_switch_gadget()),
      modulus_log(parameters.key_switch_modulus_log()),
      mean(parameters.glwe_key_mean()),
      bytes(modulus_log / 8),
      depth(round_up(input_dimension * gadget.levels, product_depth_tile)),
      columns(round_up((output_dimension + 1) * bytes, product_column_tile)) {}

std::string KeySwitchSizes::unsupported_reason() const {
    if (gadget.base_log > 7) return "the GPU's key switch has digits of at most 7 bits";
    const double largest = std::ldexp(static_cast<double>(depth), gadget.base_log - 1 + 7);
    if (largest >= std::ldexp(1.0, 31)) return "the GPU's key switch would overflow 32 bits";
    return {};
}

std::uint64_t KeySwitchScratch::bytes_per_sample(const KeySwitchSizes& sizes) {
    return static_cast<std::uint64_t>(sizes.depth) + 4 * static_cast<std::uint64_t>(sizes.columns) + 4;
}

void KeySwitchScratch::reserve(const KeySwitchSizes& sizes, int samples) {
    const auto rows = static_cast<std::size_t>(samples);
    digits.reserve(rows * static_cast<std::size_t>(sizes.depth), "key-switch scratch");
    products.reserve(rows * static_cast<std::size_t>(sizes.columns), "key-switch scratch");
    bodies.reserve(rows, "key-switch scratch");
}

KeySwitchKey::KeySwitchKey(const scheme::EvaluationKey& key, base::ThreadPool& pool)
    : sizes_(key.parameters()) {
    int device = 0;
    TOROID_GPU_CHECK(gpuGetDevice(&device));
    gpuDeviceProp properties;
    TOROID_GPU_CHECK(gpuGetDeviceProperties(&properties, device));
    multiprocessors_ = properties.multiProcessorCount;
    prepare_integer_product();

    const auto depth = static_cast<std::size_t>(sizes_.depth);
    const auto words = static_cast<std::size_t>(sizes_.output_dimension) + 1;
    std::vector<std::int8_t> matrix(static_cast<std::size_t>(sizes_.columns) * depth);
    // Each task writes one column of k, a byte a row: neighbours share cache lines, so tasks are 64 wide.
    constexpr std::size_t task_width = 64;
    const auto dimension = static_cast<std::size_t>(sizes_.input_dimension);
    pool.for_each((dimension + task_width - 1) / task_width, [&](std::size_t task, unsigned) {
        std::vector<std::uint32_t> sample(words);
        const std::size_t end = std::min(dimension, (task + 1) * task_width);
        for (std::size_t j = task * task_width; j < end; ++j) {
            for (int level = 0; level < sizes_.gadget.levels; ++level) {
                key.lwe_sample(static_cast<int>(j), level, sample);
                const std::size_t k = static_cast<std::size_t>(level) * dimension + j;
                for (std::size_t i = 0; i < words; ++i) {
                    std::uint32_t rest = sample[i];
                    for (int b = 0; b < sizes_.bytes; ++b) {
                        const auto byte = static_cast<std::int8_t>(rest & 0xFFU);
                        // A byte of 128 or more stands for itself less 256: the next one takes the carry.
                        rest = (rest - static_cast<std::uint32_t>(static_cast<std::int32_t>(byte))) >> 8;
                        matrix[(i * static_cast<std::size_t>(sizes_.bytes) + static_cast<std::size_t>(b)) *
                                   depth +
                               k] = byte;
                    }
                }
            }
        }
    });
    matrix_ = DeviceBuffer<std::int8_t>(matrix.size(), "the key-switching key");
    TOROID_GPU_CHECK(gpuMemcpy(static_cast<void*>(matrix_.data()), static_cast<const void*>(matrix.data()),
                               matrix.size(), gpuMemcpyHostToDevice));
}

}  // namespace toroid::backend_gpu
