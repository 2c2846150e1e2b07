// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 x 64 outputs a block of four warps. Where the hardware multiplies 16 x 32 by 32 x 8 matrices of
// bytes (mma.sync m16n8k32), each warp owns 32 x 32 outputs; elsewhere each thread owns 4 x 8 outputs.
#include "backend_gpu/integer_product.hpp"

#include "backend_gpu/rotation/device_check.hpp"

namespace toroid::backend_gpu {
namespace {

constexpr int threads = 128;
/// Bytes from one tile row to the next in shared memory: 16 more than the tile, so that eight rows of a
/// fragment fall into different banks.
constexpr int pitch = product_depth_tile + 16;
/// Tiles of each factor in shared memory: one in use, the others on their way.
constexpr int stages = 4;

struct ProductArguments {
    const std::int8_t* a;
    const std::int8_t* b;
    std::int32_t* products;
    int columns;
    int depth;
    int depth_per_slice;  // multiple of the depth tile
    bool add;             // slices add to zeroed products
};

/// Starts copying a 64 x 64 byte tile.
TOROID_DEVICE void start_tile(std::int8_t* tile, const std::int8_t* from, int depth) {
    for (int chunk = static_cast<int>(threadIdx.x); chunk < 64 * 4; chunk += threads) {
        const int row = chunk / 4;
        const int byte = chunk % 4 * 16;
        start_copy_16(tile + row * pitch + byte, from + static_cast<std::int64_t>(row) * depth + byte);
    }
}

TOROID_DEVICE void store_product(const ProductArguments& arguments, int row, int column, std::int32_t value) {
    std::int32_t* const to = arguments.products + static_cast<std::int64_t>(row) * arguments.columns + column;
    if (arguments.add) {
        atomicAdd(to, value);
    } else {
        *to = value;
    }
}

#ifdef TOROID_GPU_CUDA
/// Ends the group of copies that wait_for_groups counts.
TOROID_DEVICE void close_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits for this thread's groups but the latest `pending` ones.
template <int pending>
TOROID_DEVICE void wait_for_groups() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// c += a b for one warp: a 16 x 32 (row-major), b 32 x 8 (column-major), lane layout of the PTX manual.
TOROID_DEVICE void multiply_16x8x32(std::int32_t (&c)[4], const std::uint32_t (&a)[4],
                                    const std::uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

struct Accumulator {
    std::int32_t sums[2][4][4] = {};

    TOROID_DEVICE void add_tiles(const std::int8_t* a, const std::int8_t* b) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const std::int8_t* const own_a = a + (warp / 2 * 32 + lane / 4) * pitch + lane % 4 * 4;
        const std::int8_t* const own_b = b + (warp % 2 * 32 + lane / 4) * pitch + lane % 4 * 4;
        const auto word = [](const std::int8_t* from) {
            return *reinterpret_cast<const std::uint32_t*>(from);
        };
#pragma unroll
        for (int k = 0; k < product_depth_tile; k += 32) {
            std::uint32_t left[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const std::int8_t* const from = own_a + i * 16 * pitch + k;
                left[i][0] = word(from);
                left[i][1] = word(from + 8 * pitch);
                left[i][2] = word(from + 16);
                left[i][3] = word(from + 8 * pitch + 16);
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const std::int8_t* const from = own_b + j * 8 * pitch + k;
                const std::uint32_t right[2] = {word(from), word(from + 16)};
#pragma unroll
                for (int i = 0; i < 2; ++i) multiply_16x8x32(sums[i][j], left[i], right);
            }
        }
    }

    TOROID_DEVICE void store(const ProductArguments& arguments, int first_row, int first_column) const {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int row = first_row + warp / 2 * 32 + lane / 4;
        const int column = first_column + warp % 2 * 32 + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
#pragma unroll
                for (int part = 0; part < 4; ++part) {
                    store_product(arguments, row + i * 16 + part / 2 * 8, column + j * 8 + part % 2,
                                  sums[i][j][part]);
                }
            }
        }
    }
};
#else
// Copies are plain stores there: done, for the block, at the next barrier.
TOROID_DEVICE void close_group() {}
template <int pending>
TOROID_DEVICE void wait_for_groups() {}

struct Accumulator {
    std::int32_t sums[4][8] = {};

    TOROID_DEVICE void add_tiles(const std::int8_t* a, const std::int8_t* b) {
        const int row = static_cast<int>(threadIdx.x) / 8 * 4;
        const int column = static_cast<int>(threadIdx.x) % 8;
        for (int k = 0; k < product_depth_tile; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sums[i][j] += static_cast<std::int32_t>(a[(row + i) * pitch + k]) *
                                  static_cast<std::int32_t>(b[(column + j * 8) * pitch + k]);
                }
            }
        }
    }

    TOROID_DEVICE void store(const ProductArguments& arguments, int first_row, int first_column) const {
        const int row = first_row + static_cast<int>(threadIdx.x) / 8 * 4;
        const int column = first_column + static_cast<int>(threadIdx.x) % 8;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) store_product(arguments, row + i, column + j * 8, sums[i][j]);
        }
    }
};
#endif

__global__ void __launch_bounds__(threads) integer_product_kernel(ProductArguments arguments) {
    __shared__ __align__(16) std::int8_t tiles[stages][2][64 * pitch];
    const int column_tiles = arguments.columns / product_column_tile;
    const int first_column = static_cast<int>(blockIdx.x) % column_tiles * product_column_tile;
    const int first_row = static_cast<int>(blockIdx.x) / column_tiles * product_row_tile;
    const int begin = static_cast<int>(blockIdx.y) * arguments.depth_per_slice;
    const int end = min(begin + arguments.depth_per_slice, arguments.depth);
    const std::int8_t* const a = arguments.a + static_cast<std::int64_t>(first_row) * arguments.depth;
    const std::int8_t* const b = arguments.b + static_cast<std::int64_t>(first_column) * arguments.depth;

    Accumulator accumulator;
    const auto start_stage = [&](int stage, int k) {
        if (k < end) {
            start_tile(tiles[stage][0], a + k, arguments.depth);
            start_tile(tiles[stage][1], b + k, arguments.depth);
        }
        close_group();  // also where nothing is left, so that the count holds
    };
    for (int ahead = 0; ahead < stages - 1; ++ahead) {
        start_stage(ahead, begin + ahead * product_depth_tile);
    }
    int stage = 0;
    for (int k = begin; k < end; k += product_depth_tile, stage = (stage + 1) % stages) {
        wait_for_groups<stages - 2>();
        __syncthreads();  // the stage is here, and nobody reads the one before it any more
        start_stage((stage + stages - 1) % stages, k + (stages - 1) * product_depth_tile);
        accumulator.add_tiles(tiles[stage][0], tiles[stage][1]);
    }
    accumulator.store(arguments, first_row, first_column);
}

}  // namespace

void launch_integer_product(const std::int8_t* a, const std::int8_t* b, std::int32_t* products, int rows,
                            int columns, int depth, int multiprocessors, gpuStream_t stream) {
    if (rows == 0) return;
    const int row_tiles = (rows + product_row_tile - 1) / product_row_tile;
    const int tiles = row_tiles * (columns / product_column_tile);
    const int depth_tiles = depth / product_depth_tile;
    // About two blocks a multiprocessor, and no slice below eight tiles of depth.
    int slices = (2 * multiprocessors + tiles - 1) / tiles;
    slices = slices < depth_tiles / 8 ? slices : depth_tiles / 8;
    slices = slices > 1 ? slices : 1;
    const int tiles_per_slice = (depth_tiles + slices - 1) / slices;
    slices = (depth_tiles + tiles_per_slice - 1) / tiles_per_slice;
    if (slices > 1) {
        TOROID_GPU_CHECK(gpuMemsetAsync(static_cast<void*>(products), 0,
                                        sizeof(std::int32_t) * static_cast<std::size_t>(row_tiles) *
                                            product_row_tile * static_cast<std::size_t>(columns),
                                        stream));
    }
    integer_product_kernel<<<dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(slices)), threads, 0,
                             stream>>>(
        {a, b, products, columns, depth, tiles_per_slice * product_depth_tile, slices > 1});
    TOROID_GPU_CHECK(gpuGetLastError());
}

}  // namespace toroid::backend_gpu
