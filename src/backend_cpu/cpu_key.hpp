// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "backend/host_pool.hpp"
#include "backend_cpu/batch_split.hpp"
#include "backend_cpu/blind_rotation.hpp"
#include "backend_cpu/kernel_table.hpp"
#include "backend_cpu/switching_key.hpp"
#include "backend_cpu/worker_scratch.hpp"
#include "base/thread_pool.hpp"

namespace toroid::backend_cpu {

/// Bootstraps of a full group.
[[nodiscard]] std::size_t full_group(const KernelTable& kernels);

/// A key loaded for the SIMD kernels. A batch runs in two passes over the workers: all gates read (linear
/// part and, in the key-switch-first order, key and modulus switch), then all gates write (blind rotation and
/// extraction), so that outputs may alias operands. With the key switch first, the modulus switch of a sample
/// follows at once and its time counts as the key switch's.
class CpuKey final : public backend::LoadedKey {
 public:
    /// transform: fft or ntt.
    CpuKey(const scheme::EvaluationKey& key, const KernelTable& kernels, backend::Transform transform,
           std::shared_ptr<base::ThreadPool> pool);

    [[nodiscard]] const scheme::Parameters& parameters() const noexcept override { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept override { return key_id_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override {
        return rotation_->bytes() + switching_.bytes();
    }
    [[nodiscard]] std::unique_ptr<backend::CiphertextPool> make_pool(std::uint32_t slots) const override;
    [[nodiscard]] std::unique_ptr<backend::Stream> make_stream() const override;
    void evaluate(const backend::GateBatch& batch, backend::CiphertextPool& pool, backend::Stream& stream,
                  backend::StepSeconds* seconds) const override;
    [[nodiscard]] std::uint32_t full_batch() const noexcept override;
    [[nodiscard]] std::vector<std::uint16_t> probe_switched(
        const backend::GateBatch& batch, const backend::CiphertextPool& pool) const override;
    [[nodiscard]] std::vector<std::uint32_t> probe_accumulators(
        std::span<const std::uint16_t> switched) const override;

 private:
    /// Samples that enter blind rotation, one row of `stride` a bootstrap, and what linear gates will write.
    struct BatchState;

    [[nodiscard]] BatchState prepare(const backend::GateBatch& batch, const backend::HostPool& pool) const;
    [[nodiscard]] std::size_t switched_stride() const noexcept {
        return static_cast<std::size_t>(parameters_.n()) + 1;
    }
    void read_group(const backend::GateBatch& batch, const GateGroup& group, const backend::HostPool& pool,
                    BatchState& state, WorkerScratch& scratch, backend::StepSeconds* seconds) const;
    void write_group(const backend::GateBatch& batch, const GateGroup& group, backend::HostPool& pool,
                     const BatchState& state, WorkerScratch& scratch, backend::StepSeconds* seconds) const;
    /// `count` samples of scratch.samples to n + 1 words each: in turn handed to `use(index, small_sample)`.
    template <typename Use>
    void switch_keys(std::size_t count, WorkerScratch& scratch, const Use& use) const;
    /// Accumulators of `count` bootstraps, into scratch.accumulators.
    void rotate(const std::uint16_t* switched, std::size_t count, WorkerScratch& scratch) const;
    [[nodiscard]] GroupLimits limits() const noexcept;
    [[nodiscard]] std::size_t polynomial_stride() const noexcept {
        return static_cast<std::size_t>(parameters_.N() + accumulator_padding);
    }
    [[nodiscard]] WorkerScratch& worker_scratch(unsigned worker) const { return *scratch_[worker]; }

    scheme::Parameters parameters_;
    base::KeyId key_id_;
    const KernelTable& kernels_;
    std::shared_ptr<base::ThreadPool> pool_;
    std::unique_ptr<const BlindRotation> rotation_;
    LoadedSwitchingKey switching_;
    /// One a worker of the pool, whose calls queue: no two batches use it at once.
    std::vector<std::unique_ptr<WorkerScratch>> scratch_;
};

}  // namespace toroid::backend_cpu
