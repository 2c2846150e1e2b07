// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "backend_gpu/device_buffer.hpp"
#include "backend_gpu/gpu_pool.hpp"
#include "backend_gpu/gpu_stream.hpp"
#include "backend_gpu/key_switch.hpp"
#include "backend_gpu/rotation/rotation.hpp"

namespace toroid::backend_gpu {

/// An evaluation key on one GPU. A batch runs as a read phase (sums, key switch, modulus switch: everything
/// that reads slots) and a write phase (blind rotation, extraction, outputs), in chunks of at most
/// largest_chunk() bootstraps, so that scratch memory does not grow with the batch. Only when an output is
/// another gate's operand do all chunks read before the first one writes; then the modulus-switched samples
/// and the linear results of the whole batch are kept.
class GpuKey final : public backend::LoadedKey {
 public:
    /// peer_access: whether ciphertexts may go straight to other cards; else they pass through host memory.
    /// transform: fft or ntt.
    GpuKey(const scheme::EvaluationKey& key, int device, backend::Transform transform, base::ThreadPool& pool,
           bool peer_access = true);

    [[nodiscard]] const scheme::Parameters& parameters() const noexcept override { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept override { return key_id_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept override {
        return rotation_key_.bytes() + key_switch_->bytes();
    }
    [[nodiscard]] std::unique_ptr<backend::CiphertextPool> make_pool(std::uint32_t slots) const override;
    [[nodiscard]] std::unique_ptr<backend::Stream> make_stream() const override;
    [[nodiscard]] std::unique_ptr<backend::Link> make_link(const backend::LoadedKey& to) const override;
    void evaluate(const backend::GateBatch& batch, backend::CiphertextPool& pool, backend::Stream& stream,
                  backend::StepSeconds* seconds) const override;
    [[nodiscard]] std::uint32_t full_batch() const noexcept override;
    [[nodiscard]] std::vector<std::uint16_t> probe_switched(
        const backend::GateBatch& batch, const backend::CiphertextPool& pool) const override;
    [[nodiscard]] std::vector<std::uint32_t> probe_accumulators(
        std::span<const std::uint16_t> switched) const override;

 private:
    /// Consecutive gates of a batch; positions count from the batch's start.
    struct Chunk {
        std::size_t first_gate = 0;
        std::size_t gates = 0;
        std::size_t first_term = 0;  ///< in BatchArrays::terms: bootstraps, then linear gates
        std::size_t terms = 0;
        std::size_t first_linear = 0;
        std::size_t linear = 0;
    };
    /// A batch in the kernels' arrays, host side. Bootstrap terms and linear terms are numbered separately;
    /// outputs of bootstraps name parts among the chunk's extracted samples, outputs of linear gates among
    /// the linear results.
    struct BatchArrays {
        /// The part of the batch's operands that its gates read; terms count from its start.
        std::span<const base::Operand> operands;
        std::vector<Chunk> chunks;
        std::vector<Term> terms;
        std::vector<Term> linear_terms;
        std::vector<Output> outputs;
        std::vector<Output> linear_outputs;
        std::vector<std::size_t> first_output;  ///< of each chunk
        std::size_t most_terms = 0;             ///< in one chunk
        std::size_t most_linear = 0;
    };

    /// Its records on the device.
    struct Records {
        const base::Operand* operands;
        const Term* terms;
        const Term* linear_terms;
        const Output* outputs;
        const Output* linear_outputs;
    };

    /// Gates that are exactly one full batch of rotations and not all of `batch`; 0 if there is no such cut.
    [[nodiscard]] std::size_t head_gates(const backend::GateBatch& batch) const;
    void enqueue(const backend::GateBatch& batch, bool keep_all, const SampleView& slots, GpuStream& stream,
                 backend::StepSeconds* seconds) const;
    [[nodiscard]] BatchArrays arrange(const backend::GateBatch& batch, bool keep_all) const;
    void reserve(const BatchArrays& arrays, bool keep_all, GpuStream& stream) const;
    [[nodiscard]] Records upload(const BatchArrays& arrays, GpuStream& stream) const;
    void read_chunk(const Records& records, const Chunk& chunk, bool keep_all, const SampleView& slots,
                    GpuStream& stream, StepTimer& timer) const;
    void write_chunk(const BatchArrays& arrays, const Records& records, std::size_t chunk, bool keep_all,
                     const SampleView& slots, GpuStream& stream, StepTimer& timer) const;
    [[nodiscard]] ModulusSwitch modulus_rule() const;
    [[nodiscard]] std::size_t switched_width() const noexcept {
        return static_cast<std::size_t>(parameters_.n()) + 1;
    }
    [[nodiscard]] std::int64_t extracted_stride() const noexcept {
        return (parameters_.extracted_dimension() + 1 + 3) / 4 * 4;
    }
    [[nodiscard]] std::int64_t slot_stride() const noexcept {
        return (parameters_.wire_dimension() + 1 + 3) / 4 * 4;
    }
    [[nodiscard]] std::size_t largest_chunk() const noexcept;

    scheme::Parameters parameters_;
    base::KeyId key_id_;
    int device_;
    bool peer_access_;
    std::unique_ptr<Rotation> rotation_;
    DeviceBuffer<std::byte> rotation_key_;
    std::unique_ptr<KeySwitchKey> key_switch_;
};

/// What blind rotation takes from a set.
[[nodiscard]] RotationSizes rotation_sizes(const scheme::Parameters& parameters);

}  // namespace toroid::backend_gpu
