// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/rotation/rotation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "backend_gpu/rotation/device_check.hpp"
#include "backend_gpu/rotation/general_kernel.hpp"
#include "backend_gpu/rotation/key_layout.hpp"
#include "backend_gpu/rotation/packed_kernels.hpp"
#include "backend_gpu/rotation/packed_shape.hpp"
#include "backend_gpu/rotation/rotation_plan.hpp"

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
    const bool coarse = packed_key_order(sizes).coarse();
    return sizes.mask.base_log * sizes.mask.levels <= (coarse ? packed_coarse_mask_bits : packed_mask_bits) &&
           sizes.body.base_log * sizes.body.levels <= (coarse ? packed_coarse_body_bits : packed_body_bits);
}

bool same_shape(const PackedKernel& kernel, const RotationSizes& sizes) {
    return sizes.ring_dimension == 512 && sizes.glwe_dimension == 2 &&
           kernel.mask_levels == sizes.mask.levels && kernel.body_levels == sizes.body.levels &&
           kernel.block == sizes.block && bits_fit(sizes);
}

std::vector<const PackedKernel*> kernels_among(std::span<const PackedKernel> kernels,
                                               const RotationSizes& sizes, const RotationLimits& limits) {
    std::vector<const PackedKernel*> found;
    for (const PackedKernel& kernel : kernels) {
        if (same_shape(kernel, sizes) && kernel.shared_bytes <= limits.shared_bytes) found.push_back(&kernel);
    }
    return found;
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
    return {shared_memory_limit(properties), properties.multiProcessorCount, has_clusters(properties),
            has_matrix_units(properties)};
}

namespace {

class FourierPlan final : public Rotation::Plan {
 public:
    FourierPlan(const RotationSizes& sizes, const RotationLimits& limits);

    [[nodiscard]] std::uint64_t key_bytes() const noexcept override { return layout_.bytes(); }
    void build_key(const GlweRowSource& rows, base::ThreadPool& pool,
                   std::span<std::byte> out) const override {
        layout_.build(rows, pool, out);
    }
    void launch(const RotationJob& job, RotationKernel kernel) const override;
    [[nodiscard]] int full_batch() const noexcept override {
        const auto& instances = tensor_.empty() ? packed_ : tensor_;
        return limits.multiprocessors * (instances.empty() ? 2 : instances.front()->gates);
    }
    [[nodiscard]] std::string kernel_name(int rotations) const override;
    [[nodiscard]] bool has_kernel(RotationKernel kernel) const noexcept override;

 private:
    [[nodiscard]] RotationKernel choose(int rotations) const;
    /// An instance and the rotations of its blocks.
    struct PackedLaunch {
        const PackedKernel* instance;
        int gates;
    };
    [[nodiscard]] PackedLaunch packed_launch(RotationKernel kernel, int rotations) const;
    void launch_general_kernel(const RotationJob& job, int cluster) const;
    void launch_packed_kernel(const RotationJob& job, RotationKernel kernel) const;

    /// Instances for the set and device.
    std::vector<const PackedKernel*> packed_;
    std::vector<const PackedKernel*> tensor_;
    std::vector<const PackedKernel*> spread_;
    KeyLayout layout_;
    PackedArguments packed_arguments_;
    /// Clusters of 2, 4 and 8 blocks that run at once.
    std::array<int, 3> clusters_{};
};

/// What was measured to be fastest on an H200. Clusters as long as all rotations run at once: there the time
/// is that of one rotation.
RotationKernel FourierPlan::choose(int rotations) const {
    const int share = (rotations + limits.multiprocessors - 1) / limits.multiprocessors;
    const bool few_products = sizes.block == 1 && sizes.body.levels > 1;
    const std::size_t smallest_cluster = spread_.empty() || few_products ? 0 : 2;
    for (std::size_t i = clusters_.size(); i-- > smallest_cluster;) {
        if (rotations <= clusters_[i]) {
            return static_cast<RotationKernel>(static_cast<std::size_t>(RotationKernel::cluster2) + i);
        }
    }
    const int spread_to = packed_key_order(sizes).rounds() == 2 ? 4 : 3;
    if (!spread_.empty() && share <= spread_to) return RotationKernel::spread;
    if (packed_.empty()) return RotationKernel::general;
    return tensor_.empty() ? RotationKernel::packed : RotationKernel::tensor;
}

/// Rotations of one block of threads: as few as keep every multiprocessor as busy as the fullest.
FourierPlan::PackedLaunch FourierPlan::packed_launch(RotationKernel kernel, int rotations) const {
    const auto& instances = kernel == RotationKernel::packed   ? packed_
                            : kernel == RotationKernel::tensor ? tensor_
                                                               : spread_;
    const PackedKernel* instance = instances.front();
    const std::int64_t share =
        (std::int64_t{rotations} + limits.multiprocessors - 1) / limits.multiprocessors;
    if (kernel == RotationKernel::spread && share > instance->gates) instance = instances.back();
    const std::int64_t wave = std::int64_t{limits.multiprocessors} * instance->gates;
    const std::int64_t blocks = (rotations + wave - 1) / wave * limits.multiprocessors;
    return {instance, static_cast<int>((rotations + blocks - 1) / blocks)};
}

std::string fourier_unsupported_reason(const RotationSizes& sizes, const RotationLimits& limits) {
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

FourierPlan::FourierPlan(const RotationSizes& sizes, const RotationLimits& limits)
    : Plan(sizes, limits),
      packed_(kernels_among(packed_kernels(), sizes, limits)),
      tensor_(kernels_among(limits.matrix_units ? tensor_kernels() : std::span<const PackedKernel>{}, sizes,
                            limits)),
      spread_(kernels_among(spread_kernels(), sizes, limits)),
      layout_(sizes, !packed_.empty(), !tensor_.empty()) {
    prepare_general(sizes, limits.shared_bytes);
    for (std::size_t i = 0; i < clusters_.size() && limits.clusters; ++i) {
        clusters_[i] = clusters_at_once(sizes, 2 << i, limits.shared_bytes);
    }
    for (const auto* instances : {&packed_, &tensor_, &spread_}) {
        for (const PackedKernel* instance : *instances) {
            TOROID_GPU_CHECK(gpuAllowSharedMemory(instance->kernel, instance->shared_bytes));
        }
    }
    packed_arguments_.constants = packed_constants();
    packed_arguments_.lwe_dimension = sizes.lwe_dimension;
    packed_arguments_.steps = sizes.steps();
    packed_arguments_.mask_base_log = sizes.mask.base_log;
    packed_arguments_.body_base_log = sizes.body.base_log;
    packed_arguments_.mask_offset = packed_gadget(sizes.mask).offset;
    packed_arguments_.mask_flip = packed_gadget(sizes.mask).flip;
    packed_arguments_.body_offset = packed_gadget(sizes.body).offset;
    packed_arguments_.body_flip = packed_gadget(sizes.body).flip;
}

bool FourierPlan::has_kernel(RotationKernel kernel) const noexcept {
    if (kernel == RotationKernel::packed) return !packed_.empty();
    if (kernel == RotationKernel::tensor) return !tensor_.empty();
    if (kernel == RotationKernel::spread) return !spread_.empty();
    if (cluster_of(kernel) > 1) return clusters_[cluster_index(kernel)] > 0;
    return true;
}

std::string FourierPlan::kernel_name(int rotations) const {
    const RotationKernel kernel = choose(rotations);
    if (kernel == RotationKernel::general) return "one block a rotation";
    if (cluster_of(kernel) == 1) {
        const char* const name = kernel == RotationKernel::packed   ? "packed, "
                                 : kernel == RotationKernel::tensor ? "tensor, "
                                                                    : "spread, ";
        return name + std::to_string(packed_launch(kernel, rotations).gates) + " a block";
    }
    return "clusters of " + std::to_string(cluster_of(kernel)) + " blocks a rotation";
}

void FourierPlan::launch(const RotationJob& job, RotationKernel kernel) const {
    if (kernel == RotationKernel::automatic) kernel = choose(job.rotations);
    if (kernel == RotationKernel::general || cluster_of(kernel) > 1) {
        launch_general_kernel(job, cluster_of(kernel));
    } else {
        launch_packed_kernel(job, kernel);
    }
}

void FourierPlan::launch_general_kernel(const RotationJob& job, int cluster) const {
    const char* const key = static_cast<const char*>(job.key);
    GeneralArguments arguments;
    arguments.roots = reinterpret_cast<const double2*>(key + layout_.roots());
    arguments.twiddles = reinterpret_cast<const double2*>(key + layout_.twiddles());
    arguments.leaf_exponents = reinterpret_cast<const std::uint16_t*>(key + layout_.leaf_exponents());
    arguments.key = reinterpret_cast<const double2*>(key + layout_.general_key());
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

void FourierPlan::launch_packed_kernel(const RotationJob& job, RotationKernel kernel) const {
    const bool tensor = kernel == RotationKernel::tensor;
    const auto [instance, gates] = packed_launch(kernel, job.rotations);
    const char* const key = static_cast<const char*>(job.key);
    PackedArguments arguments = packed_arguments_;
    arguments.roots = reinterpret_cast<const double2*>(key + layout_.roots());
    arguments.lane_table = reinterpret_cast<const double2*>(key + layout_.lane_table());
    arguments.key =
        reinterpret_cast<const int4*>(key + (tensor ? layout_.tensor_key() : layout_.packed_key()));
    arguments.switched = job.switched;
    arguments.samples = job.samples;
    arguments.sample_stride = job.sample_stride;
    arguments.accumulators = job.accumulators;
    arguments.rotations = job.rotations;
    arguments.gates = gates;
    const int blocks = (job.rotations + arguments.gates - 1) / arguments.gates;
    instance->kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(instance->threads),
                       static_cast<std::size_t>(instance->shared_bytes), job.stream>>>(arguments);
    TOROID_GPU_CHECK(gpuGetLastError());
}

}  // namespace

std::string Rotation::unsupported_reason(const RotationSizes& sizes, const RotationLimits& limits,
                                         backend::Transform transform) {
    return transform == backend::Transform::ntt ? exact_unsupported_reason(sizes, limits)
                                                : fourier_unsupported_reason(sizes, limits);
}

Rotation::Rotation(const RotationSizes& sizes, const RotationLimits& limits, backend::Transform transform) {
    if (const std::string reason = unsupported_reason(sizes, limits, transform); !reason.empty()) {
        throw Error(ErrorKind::parameters, "GPU blind rotation: " + reason);
    }
    if (transform == backend::Transform::ntt) {
        plan_ = make_exact_plan(sizes, limits);
    } else {
        plan_ = std::make_unique<FourierPlan>(sizes, limits);
    }
}

Rotation::~Rotation() = default;
Rotation::Rotation(Rotation&&) noexcept = default;
Rotation& Rotation::operator=(Rotation&&) noexcept = default;

const RotationSizes& Rotation::sizes() const noexcept {
    return plan_->sizes;
}

std::uint64_t Rotation::key_bytes() const noexcept {
    return plan_->key_bytes();
}

void Rotation::build_key(const GlweRowSource& rows, base::ThreadPool& pool, std::span<std::byte> out) const {
    plan_->build_key(rows, pool, out);
}

int Rotation::full_batch() const noexcept {
    return plan_->full_batch();
}

bool Rotation::has_kernel(RotationKernel kernel) const noexcept {
    return plan_->has_kernel(kernel);
}

std::string Rotation::kernel_name(int rotations) const {
    return plan_->kernel_name(rotations);
}

void Rotation::launch(const RotationJob& job, RotationKernel kernel) const {
    if (job.rotations <= 0) return;
    if (!has_kernel(kernel)) {
        throw Error(ErrorKind::internal, "GPU blind rotation: the set has no such kernel on this device");
    }
    plan_->launch(job, kernel);
}

}  // namespace toroid::backend_gpu
