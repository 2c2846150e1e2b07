// SPDX-License-Identifier: Apache-2.0
#include "backend/host_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/available_memory.hpp"
#include "math/torus.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {

namespace {

base::AlignedVector<std::uint32_t> allocate(std::uint32_t slots, std::size_t stride) {
    const std::uint64_t needed = std::uint64_t{slots} * stride * sizeof(std::uint32_t);
    const std::uint64_t available = base::available_memory_bytes();
    const auto refuse = [&] {
        throw OutOfMemory(fmt::format("a pool of {} ciphertexts needs {} MiB of memory, {} MiB are available",
                                      slots, needed >> 20, available >> 20),
                          needed, available);
    };
    if (needed > available) refuse();
    try {
        return base::AlignedVector<std::uint32_t>(slots * stride);
    } catch (const std::bad_alloc&) {
        refuse();
        throw;
    }
}

}  // namespace

HostPool::HostPool(const scheme::Parameters& parameters, const base::KeyId& key_id, std::uint32_t slots)
    : parameters_(parameters.fingerprint()),
      key_id_(key_id),
      slots_(slots),
      dimension_(parameters.wire_dimension()),
      stride_((static_cast<std::size_t>(dimension_) + 1 + 15) / 16 * 16),
      words_(allocate(slots, stride_)) {}

void HostPool::check_slot(std::uint32_t slot) const {
    if (slot >= slots_) {
        throw Error(ErrorKind::internal, fmt::format("ciphertext slot {} of a pool of {}", slot, slots_));
    }
}

void HostPool::upload(std::span<const std::uint32_t> slots, const scheme::LweArray& samples) {
    if (slots.size() != samples.count()) {
        throw Error(ErrorKind::internal,
                    fmt::format("{} ciphertexts uploaded into {} slots", samples.count(), slots.size()));
    }
    if (samples.count() > 0 && samples.dimension() != dimension_) {
        throw Error(
            ErrorKind::key_mismatch,
            fmt::format("ciphertexts of dimension {} do not belong to a key whose ciphertexts have {}",
                        samples.dimension(), dimension_));
    }
    for (const std::uint32_t slot : slots) check_slot(slot);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        std::ranges::copy(samples[i], (*this)[slots[i]].begin());
    }
}

scheme::LweArray HostPool::download(std::span<const std::uint32_t> slots) const {
    for (const std::uint32_t slot : slots) check_slot(slot);
    scheme::LweArray out(slots.size(), dimension_);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        std::ranges::copy((*this)[slots[i]], out[i].begin());
    }
    return out;
}

void HostPool::set_trivial(std::uint32_t slot, int eighths) {
    check_slot(slot);
    const auto words = (*this)[slot];
    std::ranges::fill(words, 0U);
    words.back() = math::from_eighths(eighths);
}

const HostPool& HostPool::of(const CiphertextPool& pool, const LoadedKey& key) {
    const auto* host = dynamic_cast<const HostPool*>(&pool);
    if (host == nullptr) {
        throw Error(ErrorKind::key_mismatch, "the ciphertext pool belongs to another device");
    }
    if (host->key_id_ != key.key_id()) {
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("the ciphertext pool belongs to key {}, the loaded key is {}",
                                base::hex(host->key_id_), base::hex(key.key_id())));
    }
    if (host->parameters_ != key.parameters().fingerprint()) {
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("the ciphertext pool belongs to another parameter set than {}",
                                key.parameters().name()));
    }
    return *host;
}

HostPool& HostPool::of(CiphertextPool& pool, const LoadedKey& key) {
    return const_cast<HostPool&>(of(static_cast<const CiphertextPool&>(pool), key));
}

}  // namespace toroid::backend
