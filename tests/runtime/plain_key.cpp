// SPDX-License-Identifier: Apache-2.0
#include "runtime/plain_key.hpp"

#include <algorithm>
#include <stdexcept>

#include "backend/host_pool.hpp"
#include "math/torus.hpp"

namespace toroid::tests {
namespace {

class PlainStream final : public backend::Stream {
 public:
    void synchronize() override {}
};

}  // namespace

PlainKey::PlainKey(std::uint32_t full_batch)
    : parameters_(scheme::named_parameters("tfhe128")), full_batch_(full_batch) {}

std::unique_ptr<backend::CiphertextPool> PlainKey::make_pool(std::uint32_t slots) const {
    return std::make_unique<backend::HostPool>(parameters_, key_id_, slots);
}

std::unique_ptr<backend::Stream> PlainKey::make_stream() const {
    return std::make_unique<PlainStream>();
}

void PlainKey::evaluate(const backend::GateBatch& batch, backend::CiphertextPool& pool, backend::Stream&,
                        backend::StepSeconds*) const {
    auto& slots = backend::HostPool::of(pool, *this);
    backend::check_batch(batch, slots.slots());
    const auto sum = [&](std::span<const base::Operand> term, int offset) {
        math::Torus32 phase = math::from_eighths(offset);
        for (const base::Operand& operand : term) {
            phase += static_cast<std::uint32_t>(operand.weight) * slots[operand.index].back();
        }
        return phase;
    };
    std::uint32_t bootstraps = 0;
    std::vector<math::Torus32> results;
    for (const base::GateRecord& gate : batch.gates) {
        const math::Torus32 a = sum(gate.term_a(batch.operands), gate.offset_a);
        const math::Torus32 b = sum(gate.term_b(batch.operands), gate.offset_b);
        const auto sign = [](math::Torus32 phase) {
            if (phase << 1 == 0) throw std::runtime_error("a phase of exactly 0 or 1/2");
            return math::encode_bit(math::decode_bit(phase));
        };
        bootstraps += static_cast<std::uint32_t>(gate.bootstraps());
        switch (gate.form) {
            case base::GateForm::linear:
                results.push_back(a);
                break;
            case base::GateForm::bootstrap:
                results.push_back(sign(a));
                break;
            case base::GateForm::pair:
                results.push_back(sign(a) + sign(b) + math::from_eighths(gate.post_offset));
                break;
        }
    }
    for (std::size_t i = 0; i < results.size(); ++i) slots[batch.gates[i].output].back() = results[i];
    largest_batch = std::max<std::uint32_t>(largest_batch, bootstraps);
}

std::vector<std::uint16_t> PlainKey::probe_switched(const backend::GateBatch&,
                                                    const backend::CiphertextPool&) const {
    throw std::logic_error("a plain key has no steps");
}

std::vector<std::uint32_t> PlainKey::probe_accumulators(std::span<const std::uint16_t>) const {
    throw std::logic_error("a plain key has no steps");
}

}  // namespace toroid::tests
