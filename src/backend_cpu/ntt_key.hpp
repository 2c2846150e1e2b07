// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "backend_cpu/ntt_job.hpp"
#include "base/aligned_vector.hpp"
#include "base/thread_pool.hpp"
#include "math/ntt.hpp"
#include "scheme/evaluation_key.hpp"

namespace toroid::backend_cpu {

[[nodiscard]] math::NttSizes ntt_sizes(const scheme::Parameters& parameters);

/// Tables of one ring dimension in the kernels' order.
class NttPlan {
 public:
    explicit NttPlan(int ring_dimension);

    [[nodiscard]] const math::Ntt& transform(std::size_t prime) const noexcept { return transforms_[prime]; }
    /// Fills the tables' pointers and constants.
    void describe(NttRotationKey& key) const noexcept;
    /// Where leaf i comes in the order of the vectors.
    [[nodiscard]] static std::size_t place(std::size_t leaf) noexcept {
        const std::size_t within = leaf % ntt_block_leaves;
        return leaf - within + within % ntt_lanes * ntt_lanes + within / ntt_lanes;
    }
    [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
    std::array<math::Ntt, 2> transforms_;
    /// [prime][forward, inverse]
    std::array<base::AlignedVector<std::uint32_t>, 4> heads_;
    std::array<base::AlignedVector<std::uint32_t>, 4> tails_;
    base::AlignedVector<std::uint32_t> leaf_exponents_;
};

/// The bootstrapping key as residues, in the layout of NttRotationKey: as large as the FP64 Fourier form.
class LoadedNttKey {
 public:
    /// Transforms the key on all threads of the pool. Sizes must be those that math::ntt_refusal accepts.
    LoadedNttKey(const scheme::EvaluationKey& key, base::ThreadPool& pool);
    LoadedNttKey(const LoadedNttKey&) = delete;
    LoadedNttKey& operator=(const LoadedNttKey&) = delete;

    [[nodiscard]] const NttRotationKey& view() const noexcept { return view_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        return values_.size() * sizeof(std::uint32_t) + plan_.bytes();
    }

 private:
    NttPlan plan_;
    NttRotationKey view_;
    base::AlignedVector<std::uint32_t> values_;
};

}  // namespace toroid::backend_cpu
