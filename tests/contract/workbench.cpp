// SPDX-License-Identifier: Apache-2.0
#include "contract/workbench.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "client/encryption.hpp"
#include "scheme/public_key.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

/// Encryption randomness of the process: a new stream at each use.
SeededSources& encryption_sources() {
    static SeededSources sources(0x656e6372);
    return sources;
}

}  // namespace

Workbench::Workbench(const Instance& instance, std::uint32_t slots, std::uint64_t key_number)
    : Workbench(loaded_key(instance, key_number), test_key(instance.parameters, key_number), slots) {}

Workbench::Workbench(std::shared_ptr<const backend::LoadedKey> key, const TestKey& secrets,
                     std::uint32_t slots)
    : key_(std::move(key)),
      secrets_(secrets),
      noise_(key_->parameters()),
      pool_(key_->make_pool(slots)),
      stream_(key_->make_stream()) {}

Workbench Workbench::sibling(std::uint32_t slots) const {
    return {key_, secrets_, slots};
}

void Workbench::encrypt(std::uint32_t first, const Bits& bits) {
    const auto slots = slot_range(first, static_cast<std::uint32_t>(bits.size()));
    pool_->upload(slots, client::encrypt(secrets_.secret, bits, encryption_sources()).samples);
}

void Workbench::encrypt_public(std::uint32_t first, const Bits& bits) {
    const auto slots = slot_range(first, static_cast<std::uint32_t>(bits.size()));
    const auto public_key = client::make_public_key(secrets_.secret, encryption_sources());
    pool_->upload(slots, public_key.encrypt(bits, encryption_sources()));
}

void Workbench::randomize(std::uint32_t first, std::uint32_t count, std::mt19937_64& random) {
    scheme::LweArray samples(count, parameters().wire_dimension());
    for (std::uint32_t i = 0; i < count; ++i) {
        for (std::uint32_t& word : samples[i]) word = static_cast<std::uint32_t>(random());
    }
    pool_->upload(slot_range(first, count), samples);
}

void Workbench::run(const backend::GateBatch& batch, backend::StepSeconds* seconds) {
    key_->evaluate(batch, *pool_, *stream_, seconds);
    stream_->synchronize();
}

scheme::LweArray Workbench::download(std::span<const std::uint32_t> slots) const {
    return pool_->download(slots);
}

scheme::LweArray Workbench::download(std::uint32_t first, std::uint32_t count) const {
    return pool_->download(slot_range(first, count));
}

Bits Workbench::decrypt(std::span<const std::uint32_t> slots) const {
    return client::decrypt(secrets_.secret, pool_->download(slots));
}

bool Workbench::decrypt(std::uint32_t slot) const {
    return decrypt(std::array{slot})[0];
}

std::vector<std::uint32_t> slot_range(std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> slots(count);
    std::iota(slots.begin(), slots.end(), first);
    return slots;
}

Bits random_bits(std::size_t count, std::mt19937_64& random) {
    Bits bits(count);
    for (std::size_t i = 0; i < count; ++i) bits[i] = random() % 2 == 1;
    return bits;
}

bool equal_samples(const scheme::LweArray& a, const scheme::LweArray& b) {
    if (a.count() != b.count()) return false;
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (!std::ranges::equal(a[i], b[i])) return false;
    }
    return true;
}

double to_fraction(std::uint32_t phase) {
    return static_cast<std::int32_t>(phase) / 4294967296.0;
}

}  // namespace toroid::tests
