// SPDX-License-Identifier: Apache-2.0
// math::divide_rounded and math::modulus_switch by one block of threads.
#pragma once

#include <cstdint>

#include "backend_gpu/sample_kernels.hpp"

namespace toroid::backend_gpu {

/// Threads of the blocks that call the functions below.
inline constexpr int sample_threads = 256;
/// Their warps, if warps are as narrow as they get.
inline constexpr int most_sample_warps = sample_threads / 32;

TOROID_DEVICE std::int64_t divide_rounded_on_device(std::int64_t numerator, std::int64_t denominator) {
    std::int64_t quotient = numerator / denominator;
    std::int64_t remainder = numerator % denominator;
    if (remainder < 0) {
        remainder += denominator;
        --quotient;
    }
    return remainder >= denominator - remainder ? quotient + 1 : quotient;
}

/// The sum of `value` over the block, in every thread. `scratch` has most_sample_warps values; the block must
/// not be reading it.
TOROID_DEVICE std::int64_t block_sum(std::int64_t value, std::int64_t* scratch) {
    const std::int64_t of_warp = warp_sum(value);
    if (threadIdx.x % warpSize == 0) scratch[threadIdx.x / warpSize] = of_warp;
    __syncthreads();
    std::int64_t sum = 0;
    for (int warp = 0; warp < sample_threads / warpSize; ++warp) sum += scratch[warp];
    return sum;
}

/// Switches a sample whose word i is word(i), i <= dimension, to 2N: the whole block together.
template <typename Word>
TOROID_DEVICE void switch_modulus(const Word& word, int dimension, ModulusSwitch rule, std::int64_t* scratch,
                                  std::uint16_t* out) {
    const int shift = rule.modulus_log - rule.rotation_log;
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t rotation_mask = (std::uint64_t{1} << rule.rotation_log) - 1;
    std::int64_t errors = 0;
    for (int i = static_cast<int>(threadIdx.x); i < dimension; i += sample_threads) {
        const std::uint64_t raised = word(i) + half;
        out[i] = static_cast<std::uint16_t>((raised >> shift) & rotation_mask);
        errors += static_cast<std::int64_t>(raised & (2 * half - 1)) - static_cast<std::int64_t>(half);
    }
    const std::int64_t sum = block_sum(errors, scratch);
    if (threadIdx.x == 0) {
        const std::int64_t correction =
            divide_rounded_on_device(rule.mean.numerator * sum, rule.mean.denominator);
        const std::uint64_t modulus_mask = (std::uint64_t{1} << rule.modulus_log) - 1;
        const std::uint64_t body = (word(dimension) - static_cast<std::uint64_t>(correction)) & modulus_mask;
        out[dimension] = static_cast<std::uint16_t>(body >> shift);
    }
}

/// Words i ... i + 3 of a sample, i and the stride multiples of 4.
TOROID_DEVICE uint4 four_words(const SampleView& samples, std::int64_t sample, int i) {
    return *reinterpret_cast<const uint4*>(samples.words + sample * samples.stride + i);
}

/// Word i of a term's sum over samples, its offset on the body.
TOROID_DEVICE std::uint32_t sum_word(const SampleView& samples, const base::Operand* operands, Term term,
                                     int i) {
    std::uint32_t word = i == samples.dimension ? static_cast<std::uint32_t>(term.offset) << 29 : 0U;
    for (int k = 0; k < term.operands; ++k) {
        const base::Operand operand = operands[term.first_operand + static_cast<std::uint32_t>(k)];
        word +=
            static_cast<std::uint32_t>(operand.weight) * samples.words[operand.index * samples.stride + i];
    }
    return word;
}

/// Words i ... i + 3 of a term's sum, i a multiple of 4 below the body.
TOROID_DEVICE uint4 sum_four(const SampleView& samples, const base::Operand* operands, Term term, int i) {
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int k = 0; k < term.operands; ++k) {
        const base::Operand operand = operands[term.first_operand + static_cast<std::uint32_t>(k)];
        const auto weight = static_cast<std::uint32_t>(operand.weight);
        const uint4 four = four_words(samples, operand.index, i);
        sum.x += weight * four.x;
        sum.y += weight * four.y;
        sum.z += weight * four.z;
        sum.w += weight * four.w;
    }
    return sum;
}

/// Word i of the sum of an output's parts, its offset on the body.
TOROID_DEVICE std::uint32_t output_word(const SampleView& parts, Output output, int i) {
    std::uint32_t word = i == parts.dimension ? static_cast<std::uint32_t>(output.post_offset) << 29 : 0U;
    for (int part = 0; part < output.parts; ++part) {
        word += parts.words[(output.first_part + static_cast<std::uint32_t>(part)) * parts.stride + i];
    }
    return word;
}

/// Words i ... i + 3 of it, i a multiple of 4 below the body.
TOROID_DEVICE uint4 output_four(const SampleView& parts, Output output, int i) {
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int part = 0; part < output.parts; ++part) {
        const uint4 four = four_words(parts, output.first_part + static_cast<std::uint32_t>(part), i);
        sum.x += four.x;
        sum.y += four.y;
        sum.z += four.z;
        sum.w += four.w;
    }
    return sum;
}

}  // namespace toroid::backend_gpu
