// SPDX-License-Identifier: Apache-2.0
#include "backend_reference/reference_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include "backend/host_stream.hpp"
#include "backend/linear_combination.hpp"
#include "backend_reference/sample_extraction.hpp"
#include "math/decomposition.hpp"
#include "math/torus.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_reference {
namespace {

constexpr std::string_view backend_name = "reference";

/// Adds the time until its destruction to a sum.
class StepTimer {
 public:
    explicit StepTimer(double& sum) : sum_(sum), start_(std::chrono::steady_clock::now()) {}
    StepTimer(const StepTimer&) = delete;
    StepTimer& operator=(const StepTimer&) = delete;
    ~StepTimer() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
    double& sum_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace

ReferenceKey::ReferenceKey(const scheme::EvaluationKey& key)
    : parameters_(key.parameters()), key_id_(key.key_id()), key_switch_(key), blind_rotation_(key) {}

std::unique_ptr<backend::CiphertextPool> ReferenceKey::make_pool(std::uint32_t slots) const {
    return std::make_unique<backend::HostPool>(parameters_, key_id_, slots);
}

std::unique_ptr<backend::Stream> ReferenceKey::make_stream() const {
    return std::make_unique<backend::HostStream>(backend_name);
}

void ReferenceKey::evaluate(const backend::GateBatch& batch, backend::CiphertextPool& pool,
                            backend::Stream& stream, backend::StepSeconds* seconds) const {
    auto& host = backend::HostPool::of(pool, *this);
    backend::HostStream::require(stream, backend_name);
    backend::check_batch(batch, host.slots());
    backend::StepSeconds spent;
    // Nothing is written before every gate has read, so outputs may alias any operand.
    std::vector<std::vector<std::uint32_t>> results;
    for (const base::GateRecord& gate : batch.gates) {
        results.push_back(evaluate_gate(gate, batch.operands, host, spent));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::ranges::copy(results[i], host[batch.gates[i].output].begin());
    }
    if (seconds != nullptr) *seconds += spent;
}

std::vector<std::uint32_t> ReferenceKey::evaluate_gate(const base::GateRecord& gate,
                                                       std::span<const base::Operand> operands,
                                                       const backend::HostPool& pool,
                                                       backend::StepSeconds& seconds) const {
    if (gate.form == base::GateForm::linear) {
        const StepTimer timer(seconds.linear);
        std::vector<std::uint32_t> out(static_cast<std::size_t>(pool.dimension()) + 1);
        backend::linear_combination(pool, gate.term_a(operands), gate.offset_a, out);
        return out;
    }
    std::vector<std::uint32_t> extracted(static_cast<std::size_t>(parameters_.extracted_dimension()) + 1);
    add_rotated(switched(gate.term_a(operands), gate.offset_a, pool, seconds), extracted, seconds);
    if (gate.form == base::GateForm::pair) {
        add_rotated(switched(gate.term_b(operands), gate.offset_b, pool, seconds), extracted, seconds);
        extracted.back() += math::from_eighths(gate.post_offset);
    }
    if (parameters_.order() == scheme::GateOrder::key_switch_first) return extracted;

    const StepTimer timer(seconds.key_switch);
    std::vector<std::uint32_t> out(static_cast<std::size_t>(parameters_.n()) + 1);
    key_switch_.apply(extracted, out);
    for (std::uint32_t& word : out) word <<= 32 - parameters_.key_switch_modulus_log();
    return out;
}

std::vector<std::uint16_t> ReferenceKey::switched(std::span<const base::Operand> term, int offset_eighths,
                                                  const backend::HostPool& pool,
                                                  backend::StepSeconds& seconds) const {
    std::vector<std::uint32_t> sample(static_cast<std::size_t>(pool.dimension()) + 1);
    {
        const StepTimer timer(seconds.linear);
        backend::linear_combination(pool, term, offset_eighths, sample);
    }
    if (parameters_.order() == scheme::GateOrder::key_switch_first) {
        const StepTimer timer(seconds.key_switch);
        std::vector<std::uint32_t> small(static_cast<std::size_t>(parameters_.n()) + 1);
        key_switch_.apply(sample, small);
        sample = std::move(small);
    }
    const StepTimer timer(seconds.modulus_switch);
    std::vector<std::uint16_t> out(sample.size());
    math::modulus_switch(sample, parameters_.switched_modulus_log(), parameters_.rotation_log(),
                         parameters_.lwe_key_mean(), out);
    return out;
}

void ReferenceKey::add_rotated(std::span<const std::uint16_t> switched, std::span<std::uint32_t> out,
                               backend::StepSeconds& seconds) const {
    std::vector<std::uint32_t> accumulator(static_cast<std::size_t>((parameters_.k() + 1) * parameters_.N()));
    {
        const StepTimer timer(seconds.blind_rotation);
        blind_rotation_.apply(switched, accumulator);
    }
    const StepTimer timer(seconds.extraction);
    std::vector<std::uint32_t> extracted(out.size());
    extract_sample(accumulator, parameters_.N(), extracted);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += extracted[i];
}

std::vector<std::uint16_t> ReferenceKey::probe_switched(const backend::GateBatch& batch,
                                                        const backend::CiphertextPool& pool) const {
    const auto& host = backend::HostPool::of(pool, *this);
    backend::check_batch(batch, host.slots());
    backend::StepSeconds unused;
    std::vector<std::uint16_t> rows;
    const auto append = [&](std::span<const base::Operand> term, int offset_eighths) {
        const auto row = switched(term, offset_eighths, host, unused);
        rows.insert(rows.end(), row.begin(), row.end());
    };
    for (const base::GateRecord& gate : batch.gates) {
        if (gate.bootstraps() >= 1) append(gate.term_a(batch.operands), gate.offset_a);
        if (gate.bootstraps() == 2) append(gate.term_b(batch.operands), gate.offset_b);
    }
    return rows;
}

std::vector<std::uint32_t> ReferenceKey::probe_accumulators(std::span<const std::uint16_t> switched) const {
    const std::size_t width = static_cast<std::size_t>(parameters_.n()) + 1;
    const auto words = static_cast<std::size_t>((parameters_.k() + 1) * parameters_.N());
    if (switched.size() % width != 0) {
        throw Error(ErrorKind::internal, fmt::format("{} values are not rows of {}", switched.size(), width));
    }
    const auto bad = std::ranges::find_if(switched, [&](int value) { return value >= 2 * parameters_.N(); });
    if (bad != switched.end()) {
        throw Error(ErrorKind::internal,
                    fmt::format("{} is no rotation modulo {}", *bad, 2 * parameters_.N()));
    }
    std::vector<std::uint32_t> out(switched.size() / width * words);
    for (std::size_t i = 0; i < switched.size() / width; ++i) {
        blind_rotation_.apply(switched.subspan(i * width, width), std::span(out).subspan(i * words, words));
    }
    return out;
}

}  // namespace toroid::backend_reference
