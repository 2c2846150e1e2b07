// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/rotation/rotation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "backend_gpu/rotation/device_check.hpp"
#include "backend_gpu/rotation/general_kernel.hpp"
#include "backend_gpu/rotation/key_layout.hpp"
#include "backend_gpu/rotation/packed_kernels.hpp"
#include "backend_gpu/rotation/packed_shape.hpp"

namespace toroid::backend_gpu {
namespace {

constexpr int smallest_ring = 64;
constexpr int largest_ring = 16384;
constexpr int most_components = 8;

/// Blocks of a cluster, 1 for the kernels without.
int cluster_of(RotationKernel kernel) {
    return kernel < RotationKernel::cluster2
               ? 1
               : 2 << (static_cast<int>(kernel) - static_cast<int>(RotationKernel::cluster2));
}
std::size_t cluster_index(RotationKernel kernel) {
    return static_cast<std::size_t>(kernel) - static_cast<std::size_t>(RotationKernel::cluster2);
}

bool bits_fit(const RotationSizes& sizes) {
    return sizes.mask.base_log * sizes.mask.levels <= packed_mask_bits &&
           sizes.body.base_log * sizes.body.levels <= packed_body_bits;
}

bool same_shape(const PackedKernel& kernel, const RotationSizes& sizes) {
    return sizes.ring_dimension == 512 && sizes.glwe_dimension == 2 &&
           kernel.mask_levels == sizes.mask.levels && kernel.body_levels == sizes.body.levels &&
           kernel.block == sizes.block && bits_fit(sizes);
}

const PackedKernel* packed_kernel(const RotationSizes& sizes, int shared_bytes) {
    for (const PackedKernel& kernel : packed_kernels()) {
        if (same_shape(kernel, sizes) && kernel.shared_bytes <= shared_bytes) return &kernel;
    }
    return nullptr;
}

RadixTwiddle radix_twiddle(long double angle) {
    return {static_cast<double>(std::tan(angle)),
            static_cast<double>(std::tan(2 * angle)),
            static_cast<double>(std::tan(3 * angle)),
            static_cast<double>(std::cos(2 * angle)),
            static_cast<double>(std::cos(3 * angle) / std::cos(angle)),
            static_cast<double>(std::cos(angle))};
}

PackedConstants packed_constants() {
    constexpr long double pi = std::numbers::pi_v<long double>;
    PackedConstants out{};
    out.forward[0] = radix_twiddle(pi / 8);
    for (int s = 0; s < 4; ++s) out.forward[1 + s] = radix_twiddle(pi * (1 + 4 * s) / 32);
    out.inverse[0] = radix_twiddle(pi / 8);
    out.inverse[1] = radix_twiddle(3 * pi / 8);
    // Key in units of 2^packed_mask_shift, 256 points, torus words to the bits of an increment.
    const long double scale = std::ldexp(1.0L, packed_mask_shift - 8 - (32 - packed_increment_bits));
    for (int a = 0; a < 16; ++a) {
        out.untwist_re[a] = static_cast<double>(std::cos(pi * a / 32) * scale);
        out.untwist_im[a] = static_cast<double>(std::sin(pi * a / 32) * scale);
    }
    return out;
}

/// GadgetFields::offset split into what is added and what is flipped (PackedArguments).
struct PackedGadget {
    std::uint32_t offset;
    std::uint32_t flip;
};
PackedGadget packed_gadget(math::Gadget gadget) {
    std::uint32_t flip = 0;
    for (int level = 1; level < gadget.levels; ++level) {
        flip |= std::uint32_t{1} << (31 - level * gadget.base_log);
    }
    return {gadget_fields(gadget).offset - 0x80000000U, flip};
}

}  // namespace

bool has_packed_shape(const RotationSizes& sizes) {
    return packed_kernel(sizes, std::numeric_limits<int>::max()) != nullptr;
}

std::span<const PackedKernel> packed_kernels() {
    static const std::vector<PackedKernel> kernels = [] {
        std::vector<PackedKernel> all;
        for (const auto part : {packed_kernels_21(), packed_kernels_22(), packed_kernels_32()}) {
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }();
    return kernels;
}

RotationLimits rotation_limits(const gpuDeviceProp& properties) {
    return {shared_memory_limit(properties), properties.multiProcessorCount, has_clusters(properties)};
}

struct Rotation::Plan {
    RotationSizes sizes;
    RotationLimits limits;
    KeyLayout layout;
    const PackedKernel* packed;
    PackedArguments packed_arguments;
    /// Clusters of 2, 4 and 8 blocks that run at once.
    std::array<int, 3> clusters;

    /// Clusters as long as all rotations run at once: there the time is that of one rotation, and less than
    /// any packed launch takes. Then the packed kernel, or for shapes without it one block a rotation.
    [[nodiscard]] RotationKernel choose(int rotations) const {
        for (std::size_t i = clusters.size(); i-- > 0;) {
            if (rotations <= clusters[i]) {
                return static_cast<RotationKernel>(static_cast<std::size_t>(RotationKernel::cluster2) + i);
            }
        }
        // Measured on an H200: up to one rotation a multiprocessor the general kernel is a fifth faster than
        // the packed one for uniform keys, not for block keys.
        const bool few = sizes.block == 1 && rotations <= limits.multiprocessors;
        return packed != nullptr && !few ? RotationKernel::packed : RotationKernel::general;
    }
    /// Rotations of one block of threads: as few as keep every multiprocessor as busy as the fullest.
    [[nodiscard]] int packed_gates(int rotations) const {
        const std::int64_t wave = std::int64_t{limits.multiprocessors} * packed->gates;
        const std::int64_t blocks = (rotations + wave - 1) / wave * limits.multiprocessors;
        return static_cast<int>((rotations + blocks - 1) / blocks);
    }
    void launch_general_kernel(const RotationJob& job, int cluster) const;
    void launch_packed_kernel(const RotationJob& job) const;
};

std::string Rotation::unsupported_reason(const RotationSizes& sizes, const RotationLimits& limits) {
    if (!std::has_single_bit(static_cast<unsigned>(sizes.ring_dimension)) ||
        sizes.ring_dimension < smallest_ring || sizes.ring_dimension > largest_ring) {
        return "ring dimension " + std::to_string(sizes.ring_dimension) + " is not a power of two from " +
               std::to_string(smallest_ring) + " to " + std::to_string(largest_ring);
    }
    if (sizes.components() > most_components) {
        return "GLWE dimension " + std::to_string(sizes.glwe_dimension) + " is above " +
               std::to_string(most_components - 1);
    }
    const std::int64_t needed = general_shared_bytes(sizes);
    if (needed > limits.shared_bytes) {
        return "one accumulator and its digits take " + std::to_string(needed) +
               " bytes of shared memory, the device has " + std::to_string(limits.shared_bytes) + " a block";
    }
    return {};
}

Rotation::Rotation(const RotationSizes& sizes, const RotationLimits& limits) {
    if (const std::string reason = unsupported_reason(sizes, limits); !reason.empty()) {
        throw Error(ErrorKind::parameters, "GPU blind rotation: " + reason);
    }
    auto plan = std::make_unique<Plan>(
        Plan{sizes, limits, KeyLayout(sizes), packed_kernel(sizes, limits.shared_bytes), {}, {}});
    prepare_general(sizes, limits.shared_bytes);
    for (std::size_t i = 0; i < plan->clusters.size() && limits.clusters; ++i) {
        plan->clusters[i] = clusters_at_once(sizes, 2 << i, limits.shared_bytes);
    }
    if (plan->packed != nullptr) {
        TOROID_GPU_CHECK(gpuAllowSharedMemory(plan->packed->kernel, plan->packed->shared_bytes));
        PackedArguments& arguments = plan->packed_arguments;
        arguments.constants = packed_constants();
        arguments.lwe_dimension = sizes.lwe_dimension;
        arguments.steps = sizes.steps();
        arguments.mask_base_log = sizes.mask.base_log;
        arguments.body_base_log = sizes.body.base_log;
        arguments.mask_offset = packed_gadget(sizes.mask).offset;
        arguments.mask_flip = packed_gadget(sizes.mask).flip;
        arguments.body_offset = packed_gadget(sizes.body).offset;
        arguments.body_flip = packed_gadget(sizes.body).flip;
    }
    plan_ = std::move(plan);
}

Rotation::~Rotation() = default;
Rotation::Rotation(Rotation&&) noexcept = default;
Rotation& Rotation::operator=(Rotation&&) noexcept = default;

const RotationSizes& Rotation::sizes() const noexcept {
    return plan_->sizes;
}

std::uint64_t Rotation::key_bytes() const noexcept {
    return plan_->layout.bytes();
}

void Rotation::build_key(const GlweRowSource& rows, base::ThreadPool& pool, std::span<std::byte> out) const {
    plan_->layout.build(rows, pool, out);
}

int Rotation::full_batch() const noexcept {
    return plan_->limits.multiprocessors * (plan_->packed != nullptr ? plan_->packed->gates : 2);
}

bool Rotation::has_kernel(RotationKernel kernel) const noexcept {
    if (kernel == RotationKernel::packed) return plan_->packed != nullptr;
    if (cluster_of(kernel) > 1) return plan_->clusters[cluster_index(kernel)] > 0;
    return true;
}

std::string Rotation::kernel_name(int rotations) const {
    const RotationKernel kernel = plan_->choose(rotations);
    if (kernel == RotationKernel::general) return "one block a rotation";
    if (kernel != RotationKernel::packed) {
        return "clusters of " + std::to_string(cluster_of(kernel)) + " blocks a rotation";
    }
    return "packed, " + std::to_string(plan_->packed_gates(rotations)) + " a block";
}

void Rotation::launch(const RotationJob& job, RotationKernel kernel) const {
    if (job.rotations <= 0) return;
    if (!has_kernel(kernel)) {
        throw Error(ErrorKind::internal, "GPU blind rotation: the set has no such kernel on this device");
    }
    if (kernel == RotationKernel::automatic) kernel = plan_->choose(job.rotations);
    if (kernel == RotationKernel::packed) {
        plan_->launch_packed_kernel(job);
    } else {
        plan_->launch_general_kernel(job, cluster_of(kernel));
    }
}

void Rotation::Plan::launch_general_kernel(const RotationJob& job, int cluster) const {
    const char* const key = static_cast<const char*>(job.key);
    GeneralArguments arguments;
    arguments.roots = reinterpret_cast<const double2*>(key + layout.roots());
    arguments.twiddles = reinterpret_cast<const double2*>(key + layout.twiddles());
    arguments.leaf_exponents = reinterpret_cast<const std::uint16_t*>(key + layout.leaf_exponents());
    arguments.key = reinterpret_cast<const double2*>(key + layout.general_key());
    arguments.switched = job.switched;
    arguments.samples = job.samples;
    arguments.sample_stride = job.sample_stride;
    arguments.accumulators = job.accumulators;
    arguments.lwe_dimension = sizes.lwe_dimension;
    arguments.block = sizes.block;
    arguments.points_log = std::countr_zero(static_cast<unsigned>(sizes.points()));
    arguments.components = sizes.components();
    arguments.rows = sizes.rows();
    arguments.mask = gadget_fields(sizes.mask);
    arguments.body = gadget_fields(sizes.body);
    arguments.cluster = cluster;
    if (cluster > 1) {
        launch_cluster(arguments, sizes, job.rotations, job.stream);
    } else {
        launch_general(arguments, sizes, job.rotations, job.stream);
    }
}

void Rotation::Plan::launch_packed_kernel(const RotationJob& job) const {
    const char* const key = static_cast<const char*>(job.key);
    PackedArguments arguments = packed_arguments;
    arguments.roots = reinterpret_cast<const double2*>(key + layout.roots());
    arguments.lane_table = reinterpret_cast<const double2*>(key + layout.lane_table());
    arguments.key = reinterpret_cast<const int4*>(key + layout.packed_key());
    arguments.switched = job.switched;
    arguments.samples = job.samples;
    arguments.sample_stride = job.sample_stride;
    arguments.accumulators = job.accumulators;
    arguments.rotations = job.rotations;
    arguments.gates = packed_gates(job.rotations);
    const int blocks = (job.rotations + arguments.gates - 1) / arguments.gates;
    packed->kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(packed->threads),
                     static_cast<std::size_t>(packed->shared_bytes), job.stream>>>(arguments);
    TOROID_GPU_CHECK(gpuGetLastError());
}

}  // namespace toroid::backend_gpu
