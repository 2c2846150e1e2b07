// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/worker_scratch.hpp"

namespace toroid::backend_cpu {

WorkerScratch::WorkerScratch(const scheme::Parameters& parameters, const KernelTable& kernels,
                             const BlindRotation& blind_rotation, const KeySwitchKey& switching,
                             std::size_t most) {
    const auto words = [](int count) { return static_cast<std::size_t>(count); };
    const std::size_t word_bytes = switching.modulus_log == 16 ? 2 : 4;
    const auto lanes = words(kernels.lanes);
    const std::size_t whole_units = (most + lanes - 1) / lanes * lanes;
    sample_stride = (words(parameters.extracted_dimension()) + 1 + 15) / 16 * 16;
    samples.resize(most * sample_stride);
    switched.resize(most * words(switching.width) * word_bytes);
    digits.resize(most * words(switching.levels) * words(switching.input_dimension) * word_bytes);
    error_sums.resize(most);
    small_sample.resize(words(parameters.n()) + 1);
    accumulators.resize(whole_units * words(parameters.k() + 1) *
                        words(parameters.N() + accumulator_padding));
    rotation.resize(blind_rotation.scratch_bytes(most));
}

}  // namespace toroid::backend_cpu
