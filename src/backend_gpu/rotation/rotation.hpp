// SPDX-License-Identifier: Apache-2.0
// Blind rotation and sample extraction on a GPU: the seam between the engine (buffers, streams, batches) and
// the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "backend/transform.hpp"
#include "backend_gpu/platform.hpp"
#include "base/thread_pool.hpp"
#include "math/decomposition.hpp"

namespace toroid::backend_gpu {

/// What blind rotation takes from a parameter set.
struct RotationSizes {
    int lwe_dimension = 0;   ///< n
    int block = 1;           ///< 1: uniform binary key, else the block length of a block-binary key
    int ring_dimension = 0;  ///< N
    int glwe_dimension = 0;  ///< k
    math::Gadget mask;
    math::Gadget body;

    [[nodiscard]] int rows() const { return glwe_dimension * mask.levels + body.levels; }
    [[nodiscard]] int components() const { return glwe_dimension + 1; }
    [[nodiscard]] int points() const { return ring_dimension / 2; }
    /// Passes over the accumulator: ceil(n / block).
    [[nodiscard]] int steps() const { return (lwe_dimension + block - 1) / block; }
};

/// What the choice of kernels takes from a device.
struct RotationLimits {
    int shared_bytes = 0;  ///< dynamic shared memory of one block
    int multiprocessors = 0;
    bool clusters = false;      ///< whether blocks can form clusters
    bool matrix_units = false;  ///< whether FP64 matrix products are instructions
};
[[nodiscard]] RotationLimits rotation_limits(const gpuDeviceProp& properties);

/// Row r of GGSW i: (k+1) N words, masks first, as scheme::EvaluationKey::glwe_row. Called from several
/// threads.
using GlweRowSource = std::function<void(int i, int r, std::span<std::uint32_t> words)>;

/// One launch. Device pointers; the arrays must stay until the stream has done it.
struct RotationJob {
    const void* key = nullptr;  ///< key_bytes() as build_key() wrote them, 16-byte aligned
    /// [rotation][n + 1] values < 2N, body last.
    const std::uint16_t* switched = nullptr;
    /// [rotation][sample_stride]: k N masks and the body of the extracted sample; null: not wanted.
    std::uint32_t* samples = nullptr;
    std::int64_t sample_stride = 0;
    /// [rotation][(k+1) N], masks first; null: not wanted.
    std::uint32_t* accumulators = nullptr;
    int rotations = 0;  ///< any number >= 0
    gpuStream_t stream{};
};

/// Which kernel runs a launch. `automatic` takes the fastest one for the number of rotations; the others are
/// for tests and benchmarks. The exact transform has one kernel, the `general` one.
enum class RotationKernel : std::uint8_t {
    automatic,
    general,
    packed,
    tensor,
    spread,
    cluster2,
    cluster4,
    cluster8
};

/// Blind rotation of X^-b * 1/8 (1 + X + ...) by the masks, for one set on one kind of device:
///   block 1:  ACC += ((X^a_i - 1) ACC) [.] BK_i                         (CGGI 2020, algorithm 4)
///   block l:  ACC += sum_{i in block} (X^a_i - 1) (ACC [.] BK_i)        (ePrint 2023/958)
/// by the FP64 Fourier transform, or exactly by the number-theoretic one (never automatic here).
/// Immutable; launches from several threads may overlap. Needs no scratch memory.
class Rotation {
 public:
    struct Plan;

    /// Empty if some kernel runs the set on such a device, else the reason.
    [[nodiscard]] static std::string unsupported_reason(
        const RotationSizes& sizes, const RotationLimits& limits,
        backend::Transform transform = backend::Transform::fft);
    /// For the current device, whose kernels it prepares. Error(parameters) with unsupported_reason,
    /// Error(device) if the device refuses.
    Rotation(const RotationSizes& sizes, const RotationLimits& limits,
             backend::Transform transform = backend::Transform::fft);
    ~Rotation();
    Rotation(Rotation&&) noexcept;
    Rotation& operator=(Rotation&&) noexcept;

    [[nodiscard]] const RotationSizes& sizes() const noexcept;
    /// Bytes of the loaded key: spectra in every layout the kernels use, and their tables.
    [[nodiscard]] std::uint64_t key_bytes() const noexcept;
    /// Writes the loaded key to host memory of key_bytes(), 16-byte aligned, for one upload.
    void build_key(const GlweRowSource& rows, base::ThreadPool& pool, std::span<std::byte> out) const;
    /// Enqueues on job.stream, on the device this was made for (which must be current); does not synchronize.
    /// Error(device) if the launch is refused.
    void launch(const RotationJob& job, RotationKernel kernel = RotationKernel::automatic) const;
    /// Rotations that fill the device once: larger batches gain nothing per rotation.
    [[nodiscard]] int full_batch() const noexcept;
    /// The kernel a batch of so many rotations gets, for reports.
    [[nodiscard]] std::string kernel_name(int rotations) const;
    /// Whether `kernel` exists for this set and device.
    [[nodiscard]] bool has_kernel(RotationKernel kernel) const noexcept;

 private:
    std::unique_ptr<const Plan> plan_;
};

}  // namespace toroid::backend_gpu
