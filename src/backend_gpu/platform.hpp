// SPDX-License-Identifier: Apache-2.0
// The one file that names a vendor: CUDA's or HIP's runtime under the names gpuX, and the few device
// operations that the two spell differently. Warp width is never assumed: groups are 16 lanes wide, which
// divides both 32 and 64.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
#define TOROID_GPU_HIP 1
#include <hip/hip_runtime.h>
#else
#define TOROID_GPU_CUDA 1
#include <cuda_runtime.h>
#endif

namespace toroid::backend_gpu {

#ifdef TOROID_GPU_HIP
using gpuError_t = hipError_t;
using gpuStream_t = hipStream_t;
using gpuEvent_t = hipEvent_t;
using gpuDeviceProp = hipDeviceProp_t;
#define TOROID_GPU_ALIAS(name)                      \
    template <typename... Arguments>                \
    inline auto gpu##name(Arguments... arguments) { \
        return hip##name(arguments...);             \
    }
inline constexpr auto gpuSuccess = hipSuccess;
inline constexpr auto gpuMemcpyHostToDevice = hipMemcpyHostToDevice;
inline constexpr auto gpuMemcpyDeviceToHost = hipMemcpyDeviceToHost;
inline constexpr auto gpuMemcpyDeviceToDevice = hipMemcpyDeviceToDevice;
inline constexpr auto gpuErrorMemoryAllocation = hipErrorOutOfMemory;
inline constexpr auto gpuErrorPeerAccessAlreadyEnabled = hipErrorPeerAccessAlreadyEnabled;
inline constexpr unsigned gpuEventDisableTiming = hipEventDisableTiming;
#else
using gpuError_t = cudaError_t;
using gpuStream_t = cudaStream_t;
using gpuEvent_t = cudaEvent_t;
using gpuDeviceProp = cudaDeviceProp;
#define TOROID_GPU_ALIAS(name)                      \
    template <typename... Arguments>                \
    inline auto gpu##name(Arguments... arguments) { \
        return cuda##name(arguments...);            \
    }
inline constexpr auto gpuSuccess = cudaSuccess;
inline constexpr auto gpuMemcpyHostToDevice = cudaMemcpyHostToDevice;
inline constexpr auto gpuMemcpyDeviceToHost = cudaMemcpyDeviceToHost;
inline constexpr auto gpuMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;
inline constexpr auto gpuErrorMemoryAllocation = cudaErrorMemoryAllocation;
inline constexpr auto gpuErrorPeerAccessAlreadyEnabled = cudaErrorPeerAccessAlreadyEnabled;
inline constexpr unsigned gpuEventDisableTiming = cudaEventDisableTiming;
#endif

TOROID_GPU_ALIAS(GetErrorString)
TOROID_GPU_ALIAS(GetErrorName)
TOROID_GPU_ALIAS(GetLastError)
TOROID_GPU_ALIAS(GetDevice)
TOROID_GPU_ALIAS(SetDevice)
TOROID_GPU_ALIAS(GetDeviceCount)
TOROID_GPU_ALIAS(GetDeviceProperties)
TOROID_GPU_ALIAS(DeviceSynchronize)
TOROID_GPU_ALIAS(MemGetInfo)
TOROID_GPU_ALIAS(Malloc)
TOROID_GPU_ALIAS(Free)
TOROID_GPU_ALIAS(Memcpy)
TOROID_GPU_ALIAS(MemcpyAsync)
TOROID_GPU_ALIAS(MemcpyPeerAsync)
TOROID_GPU_ALIAS(MemsetAsync)
TOROID_GPU_ALIAS(StreamCreate)
TOROID_GPU_ALIAS(StreamDestroy)
TOROID_GPU_ALIAS(StreamSynchronize)
TOROID_GPU_ALIAS(StreamWaitEvent)
TOROID_GPU_ALIAS(EventCreate)
TOROID_GPU_ALIAS(EventCreateWithFlags)
TOROID_GPU_ALIAS(EventDestroy)
TOROID_GPU_ALIAS(EventRecord)
TOROID_GPU_ALIAS(EventSynchronize)
TOROID_GPU_ALIAS(EventElapsedTime)
TOROID_GPU_ALIAS(DeviceCanAccessPeer)
TOROID_GPU_ALIAS(DeviceEnablePeerAccess)

/// Host memory that copies reach without the driver's own buffers.
inline gpuError_t gpuAllocatePinned(void** pointer, std::size_t bytes) {
#ifdef TOROID_GPU_HIP
    return hipHostMalloc(pointer, bytes, hipHostMallocPortable);
#else
    return cudaHostAlloc(pointer, bytes, cudaHostAllocPortable);
#endif
}
inline gpuError_t gpuFreePinned(void* pointer) {
#ifdef TOROID_GPU_HIP
    return hipHostFree(pointer);
#else
    return cudaFreeHost(pointer);
#endif
}

/// Clock of the multiprocessors in kHz.
inline gpuError_t gpuClockRate(int* kilohertz, int device) {
#ifdef TOROID_GPU_HIP
    return hipDeviceGetAttribute(kilohertz, hipDeviceAttributeClockRate, device);
#else
    return cudaDeviceGetAttribute(kilohertz, cudaDevAttrClockRate, device);
#endif
}

/// Lets `kernel` use this much dynamic shared memory on the current device.
template <typename Kernel>
gpuError_t gpuAllowSharedMemory(Kernel kernel, int bytes) {
#ifdef TOROID_GPU_HIP
    return hipFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
#else
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
#endif
}

/// X of an NVIDIA card's compute capability X.Y; 0 for other vendors' cards.
inline int compute_capability([[maybe_unused]] const gpuDeviceProp& properties) {
#ifdef TOROID_GPU_HIP
    return 0;
#else
    return properties.major;
#endif
}
/// Whether blocks can form clusters.
inline bool has_clusters(const gpuDeviceProp& properties) {
    return compute_capability(properties) >= 9;
}
/// Whether matrix_multiply_add() is an instruction, as fast as twice its multiply-adds.
inline bool has_matrix_units(const gpuDeviceProp& properties) {
    return compute_capability(properties) >= 9;
}

/// Launches `blocks` blocks in clusters of `cluster` of them; a plain launch for 1.
template <typename Argument>
gpuError_t gpuLaunchClusters(void (*kernel)(Argument), int blocks, int threads, std::size_t shared_bytes,
                             gpuStream_t stream, [[maybe_unused]] int cluster, const Argument& argument) {
    void* arguments[] = {const_cast<Argument*>(&argument)};
#ifdef TOROID_GPU_HIP
    return hipLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                           dim3(static_cast<unsigned>(threads)), arguments, shared_bytes, stream);
#else
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = cluster > 1 ? 1 : 0;
    return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments);
#endif
}

/// Clusters of so many blocks that run at once on the current device; 0 if it has no clusters.
template <typename Argument>
int gpuClustersAtOnce(void (*kernel)(Argument), int threads, std::size_t shared_bytes, int cluster) {
#ifdef TOROID_GPU_HIP
    static_cast<void>(kernel), static_cast<void>(threads), static_cast<void>(shared_bytes);
    static_cast<void>(cluster);
    return 0;
#else
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(cluster));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    const cudaError_t result =
        cudaOccupancyMaxActiveClusters(&clusters, reinterpret_cast<const void*>(kernel), &config);
    if (result != cudaSuccess) static_cast<void>(cudaGetLastError());
    return result == cudaSuccess ? clusters : 0;
#endif
}

/// Dynamic shared memory that a block may ask for on this device.
inline int shared_memory_limit(const gpuDeviceProp& properties) {
#ifdef TOROID_GPU_HIP
    return static_cast<int>(properties.sharedMemPerBlock);
#else
    return static_cast<int>(properties.sharedMemPerBlockOptin);
#endif
}

#if defined(__CUDACC__) || defined(__HIP__)
/// For small functions that the host uses too.
#define TOROID_HOST_DEVICE __host__ __device__
#define TOROID_DEVICE __device__ __forceinline__
#ifdef TOROID_GPU_HIP
#define TOROID_GRID_CONSTANT
#else
#define TOROID_GRID_CONSTANT __grid_constant__
#endif

/// A value that all 32 lanes of a thread's group of 32 have, made known as such to the compiler.
TOROID_DEVICE int warp_uniform(int value) {
#ifdef TOROID_GPU_HIP
    return value;
#else
    return __shfl_sync(0xffffffffU, value, 0);
#endif
}

/// Orders shared-memory accesses among the lanes of a warp, of which groups of 16 lanes are parts. All lanes
/// of the warp call it.
TOROID_DEVICE void warp_fence() {
#ifdef TOROID_GPU_HIP
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#else
    __syncwarp();
#endif
}

/// Hand-over between two sets of warps: `threads` threads in all meet at barrier `id` (1...15), those that
/// arrive do not wait. AMD has one barrier a block, where every warp comes to one or the other exactly once.
TOROID_DEVICE void barrier_arrive([[maybe_unused]] int id, [[maybe_unused]] int threads) {
#ifdef TOROID_GPU_HIP
    __syncthreads();
#else
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
#endif
}
TOROID_DEVICE void barrier_wait([[maybe_unused]] int id, [[maybe_unused]] int threads) {
#ifdef TOROID_GPU_HIP
    __syncthreads();
#else
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
#endif
}

// Clusters of blocks that reach into each other's shared memory: compute capability 9.0. Elsewhere the
// functions exist so that the code compiles, and `has_clusters` keeps it from running.
#if defined(TOROID_GPU_CUDA) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
TOROID_DEVICE int cluster_rank() {
    return static_cast<int>(__clusterRelativeBlockRank());
}
/// The same place in the shared memory of block `rank` of the cluster.
template <typename T>
TOROID_DEVICE T* in_block(T* shared, int rank) {
    return static_cast<T*>(__cluster_map_shared_rank(shared, static_cast<unsigned>(rank)));
}
TOROID_DEVICE void cluster_barrier() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}
#else
TOROID_DEVICE int cluster_rank() {
    return 0;
}
template <typename T>
TOROID_DEVICE T* in_block(T* shared, int) {
    return shared;
}
TOROID_DEVICE void cluster_barrier() {
    __syncthreads();
}
#endif

/// Reads 16 bytes that are not worth a place in the first-level cache.
TOROID_DEVICE int4 load_streamed(const int4* from) {
#ifdef TOROID_GPU_HIP
    return *from;
#else
    return __ldcg(from);
#endif
}

/// FP64 matrices A (16 x 4), B (4 x 8), C (16 x 8) over 32 lanes: C += A B. Lane 4 g + k has A[g][k], A[g +
/// 8][k], B[k][g] and C[g][2 k], C[g][2 k + 1], C[g + 8][2 k], C[g + 8][2 k + 1]. All lanes call it.
TOROID_DEVICE void matrix_multiply_add(double (&c)[4], double a0, double a1, double b) {
#if defined(TOROID_GPU_CUDA) && __CUDA_ARCH__ >= 900
    // volatile: all lanes must come to it, wherever the results are used
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a0), "d"(a1), "d"(b));
#else
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const auto from = [](double value, int source) {
#ifdef TOROID_GPU_HIP
        return __shfl(value, source, 32);
#else
        return __shfl_sync(0xffffffffU, value, source);
#endif
    };
    for (int k = 0; k < 4; ++k) {
        const double upper = from(a0, (lane & 28) + k);
        const double lower = from(a1, (lane & 28) + k);
        for (int n = 0; n < 2; ++n) {
            const double other = from(b, 4 * (2 * (lane & 3) + n) + k);
            c[n] = fma(upper, other, c[n]);
            c[2 + n] = fma(lower, other, c[2 + n]);
        }
    }
#endif
}

/// The sum over the warp, in its first lane.
TOROID_DEVICE std::int64_t warp_sum(std::int64_t value) {
    for (int distance = warpSize / 2; distance > 0; distance /= 2) {
#ifdef TOROID_GPU_HIP
        value += __shfl_down(value, static_cast<unsigned>(distance));
#else
        value += __shfl_down_sync(0xffffffffU, value, static_cast<unsigned>(distance));
#endif
    }
    return value;
}

/// Starts copying 16 bytes from device to shared memory, each so many bytes after its address; finished for
/// the calling thread's own copies after copies_finished(). A plain copy where the hardware has no such path.
/// Offsets are constants because a register is free again only when the copy has read its address.
template <int shared_offset = 0, int global_offset = 0>
TOROID_DEVICE void start_copy_16(void* shared, const void* global) {
#ifdef TOROID_GPU_HIP
    *reinterpret_cast<int4*>(static_cast<char*>(shared) + shared_offset) =
        *reinterpret_cast<const int4*>(static_cast<const char*>(global) + global_offset);
#else
    asm volatile("cp.async.cg.shared.global [%0 + %2], [%1 + %3], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(global), "n"(shared_offset), "n"(global_offset)
                 : "memory");
#endif
}
TOROID_DEVICE void copies_finished() {
#ifdef TOROID_GPU_CUDA
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
#endif
}
#else
#define TOROID_HOST_DEVICE
#endif

}  // namespace toroid::backend_gpu
