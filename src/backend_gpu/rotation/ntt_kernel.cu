// SPDX-License-Identifier: Apache-2.0
// Blind rotation by the exact transform: one block of threads an accumulator, all in shared memory
// (ntt_block.hpp). No scratch in device memory.
#include <string>

#include "backend_gpu/platform.hpp"
#include "backend_gpu/rotation/device_check.hpp"
#include "backend_gpu/rotation/ntt_block.hpp"
#include "backend_gpu/rotation/ntt_key_layout.hpp"
#include "backend_gpu/rotation/rotation_plan.hpp"

namespace toroid::backend_gpu {
namespace {

constexpr int exact_threads = 512;
/// Blocks that run at once on a multiprocessor: the registers of one are bounded by that.
constexpr int exact_blocks = 2;

/// The threads of a block, each with every exact_threads-th task.
class BlockTeam {
 public:
    template <typename Task>
    TOROID_DEVICE void for_each(int count, const Task& task) const {
        for (int i = static_cast<int>(threadIdx.x); i < count; i += exact_threads) task(i);
        __syncthreads();
    }
};

__global__ void __launch_bounds__(exact_threads, exact_blocks)
    exact_rotation(const TOROID_GRID_CONSTANT NttArguments arguments) {
    extern __shared__ std::uint32_t exact_shared[];
    NttBlock<BlockTeam>(arguments, BlockTeam(), exact_shared, blockIdx.x).run();
}

math::NttSizes ntt_sizes(const RotationSizes& sizes) {
    return {sizes.ring_dimension, sizes.glwe_dimension, sizes.mask, sizes.body, sizes.block};
}

class ExactPlan final : public Rotation::Plan {
 public:
    ExactPlan(const RotationSizes& sizes, const RotationLimits& limits)
        : Plan(sizes, limits), layout_(ntt_sizes(sizes), sizes.lwe_dimension) {
        // The device's limit, not the set's need: the kernel is every set's, and the last call would bind
        // them all.
        TOROID_GPU_CHECK(gpuAllowSharedMemory(exact_rotation, limits.shared_bytes));
    }

    [[nodiscard]] std::uint64_t key_bytes() const noexcept override { return layout_.bytes(); }
    void build_key(const GlweRowSource& rows, base::ThreadPool& pool,
                   std::span<std::byte> out) const override {
        layout_.build(rows, pool, out);
    }
    void launch(const RotationJob& job, RotationKernel) const override {
        NttArguments arguments = layout_.arguments(job.key);
        arguments.switched = job.switched;
        arguments.samples = job.samples;
        arguments.sample_stride = job.sample_stride;
        arguments.accumulators = job.accumulators;
        exact_rotation<<<static_cast<unsigned>(job.rotations), exact_threads,
                         static_cast<std::size_t>(layout_.shared_bytes()), job.stream>>>(arguments);
        TOROID_GPU_CHECK(gpuGetLastError());
    }
    [[nodiscard]] int full_batch() const noexcept override { return limits.multiprocessors * exact_blocks; }
    [[nodiscard]] std::string kernel_name(int) const override { return "exact, one block a rotation"; }
    [[nodiscard]] bool has_kernel(RotationKernel kernel) const noexcept override {
        return kernel == RotationKernel::automatic || kernel == RotationKernel::general;
    }

 private:
    NttKeyLayout layout_;
};

}  // namespace

std::unique_ptr<const Rotation::Plan> make_exact_plan(const RotationSizes& sizes,
                                                      const RotationLimits& limits) {
    return std::make_unique<ExactPlan>(sizes, limits);
}

std::string exact_unsupported_reason(const RotationSizes& sizes, const RotationLimits& limits) {
    if (std::string reason = math::ntt_refusal(ntt_sizes(sizes)); !reason.empty()) return reason;
    if (sizes.components() > most_ntt_components) {
        return "GLWE dimension " + std::to_string(sizes.glwe_dimension) + " is above " +
               std::to_string(most_ntt_components - 1);
    }
    const std::int64_t needed = NttKeyLayout(ntt_sizes(sizes), sizes.lwe_dimension).shared_bytes();
    if (needed > limits.shared_bytes) {
        return "one accumulator and its digits take " + std::to_string(needed) +
               " bytes of shared memory, the device has " + std::to_string(limits.shared_bytes) + " a block";
    }
    return {};
}

}  // namespace toroid::backend_gpu
