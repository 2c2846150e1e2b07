// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/integer_product.hpp"
#include "backend_gpu/key_switch.hpp"
#include "backend_gpu/modulus_switch.cuh"
#include "backend_gpu/rotation/device_check.hpp"

namespace toroid::backend_gpu {
namespace {

/// What the kernels take from KeySwitchSizes.
struct Sizes {
    int input_dimension;
    int output_dimension;
    int base_log;
    int levels;
    int modulus_log;
    math::KeyMean mean;
    int bytes;
    int depth;
    int columns;
};

Sizes kernel_sizes(const KeySwitchSizes& sizes) {
    return {sizes.input_dimension, sizes.output_dimension,
            sizes.gadget.base_log, sizes.gadget.levels,
            sizes.modulus_log,     sizes.mean,
            sizes.bytes,           sizes.depth,
            sizes.columns};
}

/// Digits of four words by math::decompose_balanced, side by side from digits[level * stride] on; returns the
/// sum of the words less the values they stand for, as signed numbers.
TOROID_DEVICE std::int64_t write_digits(uint4 four, int base_log, int levels, std::int8_t* digits,
                                        int stride) {
    const std::uint32_t words[4] = {four.x, four.y, four.z, four.w};
    const int dropped = 32 - base_log * levels;
    const std::uint32_t half_base = 1U << (base_log - 1);
    std::uint32_t rest[4];
    std::int64_t errors = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        rest[i] = dropped > 0 ? (words[i] + (1U << (dropped - 1))) >> dropped : words[i];
        errors += static_cast<std::int32_t>(words[i] - (rest[i] << dropped));
    }
    for (int level = levels; level >= 1; --level) {
        std::uint32_t bytes = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t residue = rest[i] & (2 * half_base - 1);
            // The top bit of the next digit, or the lowest of the word, decides a tie.
            const std::uint32_t decides = (level > 1 ? rest[i] >> (2 * base_log - 1) : words[i]) & 1U;
            const std::uint32_t carry = (residue + decides + half_base - 1) >> base_log;
            bytes |= ((residue - (carry << base_log)) & 0xFFU) << (8 * i);
            rest[i] = (rest[i] >> base_log) + carry;
        }
        *reinterpret_cast<std::uint32_t*>(digits + (level - 1) * stride) = bytes;
    }
    return errors;
}

/// Digits and body (backend::key_switch_body) of a sample: one block. four(i) gives words i ... i + 3, body()
/// the last.
template <typename Four, typename Body>
TOROID_DEVICE void prepare(const Four& four, const Body& body, const Sizes& sizes, std::int64_t* scratch,
                           std::int8_t* digits, std::uint32_t* body_out) {
    std::int64_t errors = 0;
    for (int j = 4 * static_cast<int>(threadIdx.x); j < sizes.input_dimension; j += 4 * sample_threads) {
        errors += write_digits(four(j), sizes.base_log, sizes.levels, digits + j, sizes.input_dimension);
    }
    for (int k = sizes.levels * sizes.input_dimension + static_cast<int>(threadIdx.x); k < sizes.depth;
         k += sample_threads) {
        digits[k] = 0;
    }
    const std::int64_t sum = sizes.mean.numerator != 0 ? block_sum(errors, scratch) : 0;
    if (threadIdx.x == 0) {
        std::uint32_t word = body();
        if (sizes.mean.numerator != 0) {
            word -= static_cast<std::uint32_t>(
                divide_rounded_on_device(sizes.mean.numerator * sum, sizes.mean.denominator));
        }
        if (sizes.modulus_log < 32) {
            word = (word + (1U << (31 - sizes.modulus_log))) >> (32 - sizes.modulus_log);
        }
        *body_out = word;
    }
}

__global__ void __launch_bounds__(sample_threads)
    prepare_terms_kernel(SampleView samples, const base::Operand* operands, const Term* terms, Sizes sizes,
                         std::int8_t* digits, std::uint32_t* bodies) {
    __shared__ std::int64_t scratch[most_sample_warps];
    const Term term = terms[blockIdx.x];
    prepare([&](int i) { return sum_four(samples, operands, term, i); },
            [&] { return sum_word(samples, operands, term, samples.dimension); }, sizes, scratch,
            digits + static_cast<std::int64_t>(blockIdx.x) * sizes.depth, bodies + blockIdx.x);
}

__global__ void __launch_bounds__(sample_threads)
    prepare_outputs_kernel(SampleView parts, const Output* outputs, Sizes sizes, std::int8_t* digits,
                           std::uint32_t* bodies) {
    __shared__ std::int64_t scratch[most_sample_warps];
    const Output output = outputs[blockIdx.x];
    prepare([&](int i) { return output_four(parts, output, i); },
            [&] { return output_word(parts, output, parts.dimension); }, sizes, scratch,
            digits + static_cast<std::int64_t>(blockIdx.x) * sizes.depth, bodies + blockIdx.x);
}

/// Word i of the switched sample, < 2^modulus_log.
TOROID_DEVICE std::uint32_t product_word(const std::int32_t* products, std::uint32_t body, const Sizes& sizes,
                                         int i) {
    std::uint32_t sum = 0;
    for (int b = 0; b < sizes.bytes; ++b) {
        sum += static_cast<std::uint32_t>(products[i * sizes.bytes + b]) << (8 * b);
    }
    const std::uint32_t word = (i == sizes.output_dimension ? body : 0U) - sum;
    return word & (0xFFFFFFFFU >> (32 - sizes.modulus_log));
}

__global__ void __launch_bounds__(sample_threads)
    finish_switched_kernel(const std::int32_t* products, const std::uint32_t* bodies, Sizes sizes,
                           ModulusSwitch rule, std::uint16_t* switched) {
    __shared__ std::int64_t scratch[most_sample_warps];
    const std::int64_t sample = blockIdx.x;
    const std::int32_t* const own = products + sample * sizes.columns;
    switch_modulus([&](int i) { return std::uint64_t{product_word(own, bodies[sample], sizes, i)}; },
                   sizes.output_dimension, rule, scratch, switched + sample * (sizes.output_dimension + 1));
}

__global__ void __launch_bounds__(sample_threads)
    finish_outputs_kernel(const std::int32_t* products, const std::uint32_t* bodies, Sizes sizes,
                          const Output* outputs, SampleView to) {
    const std::int64_t sample = blockIdx.x;
    const std::int32_t* const own = products + sample * sizes.columns;
    std::uint32_t* const words = to.words + outputs[sample].slot * to.stride;
    for (int i = static_cast<int>(threadIdx.x); i <= sizes.output_dimension; i += sample_threads) {
        words[i] = product_word(own, bodies[sample], sizes, i) << (32 - sizes.modulus_log);
    }
}

}  // namespace

void KeySwitchKey::launch_product(int count, KeySwitchScratch& scratch, gpuStream_t stream) const {
    launch_integer_product(scratch.digits.data(), matrix_.data(), scratch.products.data(), count,
                           sizes_.columns, sizes_.depth, multiprocessors_, stream);
}

void KeySwitchKey::launch_switched(const SampleView& samples, const base::Operand* operands,
                                   const Term* terms, int count, ModulusSwitch rule,
                                   KeySwitchScratch& scratch, std::uint16_t* switched,
                                   gpuStream_t stream) const {
    if (count == 0) return;
    const Sizes sizes = kernel_sizes(sizes_);
    prepare_terms_kernel<<<count, sample_threads, 0, stream>>>(samples, operands, terms, sizes,
                                                               scratch.digits.data(), scratch.bodies.data());
    TOROID_GPU_CHECK(gpuGetLastError());
    launch_product(count, scratch, stream);
    finish_switched_kernel<<<count, sample_threads, 0, stream>>>(
        scratch.products.data(), scratch.bodies.data(), sizes, rule, switched);
    TOROID_GPU_CHECK(gpuGetLastError());
}

void KeySwitchKey::launch_outputs(const SampleView& parts, const Output* outputs, int count,
                                  KeySwitchScratch& scratch, const SampleView& to, gpuStream_t stream) const {
    if (count == 0) return;
    const Sizes sizes = kernel_sizes(sizes_);
    prepare_outputs_kernel<<<count, sample_threads, 0, stream>>>(parts, outputs, sizes, scratch.digits.data(),
                                                                 scratch.bodies.data());
    TOROID_GPU_CHECK(gpuGetLastError());
    launch_product(count, scratch, stream);
    finish_outputs_kernel<<<count, sample_threads, 0, stream>>>(scratch.products.data(),
                                                                scratch.bodies.data(), sizes, outputs, to);
    TOROID_GPU_CHECK(gpuGetLastError());
}

}  // namespace toroid::backend_gpu
