// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/sample_kernels.hpp"

#include "backend_gpu/modulus_switch.cuh"
#include "backend_gpu/rotation/device_check.hpp"

// One block a sample, so that a sample's words are read and written in order. Grids are one-dimensional: that
// dimension alone has room for more than 65,535 blocks.
namespace toroid::backend_gpu {
namespace {

__global__ void __launch_bounds__(sample_threads)
    sums_kernel(SampleView samples, const base::Operand* operands, const Term* terms, SampleView out) {
    const Term term = terms[blockIdx.x];
    std::uint32_t* const to = out.words + blockIdx.x * out.stride;
    for (int i = static_cast<int>(threadIdx.x); i <= samples.dimension; i += sample_threads) {
        to[i] = sum_word(samples, operands, term, i);
    }
}

__global__ void __launch_bounds__(sample_threads)
    outputs_kernel(SampleView parts, const Output* outputs, SampleView samples) {
    const Output output = outputs[blockIdx.x];
    std::uint32_t* const to = samples.words + output.slot * samples.stride;
    for (int i = static_cast<int>(threadIdx.x); i <= samples.dimension; i += sample_threads) {
        to[i] = output_word(parts, output, i);
    }
}

__global__ void __launch_bounds__(sample_threads)
    copy_kernel(SampleView from, const std::uint32_t* from_index, const std::uint32_t* to_index,
                SampleView to) {
    const std::int64_t source = from_index != nullptr ? from_index[blockIdx.x] : blockIdx.x;
    const std::int64_t target = to_index != nullptr ? to_index[blockIdx.x] : blockIdx.x;
    for (int i = static_cast<int>(threadIdx.x); i <= from.dimension; i += sample_threads) {
        to.words[target * to.stride + i] = from.words[source * from.stride + i];
    }
}

__global__ void __launch_bounds__(sample_threads)
    switched_sums_kernel(SampleView samples, const base::Operand* operands, const Term* terms,
                         ModulusSwitch rule, std::uint16_t* switched) {
    __shared__ std::int64_t scratch[most_sample_warps];
    const Term term = terms[blockIdx.x];
    switch_modulus([&](int i) { return sum_word(samples, operands, term, i); }, samples.dimension, rule,
                   scratch, switched + static_cast<std::int64_t>(blockIdx.x) * (samples.dimension + 1));
}

}  // namespace

void launch_sums(const SampleView& samples, const base::Operand* operands, const Term* terms, int count,
                 const SampleView& out, gpuStream_t stream) {
    if (count == 0) return;
    sums_kernel<<<count, sample_threads, 0, stream>>>(samples, operands, terms, out);
    TOROID_GPU_CHECK(gpuGetLastError());
}

void launch_outputs(const SampleView& parts, const Output* outputs, int count, const SampleView& samples,
                    gpuStream_t stream) {
    if (count == 0) return;
    outputs_kernel<<<count, sample_threads, 0, stream>>>(parts, outputs, samples);
    TOROID_GPU_CHECK(gpuGetLastError());
}

void launch_gather(const SampleView& from, const std::uint32_t* index, int count, const SampleView& to,
                   gpuStream_t stream) {
    if (count == 0) return;
    copy_kernel<<<count, sample_threads, 0, stream>>>(from, index, nullptr, to);
    TOROID_GPU_CHECK(gpuGetLastError());
}

void launch_scatter(const SampleView& from, const std::uint32_t* index, int count, const SampleView& to,
                    gpuStream_t stream) {
    if (count == 0) return;
    copy_kernel<<<count, sample_threads, 0, stream>>>(from, nullptr, index, to);
    TOROID_GPU_CHECK(gpuGetLastError());
}

void launch_switched_sums(const SampleView& samples, const base::Operand* operands, const Term* terms,
                          int count, ModulusSwitch rule, std::uint16_t* switched, gpuStream_t stream) {
    if (count == 0) return;
    switched_sums_kernel<<<count, sample_threads, 0, stream>>>(samples, operands, terms, rule, switched);
    TOROID_GPU_CHECK(gpuGetLastError());
}

}  // namespace toroid::backend_gpu
