// SPDX-License-Identifier: Apache-2.0
#include "backend/split_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "backend/batch_assignment.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {

SplitPool::SplitPool(const LoadedKey& key, std::vector<std::unique_ptr<CiphertextPool>> parts,
                     std::span<const std::string> names, std::vector<std::uint32_t> full_batches,
                     std::uint32_t least_share)
    : parameters_(key.parameters().fingerprint()),
      key_id_(key.key_id()),
      parts_(std::move(parts)),
      full_batches_(std::move(full_batches)),
      least_share_(least_share),
      ownership_(parts_.front()->slots(), devices()) {
    for (const std::string& name : names) work_.push_back({.device = name});
}

std::uint64_t SplitPool::bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& part : parts_) sum += part->bytes();
    return sum;
}

void SplitPool::check_slots(std::span<const std::uint32_t> slots) const {
    for (const std::uint32_t slot : slots) {
        if (slot >= this->slots()) {
            throw Error(ErrorKind::internal,
                        fmt::format("ciphertext slot {} of a pool of {}", slot, this->slots()));
        }
    }
}

void SplitPool::upload(std::span<const std::uint32_t> slots, const scheme::LweArray& samples) {
    if (slots.size() != samples.count()) {
        throw Error(ErrorKind::internal,
                    fmt::format("{} ciphertexts uploaded into {} slots", samples.count(), slots.size()));
    }
    check_slots(slots);
    const std::size_t least = least_share_of(full_batches_.front(), least_share_);
    const std::size_t runs = std::clamp<std::size_t>(slots.size() / least, 1, parts_.size());
    for (unsigned device = 0; device < runs; ++device) {
        const std::size_t first = slots.size() * device / runs;
        const auto run = slots.subspan(first, slots.size() * (device + 1) / runs - first);
        if (runs == 1) {
            parts_[device]->upload(run, samples);
        } else {
            scheme::LweArray part(run.size(), samples.dimension());
            for (std::size_t i = 0; i < run.size(); ++i)
                std::ranges::copy(samples[first + i], part[i].begin());
            parts_[device]->upload(run, part);
        }
        for (const std::uint32_t slot : run) ownership_.written(slot, device);
    }
}

scheme::LweArray SplitPool::download(std::span<const std::uint32_t> slots) const {
    check_slots(slots);
    std::vector<std::vector<std::uint32_t>> wanted(parts_.size());
    for (const std::uint32_t slot : slots) wanted[ownership_.source(slot)].push_back(slot);
    // Also of no slots, for the dimension.
    std::vector<scheme::LweArray> found;
    for (std::size_t device = 0; device < parts_.size(); ++device)
        found.push_back(parts_[device]->download(wanted[device]));
    scheme::LweArray out(slots.size(), found.front().dimension());
    std::vector<std::size_t> next(parts_.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const unsigned device = ownership_.source(slots[i]);
        std::ranges::copy(found[device][next[device]++], out[i].begin());
    }
    return out;
}

void SplitPool::set_trivial(std::uint32_t slot, int eighths) {
    for (const auto& part : parts_) part->set_trivial(slot, eighths);
    ownership_.written_everywhere(slot);
}

const SplitPool& SplitPool::of(const CiphertextPool& pool, const LoadedKey& key,
                               std::span<const std::string> names) {
    const auto* own = dynamic_cast<const SplitPool*>(&pool);
    if (own == nullptr) {
        throw Error(ErrorKind::key_mismatch, "the ciphertext pool does not spread over the key's devices");
    }
    if (own->parameters_ != key.parameters().fingerprint() || own->key_id_ != key.key_id()) {
        throw Error(ErrorKind::key_mismatch, fmt::format("the ciphertext pool belongs to key {}, not to {}",
                                                         base::hex(own->key_id_), base::hex(key.key_id())));
    }
    if (!std::ranges::equal(own->work_, names, {}, &DeviceWork::device)) {
        throw Error(ErrorKind::device, "the ciphertext pool spreads over other devices than the key");
    }
    return *own;
}

SplitPool& SplitPool::of(CiphertextPool& pool, const LoadedKey& key, std::span<const std::string> names) {
    return const_cast<SplitPool&>(of(std::as_const(pool), key, names));
}

}  // namespace toroid::backend
