// SPDX-License-Identifier: Apache-2.0
#include "base/random_source.hpp"

#include <pthread.h>
#include <sodium.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "toroid/error.hpp"

namespace toroid::base {
namespace {

constexpr std::size_t block_bytes = 64;

std::atomic<std::uint64_t> fork_generation{0};

void initialise_sodium() {
    static const bool ready = [] {
        if (sodium_init() < 0) throw Error(ErrorKind::internal, "libsodium cannot be initialised");
        // A forked child must never repeat its parent's stream.
        pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); });
        return true;
    }();
    static_cast<void>(ready);
}

/// ChaCha20 with fast key erasure (D. J. Bernstein, "Fast-key-erasure random-number generators", 2017): each
/// refill replaces the key by the head of its own output, and bytes handed out are wiped, so that a later
/// look into memory reveals no earlier output.
class ChaChaSource final : public RandomSource {
 public:
    ChaChaSource() {
        initialise_sodium();
        draw_key();
    }
    ~ChaChaSource() override {
        sodium_memzero(key_.data(), key_.size());
        sodium_memzero(buffer_.data(), buffer_.size());
    }
    ChaChaSource(const ChaChaSource&) = delete;
    ChaChaSource& operator=(const ChaChaSource&) = delete;

    void fill(std::span<std::byte> bytes) override {
        if (fork_generation.load(std::memory_order_relaxed) != generation_) draw_key();
        if (bytes.size() > pool_bytes) {
            // One key serves one direct stream (nonce 1) and one refill (nonce 0) and is then gone.
            stream(bytes, 1);
            refill();
            return;
        }
        while (!bytes.empty()) {
            if (used_ == buffer_.size()) refill();
            const std::size_t count = std::min(bytes.size(), buffer_.size() - used_);
            std::memcpy(bytes.data(), buffer_.data() + used_, count);
            std::memset(buffer_.data() + used_, 0, count);
            used_ += count;
            bytes = bytes.subspan(count);
        }
    }

 private:
    static constexpr std::size_t pool_bytes = 1024;
    static constexpr std::size_t key_bytes = crypto_stream_chacha20_KEYBYTES;

    void draw_key() {
        generation_ = fork_generation.load(std::memory_order_relaxed);
        randombytes_buf(key_.data(), key_.size());
        used_ = buffer_.size();
    }
    void stream(std::span<std::byte> bytes, unsigned char number) {
        const std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{number};
        crypto_stream_chacha20(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), nonce.data(),
                               key_.data());
    }
    void refill() {
        stream(buffer_, 0);
        std::memcpy(key_.data(), buffer_.data(), key_bytes);
        std::memset(buffer_.data(), 0, key_bytes);
        used_ = key_bytes;
    }

    std::array<unsigned char, key_bytes> key_{};
    std::array<std::byte, key_bytes + pool_bytes> buffer_{};
    std::size_t used_ = 0;
    std::uint64_t generation_ = 0;
};

class SystemFactory final : public RandomSourceFactory {
 public:
    [[nodiscard]] std::unique_ptr<RandomSource> make() override { return std::make_unique<ChaChaSource>(); }
};

template <typename Word>
Word from_little_endian(Word word) {
    if constexpr (std::endian::native == std::endian::little) return word;
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(Word)>>(word);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<Word>(bytes);
}

}  // namespace

std::uint32_t RandomSource::next_u32() {
    std::uint32_t word = 0;
    fill(std::as_writable_bytes(std::span(&word, 1)));
    return word;
}

std::uint64_t RandomSource::next_u64() {
    std::uint64_t word = 0;
    fill(std::as_writable_bytes(std::span(&word, 1)));
    return word;
}

RandomSourceFactory& system_random_sources() {
    static SystemFactory factory;
    return factory;
}

MaskStream::MaskStream(const MaskSeed& seed, std::uint64_t stream_number) : seed_(seed) {
    initialise_sodium();
    for (std::size_t i = 0; i < nonce_.size(); ++i)
        nonce_[i] = static_cast<std::byte>(stream_number >> (8 * i));
}

void MaskStream::fill(std::span<std::uint32_t> words) {
    fill_bytes(std::as_writable_bytes(words));
    for (std::uint32_t& word : words) word = from_little_endian(word);
}

void MaskStream::fill(std::span<std::uint16_t> words) {
    fill_bytes(std::as_writable_bytes(words));
    for (std::uint16_t& word : words) word = from_little_endian(word);
}

void MaskStream::fill_bytes(std::span<std::byte> bytes) {
    const auto expand = [&](std::span<std::byte> out, std::uint64_t block) {
        std::memset(out.data(), 0, out.size());
        auto* const raw = reinterpret_cast<unsigned char*>(out.data());
        crypto_stream_chacha20_xor_ic(raw, raw, out.size(),
                                      reinterpret_cast<const unsigned char*>(nonce_.data()), block,
                                      reinterpret_cast<const unsigned char*>(seed_.data()));
    };
    if (const std::size_t skip = position_ % block_bytes; skip != 0 && !bytes.empty()) {
        std::array<std::byte, block_bytes> block;
        expand(block, position_ / block_bytes);
        const std::size_t count = std::min(bytes.size(), block_bytes - skip);
        std::memcpy(bytes.data(), block.data() + skip, count);
        position_ += count;
        bytes = bytes.subspan(count);
    }
    if (bytes.empty()) return;
    expand(bytes, position_ / block_bytes);
    position_ += bytes.size();
}

}  // namespace toroid::base
