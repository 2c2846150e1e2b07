// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "backend/host_pool.hpp"
#include "backend_reference/blind_rotation.hpp"
#include "backend_reference/key_switch.hpp"

namespace toroid::backend_reference {

/// The gate, step by step. key_switch_first:
///     linear combination (k N) -> key switch (n) -> modulus switch -> blind rotation -> extraction (k N)
/// bootstrap_first:
///     linear combination (n) -> modulus switch -> blind rotation -> extraction (k N) -> key switch (n)
/// A pair adds its two extracted samples and post_offset before anything that follows extraction. Everything
/// happens on the caller, so evaluate() has finished when it returns.
class ReferenceKey final : public backend::LoadedKey {
 public:
    explicit ReferenceKey(const scheme::EvaluationKey& key);

    [[nodiscard]] const scheme::Parameters& parameters() const noexcept override { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept override { return key_id_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override {
        return key_switch_.bytes() + blind_rotation_.bytes();
    }
    [[nodiscard]] std::unique_ptr<backend::CiphertextPool> make_pool(std::uint32_t slots) const override;
    [[nodiscard]] std::unique_ptr<backend::Stream> make_stream() const override;
    void evaluate(const backend::GateBatch& batch, backend::CiphertextPool& pool, backend::Stream& stream,
                  backend::StepSeconds* seconds) const override;
    [[nodiscard]] std::uint32_t full_batch() const noexcept override { return 1; }
    [[nodiscard]] std::vector<std::uint16_t> probe_switched(
        const backend::GateBatch& batch, const backend::CiphertextPool& pool) const override;
    [[nodiscard]] std::vector<std::uint32_t> probe_accumulators(
        std::span<const std::uint16_t> switched) const override;

 private:
    [[nodiscard]] std::vector<std::uint32_t> evaluate_gate(const base::GateRecord& gate,
                                                           std::span<const base::Operand> operands,
                                                           const backend::HostPool& pool,
                                                           backend::StepSeconds& seconds) const;
    /// Linear combination to modulus-switched sample.
    [[nodiscard]] std::vector<std::uint16_t> switched(std::span<const base::Operand> term, int offset_eighths,
                                                      const backend::HostPool& pool,
                                                      backend::StepSeconds& seconds) const;
    /// out += the extracted sample of a blind rotation.
    void add_rotated(std::span<const std::uint16_t> switched, std::span<std::uint32_t> out,
                     backend::StepSeconds& seconds) const;

    scheme::Parameters parameters_;
    base::KeyId key_id_;
    KeySwitch key_switch_;
    BlindRotation blind_rotation_;
};

}  // namespace toroid::backend_reference
