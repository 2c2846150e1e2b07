// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace toroid::base {

/// A source of uniform random bytes. Not thread safe: each thread owns one.
class RandomSource {
 public:
    virtual ~RandomSource() = default;
    virtual void fill(std::span<std::byte> bytes) = 0;

    [[nodiscard]] std::uint32_t next_u32();
    [[nodiscard]] std::uint64_t next_u64();
};

/// Makes independent sources. Key generation and encryption take one, so that tests (and only the test
/// target) can hand in a seeded factory while everything else uses system_random_sources().
class RandomSourceFactory {
 public:
    virtual ~RandomSourceFactory() = default;
    [[nodiscard]] virtual std::unique_ptr<RandomSource> make() = 0;
};

/// Sources that are ChaCha20 streams (libsodium), each with a fresh 256-bit key of the operating system.
/// The key and buffer are wiped on destruction.
[[nodiscard]] RandomSourceFactory& system_random_sources();

/// The seed of a published mask stream.
using MaskSeed = std::array<std::byte, 32>;

/// Deterministic expansion of a published seed into masks: ChaCha20 with key = seed and nonce = stream
/// number. Public data only: never a source of secrets or noise. Streams of one seed are independent, so that
/// an object can be expanded in parallel. A stream is one byte sequence: how calls split it changes nothing,
/// and 16-bit and 32-bit fills continue where the last one ended.
class MaskStream {
 public:
    MaskStream(const MaskSeed& seed, std::uint64_t stream_number);
    /// Fills with uniform little-endian 32-bit words.
    void fill(std::span<std::uint32_t> words);
    /// Fills with uniform little-endian 16-bit words.
    void fill(std::span<std::uint16_t> words);

 private:
    void fill_bytes(std::span<std::byte> bytes);
    MaskSeed seed_;
    std::array<std::byte, 8> nonce_{};
    std::uint64_t position_ = 0;  ///< bytes handed out so far
};

}  // namespace toroid::base
