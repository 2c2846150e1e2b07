// SPDX-License-Identifier: Apache-2.0
// Key switch on the device: digits of the input times the key, as one exact integer matrix product.
//
//   D  [sample][k], k = level * kN + j: digits by math::decompose_balanced, 8 bits
//   K  [column][k], column = i * bytes + b: byte b (signed, carries passed on) of word i of key sample (j,
//   level) P = D K^T, 32 bits;   out_i = body_i - sum_b P[i * bytes + b] 2^(8 b)   mod 2^modulus_log
// with body_i = 0 but for the last word (backend/key_switch_body.hpp). |P| <= K's rows * 2^(base_log - 1) *
// 128 stays below 2^31.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backend_gpu/device_buffer.hpp"
#include "backend_gpu/gate_terms.hpp"
#include "backend_gpu/sample_kernels.hpp"
#include "base/thread_pool.hpp"
#include "scheme/evaluation_key.hpp"

namespace toroid::backend_gpu {

/// Sizes of the product, from a parameter set.
struct KeySwitchSizes {
    explicit KeySwitchSizes(const scheme::Parameters& parameters);

    int input_dimension = 0;   ///< k N
    int output_dimension = 0;  ///< n
    math::Gadget gadget;
    int modulus_log = 0;
    math::KeyMean mean;  ///< of the GLWE key
    int bytes = 0;       ///< of a word: modulus_log / 8
    int depth = 0;       ///< rows of K, padded
    int columns = 0;     ///< padded

    /// Empty if the digits fit 8 bits and the product 32, else the reason.
    [[nodiscard]] std::string unsupported_reason() const;
};

/// Device memory for `samples` key switches at once.
class KeySwitchScratch {
 public:
    void reserve(const KeySwitchSizes& sizes, int samples);
    [[nodiscard]] static std::uint64_t bytes_per_sample(const KeySwitchSizes& sizes);

    DeviceBuffer<std::int8_t> digits;
    DeviceBuffer<std::int32_t> products;
    DeviceBuffer<std::uint32_t> bodies;
};

/// The key-switching key on the current device.
class KeySwitchKey {
 public:
    KeySwitchKey(const scheme::EvaluationKey& key, base::ThreadPool& pool);

    [[nodiscard]] const KeySwitchSizes& sizes() const noexcept { return sizes_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return matrix_.bytes(); }

    /// Switches the sums of `count` terms over `samples` and their modulus to 2N: rows of n + 1 values.
    void launch_switched(const SampleView& samples, const base::Operand* operands, const Term* terms,
                         int count, ModulusSwitch rule, KeySwitchScratch& scratch, std::uint16_t* switched,
                         gpuStream_t stream) const;
    /// Switches the sums of parts that `outputs` name and stores them in `to`, as torus words.
    void launch_outputs(const SampleView& parts, const Output* outputs, int count, KeySwitchScratch& scratch,
                        const SampleView& to, gpuStream_t stream) const;

 private:
    void launch_product(int count, KeySwitchScratch& scratch, gpuStream_t stream) const;

    KeySwitchSizes sizes_;
    int multiprocessors_ = 1;
    DeviceBuffer<std::int8_t> matrix_;
};

}  // namespace toroid::backend_gpu
