// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/cpu_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

#include "backend/host_stream.hpp"
#include "backend/key_switch_body.hpp"
#include "backend/linear_combination.hpp"
#include "base/available_memory.hpp"
#include "math/torus.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_cpu {
namespace {

constexpr std::string_view backend_name = "cpu";

/// Adds the time until its destruction to one step, if times are wanted.
class StepTimer {
 public:
    StepTimer(backend::StepSeconds* seconds, double backend::StepSeconds::*step)
        : seconds_(seconds), step_(step) {
        if (seconds_ != nullptr) start_ = std::chrono::steady_clock::now();
    }
    StepTimer(const StepTimer&) = delete;
    StepTimer& operator=(const StepTimer&) = delete;
    ~StepTimer() {
        if (seconds_ == nullptr) return;
        seconds_->*step_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

 private:
    backend::StepSeconds* seconds_;
    double backend::StepSeconds::*step_;
    std::chrono::steady_clock::time_point start_;
};

/// out += the LWE sample of coefficient 0 (CGGI 2020, section 4.2): k masks then the body, `stride` words
/// apart.
void add_extracted(const std::uint32_t* accumulator, std::size_t stride, std::size_t ring,
                   std::span<std::uint32_t> out) {
    const std::size_t masks = out.size() - 1;
    for (std::size_t first = 0; first < masks; first += ring, accumulator += stride) {
        out[first] += accumulator[0];
        for (std::size_t j = 1; j < ring; ++j) out[first + j] -= accumulator[ring - j];
    }
    out[masks] += accumulator[0];
}

}  // namespace

std::size_t full_group(const KernelTable& kernels) {
    // Two units a pass over the key: the spectra of more no longer fit a second-level cache of 512 KiB.
    return std::max<std::size_t>(8, 2 * static_cast<std::size_t>(kernels.lanes));
}

struct CpuKey::BatchState {
    std::vector<GateGroup> groups;
    base::AlignedVector<std::uint16_t> switched;
    std::vector<std::size_t> linear_index;  ///< of each gate, its place in linear_samples
    base::AlignedVector<std::uint32_t> linear_samples;
};

CpuKey::CpuKey(const scheme::EvaluationKey& key, const KernelTable& kernels, backend::Transform transform,
               std::shared_ptr<base::ThreadPool> pool)
    : parameters_(key.parameters()),
      key_id_(key.key_id()),
      kernels_(kernels),
      pool_(std::move(pool)),
      rotation_(make_blind_rotation(key, kernels, transform, *pool_)),
      switching_(key, *pool_) {
    for (unsigned worker = 0; worker < pool_->threads(); ++worker) {
        scratch_.push_back(std::make_unique<WorkerScratch>(parameters_, kernels_, *rotation_,
                                                           switching_.view(), full_group(kernels_)));
    }
}

std::unique_ptr<backend::CiphertextPool> CpuKey::make_pool(std::uint32_t slots) const {
    return std::make_unique<backend::HostPool>(parameters_, key_id_, slots);
}

std::unique_ptr<backend::Stream> CpuKey::make_stream() const {
    return std::make_unique<backend::HostStream>(backend_name);
}

GroupLimits CpuKey::limits() const noexcept {
    return {.threads = pool_->threads(),
            .lanes = static_cast<std::size_t>(kernels_.lanes),
            .most = full_group(kernels_)};
}

std::uint32_t CpuKey::full_batch() const noexcept {
    return static_cast<std::uint32_t>(pool_->threads() * full_group(kernels_));
}

template <typename Use>
void CpuKey::switch_keys(std::size_t count, WorkerScratch& scratch, const Use& use) const {
    const KeySwitchKey& key = switching_.view();
    kernels_.key_switch({.key = &key,
                         .gates = static_cast<int>(count),
                         .samples = scratch.samples.data(),
                         .sample_stride = static_cast<std::int64_t>(scratch.sample_stride),
                         .outputs = scratch.switched.data(),
                         .error_sums = scratch.error_sums.data(),
                         .digits = scratch.digits.data()});
    const auto width = static_cast<std::size_t>(key.width);
    const std::span<std::uint32_t> small(scratch.small_sample);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t body = backend::key_switch_body(
            scratch.samples[i * scratch.sample_stride + static_cast<std::size_t>(key.input_dimension)],
            scratch.error_sums[i], parameters_.glwe_key_mean(), key.modulus_log);
        const auto widen = [&](const auto* words) {
            for (std::size_t j = 0; j < small.size(); ++j) small[j] = words[i * width + j];
        };
        if (switching_.word_bytes() == 2) {
            widen(reinterpret_cast<const std::uint16_t*>(scratch.switched.data()));
            small.back() = (small.back() + body) & 0xFFFFU;
        } else {
            widen(reinterpret_cast<const std::uint32_t*>(scratch.switched.data()));
            small.back() += body;
        }
        use(i, small);
    }
}

void CpuKey::read_group(const backend::GateBatch& batch, const GateGroup& group,
                        const backend::HostPool& pool, BatchState& state, WorkerScratch& scratch,
                        backend::StepSeconds* seconds) const {
    const bool key_switch_first = parameters_.order() == scheme::GateOrder::key_switch_first;
    const std::size_t words = static_cast<std::size_t>(pool.dimension()) + 1;
    const std::size_t stride = switched_stride();
    const auto switch_modulus = [&](std::size_t bootstrap, std::span<const std::uint32_t> sample) {
        math::modulus_switch(sample, parameters_.switched_modulus_log(), parameters_.rotation_log(),
                             parameters_.lwe_key_mean(),
                             std::span(state.switched).subspan(bootstrap * stride, stride));
    };
    std::size_t bootstrap = 0;
    {
        const StepTimer timer(seconds, &backend::StepSeconds::linear);
        const auto combine = [&](std::span<const base::Operand> term, int offset) {
            const auto sample = std::span(scratch.samples).subspan(bootstrap * scratch.sample_stride, words);
            backend::linear_combination(pool, term, offset, sample);
            ++bootstrap;
        };
        for (std::size_t i = group.first_gate; i < group.first_gate + group.gates; ++i) {
            const base::GateRecord& gate = batch.gates[i];
            if (gate.form == base::GateForm::linear) {
                backend::linear_combination(
                    pool, gate.term_a(batch.operands), gate.offset_a,
                    std::span(state.linear_samples).subspan(state.linear_index[i] * words, words));
                continue;
            }
            combine(gate.term_a(batch.operands), gate.offset_a);
            if (gate.form == base::GateForm::pair) combine(gate.term_b(batch.operands), gate.offset_b);
        }
    }
    if (bootstrap == 0) return;
    if (key_switch_first) {
        const StepTimer timer(seconds, &backend::StepSeconds::key_switch);
        switch_keys(bootstrap, scratch, [&](std::size_t i, std::span<const std::uint32_t> sample) {
            switch_modulus(group.first_bootstrap + i, sample);
        });
    } else {
        const StepTimer timer(seconds, &backend::StepSeconds::modulus_switch);
        for (std::size_t i = 0; i < bootstrap; ++i) {
            switch_modulus(group.first_bootstrap + i,
                           std::span(scratch.samples).subspan(i * scratch.sample_stride, words));
        }
    }
}

void CpuKey::rotate(const std::uint16_t* switched, std::size_t count, WorkerScratch& scratch) const {
    const auto ring = static_cast<std::size_t>(parameters_.N());
    const auto components = static_cast<std::size_t>(parameters_.k()) + 1;
    const std::size_t stride = polynomial_stride();
    // (0, X^-b v) for the sign test polynomial v = 1/8 (1 + X + ... + X^(N-1)); idle lanes rotate zeros by
    // nothing.
    std::ranges::fill(scratch.accumulators, 0U);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t body = switched[i * switched_stride() + switched_stride() - 1];
        std::uint32_t* const out = scratch.accumulators.data() + (i * components + components - 1) * stride;
        for (std::size_t j = 0; j < stride; ++j) {
            out[j] = math::from_eighths(((j + body) & ring) == 0 ? 1 : -1);
        }
    }
    rotation_->rotate({.count = count,
                       .switched = switched,
                       .accumulators = scratch.accumulators.data(),
                       .scratch = scratch.rotation.data()});
}

void CpuKey::write_group(const backend::GateBatch& batch, const GateGroup& group, backend::HostPool& pool,
                         const BatchState& state, WorkerScratch& scratch,
                         backend::StepSeconds* seconds) const {
    const bool key_switch_first = parameters_.order() == scheme::GateOrder::key_switch_first;
    const std::size_t words = static_cast<std::size_t>(pool.dimension()) + 1;
    const std::size_t extracted_words = static_cast<std::size_t>(parameters_.extracted_dimension()) + 1;
    if (group.bootstraps > 0) {
        const StepTimer timer(seconds, &backend::StepSeconds::blind_rotation);
        rotate(state.switched.data() + group.first_bootstrap * switched_stride(), group.bootstraps, scratch);
    }
    std::size_t bootstrap = 0;
    std::vector<std::uint32_t> outputs;  // slots of the samples to be key-switched
    {
        const StepTimer timer(seconds, &backend::StepSeconds::extraction);
        for (std::size_t i = group.first_gate; i < group.first_gate + group.gates; ++i) {
            const base::GateRecord& gate = batch.gates[i];
            if (gate.form == base::GateForm::linear) {
                const auto from =
                    std::span(state.linear_samples).subspan(state.linear_index[i] * words, words);
                std::ranges::copy(from, pool[gate.output].begin());
                continue;
            }
            const auto sample = key_switch_first
                                    ? pool[gate.output]
                                    : std::span(scratch.samples)
                                          .subspan(outputs.size() * scratch.sample_stride, extracted_words);
            if (!key_switch_first) outputs.push_back(gate.output);
            std::ranges::fill(sample, 0U);
            for (int term = 0; term < gate.bootstraps(); ++term, ++bootstrap) {
                add_extracted(
                    scratch.accumulators.data() +
                        bootstrap * static_cast<std::size_t>(parameters_.k() + 1) * polynomial_stride(),
                    polynomial_stride(), static_cast<std::size_t>(parameters_.N()), sample);
            }
            if (gate.form == base::GateForm::pair) sample.back() += math::from_eighths(gate.post_offset);
        }
    }
    if (outputs.empty()) return;
    const StepTimer timer(seconds, &backend::StepSeconds::key_switch);
    const int shift = 32 - parameters_.key_switch_modulus_log();
    switch_keys(outputs.size(), scratch, [&](std::size_t i, std::span<const std::uint32_t> sample) {
        const auto out = pool[outputs[i]];
        for (std::size_t j = 0; j < out.size(); ++j) out[j] = sample[j] << shift;
    });
}

void CpuKey::evaluate(const backend::GateBatch& batch, backend::CiphertextPool& pool, backend::Stream& stream,
                      backend::StepSeconds* seconds) const {
    auto& host = backend::HostPool::of(pool, *this);
    backend::HostStream::require(stream, backend_name);
    backend::check_batch(batch, host.slots());
    BatchState state = prepare(batch, host);
    std::mutex mutex;
    const auto timed = [&](const auto& work) {
        if (seconds == nullptr) return work(nullptr);
        backend::StepSeconds spent;
        work(&spent);
        const std::lock_guard lock(mutex);
        *seconds += spent;
    };
    pool_->for_each(state.groups.size(), [&](std::size_t task, unsigned worker) {
        timed([&](backend::StepSeconds* spent) {
            read_group(batch, state.groups[task], host, state, worker_scratch(worker), spent);
        });
    });
    pool_->for_each(state.groups.size(), [&](std::size_t task, unsigned worker) {
        timed([&](backend::StepSeconds* spent) {
            write_group(batch, state.groups[task], host, state, worker_scratch(worker), spent);
        });
    });
}

CpuKey::BatchState CpuKey::prepare(const backend::GateBatch& batch, const backend::HostPool& pool) const {
    BatchState state;
    state.groups = split_batch(batch.gates, limits());
    std::size_t bootstraps = 0;
    std::size_t linear = 0;
    state.linear_index.resize(batch.gates.size());
    for (std::size_t i = 0; i < batch.gates.size(); ++i) {
        bootstraps += static_cast<std::size_t>(batch.gates[i].bootstraps());
        if (batch.gates[i].form == base::GateForm::linear) state.linear_index[i] = linear++;
    }
    const std::size_t words = static_cast<std::size_t>(pool.dimension()) + 1;
    try {
        state.switched.resize(bootstraps * switched_stride());
        state.linear_samples.resize(linear * words);
    } catch (const std::bad_alloc&) {
        const std::uint64_t needed =
            bootstraps * switched_stride() * sizeof(std::uint16_t) + linear * words * sizeof(std::uint32_t);
        const std::uint64_t available = base::available_memory_bytes();
        throw OutOfMemory(fmt::format("a batch of {} gates needs {} MiB of memory, {} MiB are available",
                                      batch.gates.size(), needed >> 20, available >> 20),
                          needed, available);
    }
    return state;
}

std::vector<std::uint16_t> CpuKey::probe_switched(const backend::GateBatch& batch,
                                                  const backend::CiphertextPool& pool) const {
    const auto& host = backend::HostPool::of(pool, *this);
    backend::check_batch(batch, host.slots());
    BatchState state = prepare(batch, host);
    pool_->for_each(state.groups.size(), [&](std::size_t task, unsigned worker) {
        read_group(batch, state.groups[task], host, state, worker_scratch(worker), nullptr);
    });
    return {state.switched.begin(), state.switched.end()};
}

std::vector<std::uint32_t> CpuKey::probe_accumulators(std::span<const std::uint16_t> switched) const {
    if (switched.size() % switched_stride() != 0) {
        throw Error(ErrorKind::internal, fmt::format("{} exponents are no whole number of samples of {}",
                                                     switched.size(), switched_stride()));
    }
    const std::size_t count = switched.size() / switched_stride();
    const auto ring = static_cast<std::size_t>(parameters_.N());
    for (const std::uint16_t exponent : switched) {
        if (exponent >= 2 * ring)
            throw Error(ErrorKind::internal, fmt::format("exponent {} of {}", exponent, 2 * ring));
    }
    const auto components = static_cast<std::size_t>(parameters_.k()) + 1;
    const std::vector<base::GateRecord> gates(count);
    const std::vector<GateGroup> groups = split_batch(gates, limits());
    std::vector<std::uint32_t> out(count * components * ring);
    pool_->for_each(groups.size(), [&](std::size_t task, unsigned worker) {
        WorkerScratch& scratch = worker_scratch(worker);
        const GateGroup& group = groups[task];
        rotate(switched.data() + group.first_bootstrap * switched_stride(), group.bootstraps, scratch);
        for (std::size_t polynomial = 0; polynomial < group.bootstraps * components; ++polynomial) {
            std::memcpy(out.data() + (group.first_bootstrap * components + polynomial) * ring,
                        scratch.accumulators.data() + polynomial * polynomial_stride(),
                        ring * sizeof(std::uint32_t));
        }
    });
    return out;
}

}  // namespace toroid::backend_cpu
