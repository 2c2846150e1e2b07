// SPDX-License-Identifier: Apache-2.0
// Random values of the scheme: key coefficients, noise, published seeds. Use a source of its own for each of
// the three.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/byte_stream.hpp"
#include "base/random_source.hpp"
#include "base/secure_memory.hpp"
#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// Uniform in [0, bound), bound >= 1, without bias and without a division: multiply and reject (Lemire, ACM
/// TOMACS 29(1), 2019). What is rejected is independent of what is returned.
[[nodiscard]] std::uint32_t sample_below(base::RandomSource& source, std::uint32_t bound);

/// Coefficients uniform in {0, 1}.
void sample_binary(base::RandomSource& source, std::span<std::int8_t> key);
/// Coefficients uniform in {-1, 0, 1}.
void sample_ternary(base::RandomSource& source, std::span<std::int8_t> key);
/// Each block of `block` coefficients is zero or has a single 1, all block + 1 cases equally likely
/// (ePrint 2023/958, section 3). The size must be a multiple of block: else Error(internal).
void sample_block_binary(base::RandomSource& source, int block, std::span<std::int8_t> key);
/// One of the above; `block` is used by block_binary only.
void sample_key(base::RandomSource& source, KeyDistribution distribution, int block,
                std::span<std::int8_t> key);
/// True if the coefficients are ones that sample_key can give. Takes the same time for all keys of one
/// length.
[[nodiscard]] bool is_key_of(KeyDistribution distribution, int block, std::span<const std::int8_t> key);

[[nodiscard]] base::MaskSeed sample_mask_seed(base::RandomSource& source);
[[nodiscard]] base::KeyId sample_key_id(base::RandomSource& source);

/// Gaussian noise on the torus. Owns its source and a wiped scratch buffer; one thread at a time.
class NoiseSampler {
 public:
    /// `std` is a fraction of the torus; noise is a multiple of 2^-modulus_log. The continuous Gaussian has
    /// the variance std^2 - 2^(-2 modulus_log) / 12, so that rounding makes it std^2. Error(parameters) if
    /// std is below 2^-modulus_log, where this no longer holds.
    NoiseSampler(std::unique_ptr<base::RandomSource> source, double std, int modulus_log);
    /// Independent noise for each word, in units of 2^-32. Box-Muller from 64-bit uniforms: tails to 9.4 std.
    /// Its run time does not depend on the noise but through the mathematical library's log, sin and cos.
    void fill(std::span<std::uint32_t> noise);

 private:
    std::unique_ptr<base::RandomSource> source_;
    double scale_;
    int shift_;
    base::SecretVector<std::uint64_t> uniform_;
};

}  // namespace toroid::scheme
