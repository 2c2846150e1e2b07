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

/// Digits of one word by math::decompose_balanced into digits[level * stride]; returns word less the value
/// they stand for, as a signed number.
TOROID_DEVICE std::int32_t write_digits(std::uint32_t word, int base_log, int levels, std::int8_t* digits,
                                        int stride) {
    const int bits = base_log * levels;
    const std::uint32_t half_base = 1U << (base_log - 1);
    std::uint32_t rest = bits < 32 ? (word + (1U << (31 - bits))) >> (32 - bits) : word;
    std::uint32_t value = 0;
    for (int level = levels; level >= 1; --level) {
        const std::uint32_t residue = rest & (2 * half_base - 1);
        rest >>= base_log;
        const bool decided_by = level > 1 ? ((rest >> (base_log - 1)) & 1U) != 0 : (word & 1U) != 0;
        const bool carry = residue > half_base || (residue == half_base && decided_by);
        const std::int32_t digit =
            static_cast<std::int32_t>(residue) - (carry ? static_cast<std::int32_t>(2 * half_base) : 0);
        digits[(level - 1) * stride] = static_cast<std::int8_t>(digit);
        value += static_cast<std::uint32_t>(digit) << (32 - level * base_log);
        rest += carry ? 1 : 0;
    }
    return static_cast<std::int32_t>(word - value);
}

/// Digits and body (backend::key_switch_body) of the sample whose word i is word(i): one block.
template <typename Word>
TOROID_DEVICE void prepare(const Word& word, const Sizes& sizes, std::int64_t* scratch, std::int8_t* digits,
                           std::uint32_t* body_out) {
    std::int64_t errors = 0;
    for (int j = static_cast<int>(threadIdx.x); j < sizes.input_dimension; j += sample_threads) {
        errors += write_digits(word(j), sizes.base_log, sizes.levels, digits + j, sizes.input_dimension);
    }
    for (int k = sizes.levels * sizes.input_dimension + static_cast<int>(threadIdx.x); k < sizes.depth;
         k += sample_threads) {
        digits[k] = 0;
    }
    const std::int64_t sum = sizes.mean.numerator != 0 ? block_sum(errors, scratch) : 0;
    if (threadIdx.x == 0) {
        std::uint32_t body = word(sizes.input_dimension);
        if (sizes.mean.numerator != 0) {
            body -= static_cast<std::uint32_t>(
                divide_rounded_on_device(sizes.mean.numerator * sum, sizes.mean.denominator));
        }
        if (sizes.modulus_log < 32) {
            body = (body + (1U << (31 - sizes.modulus_log))) >> (32 - sizes.modulus_log);
        }
        *body_out = body;
    }
}

__global__ void __launch_bounds__(sample_threads)
    prepare_terms_kernel(SampleView samples, const base::Operand* operands, const Term* terms, Sizes sizes,
                         std::int8_t* digits, std::uint32_t* bodies) {
    __shared__ std::int64_t scratch[sample_threads];
    const Term term = terms[blockIdx.x];
    prepare([&](int i) { return sum_word(samples, operands, term, i); }, sizes, scratch,
            digits + static_cast<std::int64_t>(blockIdx.x) * sizes.depth, bodies + blockIdx.x);
}

__global__ void __launch_bounds__(sample_threads)
    prepare_outputs_kernel(SampleView parts, const Output* outputs, Sizes sizes, std::int8_t* digits,
                           std::uint32_t* bodies) {
    __shared__ std::int64_t scratch[sample_threads];
    const Output output = outputs[blockIdx.x];
    prepare([&](int i) { return output_word(parts, output, i); }, sizes, scratch,
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
    __shared__ std::int64_t scratch[sample_threads];
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
