// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "contract/gate_kinds.hpp"
#include "contract/instance.hpp"
#include "contract/key_cache.hpp"
#include "scheme/lwe_array.hpp"
#include "scheme/noise_model.hpp"

namespace toroid::tests {

/// A loaded key with its secret, a pool and a stream: encrypts into slots, runs batches, decrypts slots.
class Workbench {
 public:
    /// key_number names one of test_key()'s keys of the instance's set.
    Workbench(const Instance& instance, std::uint32_t slots, std::uint64_t key_number = 0);
    /// Another bench on the same loaded key.
    [[nodiscard]] Workbench sibling(std::uint32_t slots) const;

    [[nodiscard]] const backend::LoadedKey& key() const { return *key_; }
    [[nodiscard]] backend::CiphertextPool& pool() { return *pool_; }
    [[nodiscard]] backend::Stream& stream() { return *stream_; }
    [[nodiscard]] const TestKey& secrets() const { return secrets_; }
    [[nodiscard]] const scheme::Parameters& parameters() const { return key_->parameters(); }
    [[nodiscard]] const scheme::NoiseModel& noise() const { return noise_; }

    /// Fresh secret-key encryptions of the bits into slots first, first + 1, ...
    void encrypt(std::uint32_t first, const Bits& bits);
    /// The same through a public key.
    void encrypt_public(std::uint32_t first, const Bits& bits);
    /// Uniformly random words: a sample of random phase.
    void randomize(std::uint32_t first, std::uint32_t count, std::mt19937_64& random);

    /// Evaluates and waits.
    void run(const backend::GateBatch& batch, backend::StepSeconds* seconds = nullptr);

    [[nodiscard]] scheme::LweArray download(std::span<const std::uint32_t> slots) const;
    [[nodiscard]] scheme::LweArray download(std::uint32_t first, std::uint32_t count) const;
    [[nodiscard]] Bits decrypt(std::span<const std::uint32_t> slots) const;
    [[nodiscard]] bool decrypt(std::uint32_t slot) const;

 private:
    Workbench(std::shared_ptr<const backend::LoadedKey> key, const TestKey& secrets, std::uint32_t slots);

    std::shared_ptr<const backend::LoadedKey> key_;
    const TestKey& secrets_;
    scheme::NoiseModel noise_;
    std::unique_ptr<backend::CiphertextPool> pool_;
    std::unique_ptr<backend::Stream> stream_;
};

/// first, first + 1, ..., first + count - 1.
[[nodiscard]] std::vector<std::uint32_t> slot_range(std::uint32_t first, std::uint32_t count);
[[nodiscard]] Bits random_bits(std::size_t count, std::mt19937_64& random);
/// True if the samples are equal word for word.
[[nodiscard]] bool equal_samples(const scheme::LweArray& a, const scheme::LweArray& b);
/// As signed fraction of the torus.
[[nodiscard]] double to_fraction(std::uint32_t phase);

}  // namespace toroid::tests
