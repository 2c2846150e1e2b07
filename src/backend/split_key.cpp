// SPDX-License-Identifier: Apache-2.0
#include "backend/split_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include "toroid/error.hpp"

namespace toroid::backend {

/// A stream on each device, and the links between them as they are first needed.
class SplitKey::SplitStream final : public Stream {
 public:
    explicit SplitStream(const std::vector<KeyPart>& parts) : links_(parts.size() * parts.size()) {
        for (const KeyPart& part : parts) streams_.push_back(part.key->make_stream());
    }

    void synchronize() override {
        std::exception_ptr failure;
        for (const auto& stream : streams_) {
            try {
                stream->synchronize();
            } catch (...) {
                if (!failure) failure = std::current_exception();
            }
        }
        if (failure) std::rethrow_exception(failure);
    }

    /// Waits whatever happens, after a failure that is reported already.
    void settle() noexcept {
        try {
            synchronize();
        } catch (...) {  // NOLINT(bugprone-empty-catch): the first failure is the one to report
        }
    }

    [[nodiscard]] Stream& part(unsigned device) { return *streams_[device]; }
    [[nodiscard]] Link& link(const std::vector<KeyPart>& parts, unsigned from, unsigned to) {
        auto& made = links_[from * parts.size() + to];
        if (made == nullptr) made = parts[from].key->make_link(*parts[to].key);
        return *made;
    }

    [[nodiscard]] static SplitStream& of(Stream& stream, unsigned devices) {
        auto* own = dynamic_cast<SplitStream*>(&stream);
        if (own == nullptr || own->streams_.size() != devices) {
            throw Error(ErrorKind::device, fmt::format("the stream is not one over {} devices", devices));
        }
        return *own;
    }

 private:
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<std::unique_ptr<Link>> links_;  // first to go: a link may wait for its streams' work
};

/// The gates of one device.
struct SplitKey::Share {
    unsigned device = 0;
    std::vector<base::GateRecord> kept;  ///< those of a part of the batch
    GateBatch batch;
    StepSeconds seconds;
    std::exception_ptr failure;
};

SplitKey::SplitKey(std::vector<KeyPart> parts, std::uint32_t least_share)
    : parts_(std::move(parts)), least_share_(least_share) {
    if (parts_.empty() || parts_.size() > most_devices) {
        throw Error(ErrorKind::usage,
                    fmt::format("a key is loaded on 1 to {} devices, not {}", most_devices, parts_.size()));
    }
    for (const KeyPart& part : parts_) {
        if (part.key->key_id() != key_id() ||
            part.key->parameters().fingerprint() != parameters().fingerprint()) {
            throw Error(ErrorKind::key_mismatch,
                        fmt::format("{} and {} hold different keys", parts_.front().name, part.name));
        }
        names_.push_back(part.name);
        full_batches_.push_back(std::max(part.key->full_batch(), std::uint32_t{1}));
    }
    threads_ = std::make_unique<base::ThreadPool>(devices());
}

std::uint64_t SplitKey::bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const KeyPart& part : parts_) sum += part.key->bytes();
    return sum;
}

std::uint32_t SplitKey::full_batch() const noexcept {
    std::uint32_t sum = 0;
    for (const std::uint32_t full : full_batches_) sum += full;
    return sum;
}

std::unique_ptr<CiphertextPool> SplitKey::make_pool(std::uint32_t slots) const {
    std::vector<std::unique_ptr<CiphertextPool>> pools;
    for (const KeyPart& part : parts_) pools.push_back(part.key->make_pool(slots));
    return std::make_unique<SplitPool>(*this, std::move(pools), names_, full_batches_, least_share_);
}

std::unique_ptr<Stream> SplitKey::make_stream() const {
    return std::make_unique<SplitStream>(parts_);
}

void SplitKey::send(const BatchAssignment& assignment, SplitPool& pool, SplitStream& stream) const {
    const std::uint64_t sample_bytes =
        (static_cast<std::uint64_t>(parameters().wire_dimension()) + 1) * sizeof(std::uint32_t);
    try {
        for (const Transfer& transfer : assignment.transfers) {
            Link& link = stream.link(parts_, transfer.from, transfer.to);
            link.copy(transfer.slots, pool.part(transfer.from), stream.part(transfer.from),
                      pool.part(transfer.to), stream.part(transfer.to));
            DeviceWork& work = pool.work_of(transfer.to);
            const std::uint64_t bytes = transfer.slots.size() * sample_bytes;
            work.received_bytes += bytes;
            if (link.through_host()) work.received_through_host_bytes += bytes;
        }
    } catch (...) {
        stream.settle();
        for (const Transfer& transfer : assignment.transfers) {
            for (const std::uint32_t slot : transfer.slots) pool.ownership().copies_lost(slot);
        }
        throw;
    }
}

void SplitKey::run(std::span<Share> shares, SplitPool& pool, SplitStream& stream,
                   StepSeconds* seconds) const {
    const auto evaluate = [&](Share& share) {
        try {
            parts_[share.device].key->evaluate(share.batch, pool.part(share.device),
                                               stream.part(share.device),
                                               seconds != nullptr ? &share.seconds : nullptr);
        } catch (...) {
            share.failure = std::current_exception();
        }
    };
    if (shares.size() == 1) {
        evaluate(shares.front());
    } else {
        threads_->for_each(shares.size(), [&](std::size_t task, unsigned) { evaluate(shares[task]); });
    }
    for (const Share& share : shares) {
        for (const base::GateRecord& gate : share.batch.gates)
            pool.ownership().written(gate.output, share.device);
    }
    for (const Share& share : shares) {
        if (!share.failure) continue;
        stream.settle();
        std::rethrow_exception(share.failure);
    }
    for (const Share& share : shares) {
        for (const base::GateRecord& gate : share.batch.gates)
            pool.work_of(share.device).bootstraps += static_cast<std::uint64_t>(gate.bootstraps());
        if (seconds != nullptr) *seconds += share.seconds;
    }
}

void SplitKey::evaluate(const GateBatch& batch, CiphertextPool& pool, Stream& stream,
                        StepSeconds* seconds) const {
    SplitPool& own = SplitPool::of(pool, *this, names_);
    SplitStream& streams = SplitStream::of(stream, devices());
    check_batch(batch, own.slots());
    if (batch.gates.empty()) return;
    const BatchAssignment assignment = assign_batch(batch, own.ownership(), full_batches_, least_share_);
    send(assignment, own, streams);
    std::vector<Share> shares;
    for (unsigned device = 0; device < devices(); ++device) {
        Share share;
        share.device = device;
        const auto gates =
            static_cast<std::size_t>(std::ranges::count(assignment.device, std::uint8_t(device)));
        if (gates == 0) continue;
        share.batch = batch;
        if (gates < batch.gates.size()) {
            share.kept.reserve(gates);
            for (std::size_t i = 0; i < batch.gates.size(); ++i) {
                if (assignment.device[i] == device) share.kept.push_back(batch.gates[i]);
            }
            share.batch.gates = share.kept;
        }
        shares.push_back(std::move(share));  // a moved vector's elements stay where they are
    }
    run(shares, own, streams, seconds);
}

std::vector<std::uint16_t> SplitKey::probe_switched(const GateBatch& batch,
                                                    const CiphertextPool& pool) const {
    const SplitPool& own = SplitPool::of(pool, *this, names_);
    check_batch(batch, own.slots());
    std::vector<std::uint16_t> out;
    for (unsigned device = 0; device < devices(); ++device) {
        const std::size_t first = batch.gates.size() * device / devices();
        const std::size_t end = batch.gates.size() * (device + 1) / devices();
        const GateBatch part{batch.gates.subspan(first, end - first), batch.operands};
        // A probe may not move what the pool holds, so its operands come in a pool of their own.
        std::vector<std::uint32_t> slots;
        for (const base::GateRecord& gate : part.gates) {
            const std::size_t count = std::size_t{gate.operands_a} + gate.operands_b;
            for (const base::Operand& operand : batch.operands.subspan(gate.first_operand, count))
                slots.push_back(operand.index);
        }
        std::ranges::sort(slots);
        slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
        const auto copies = parts_[device].key->make_pool(own.slots());
        copies->upload(slots, own.download(slots));
        const std::vector<std::uint16_t> rows = parts_[device].key->probe_switched(part, *copies);
        out.insert(out.end(), rows.begin(), rows.end());
    }
    return out;
}

std::vector<std::uint32_t> SplitKey::probe_accumulators(std::span<const std::uint16_t> switched) const {
    const std::size_t width = static_cast<std::size_t>(parameters().n()) + 1;
    if (switched.size() % width != 0) return parts_.front().key->probe_accumulators(switched);
    const std::size_t rows = switched.size() / width;
    std::vector<std::uint32_t> out;
    for (unsigned device = 0; device < devices(); ++device) {
        const std::size_t first = rows * device / devices();
        const std::size_t end = rows * (device + 1) / devices();
        const std::vector<std::uint32_t> part =
            parts_[device].key->probe_accumulators(switched.subspan(first * width, (end - first) * width));
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

}  // namespace toroid::backend
