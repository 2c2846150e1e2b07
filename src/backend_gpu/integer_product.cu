// SPDX-License-Identifier: Apache-2.0
// Tiles of 128 x 128 outputs a block of 256 threads: large, since the second-level cache has to feed all
// blocks (64 x 64 took 2.3 times as long). Where the hardware multiplies 16 x 32 by 32 x 8 matrices of bytes
// (mma.sync m16n8k32), each warp owns 64 x 32 outputs; elsewhere each thread owns 8 x 8.
#include "backend_gpu/integer_product.hpp"

#include "backend_gpu/rotation/device_check.hpp"

namespace toroid::backend_gpu {
namespace {

constexpr int threads = 256;
constexpr int tile = 128;
static_assert(product_column_tile % tile == 0);
/// Bytes from one tile row to the next in shared memory: 16 more than the tile, so that eight rows of a
/// fragment fall into different banks.
constexpr int pitch = product_depth_tile + 16;
constexpr int tile_bytes = tile * pitch;
/// Pairs of tiles in shared memory: one in use, the others on their way. 60 KiB, which every device has.
constexpr int stages = 3;
constexpr int shared_bytes = stages * 2 * tile_bytes;

struct ProductArguments {
    const std::int8_t* a;
    const std::int8_t* b;
    std::int32_t* products;
    int rows;
    int columns;
    int depth;
    int depth_per_slice;  // multiple of the depth tile
    bool add;             // slices add to zeroed products
};

/// A thread's part of copying tiles of one factor: 16 bytes of every 64th row. Rows from `rows` on are left
/// out: their products are not stored.
class TileCopy {
 public:
    TOROID_DEVICE TileCopy(const std::int8_t* factor, int depth, int rows)
        : from_(factor + static_cast<std::int64_t>(first_row()) * depth + first_byte()),
          row_step_(static_cast<std::int64_t>(rows_at_once) * depth),
          rows_(rows) {}

    /// Starts copying columns [k, k + product_depth_tile).
    TOROID_DEVICE void start(std::int8_t* tile_at, int k) const {
        std::int8_t* const to = tile_at + first_row() * pitch + first_byte();
#pragma unroll
        for (int i = 0; i < tile / rows_at_once; ++i) {
            if (first_row() + i * rows_at_once < rows_) {
                start_copy_16(to + i * rows_at_once * pitch, from_ + i * row_step_ + k);
            }
        }
    }

 private:
    static constexpr int chunks_a_row = product_depth_tile / 16;
    static constexpr int rows_at_once = threads / chunks_a_row;
    TOROID_DEVICE static int first_row() {
        return static_cast<int>(threadIdx.x) / chunks_a_row;
    }
    TOROID_DEVICE static int first_byte() {
        return static_cast<int>(threadIdx.x) % chunks_a_row * 16;
    }

    const std::int8_t* from_;
    std::int64_t row_step_;
    int rows_;
};

TOROID_DEVICE void store_product(const ProductArguments& arguments, int row, int column, std::int32_t value) {
    if (row >= arguments.rows) return;
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
TOROID_DEVICE void multiply_16x8x32(std::int32_t (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b_low,
                                    std::uint32_t b_high) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
}

/// Four 8 x 16 byte matrices in the layout of a fragment; lane l names row l % 8 of matrix l / 8.
TOROID_DEVICE void load_matrices(std::uint32_t (&out)[4], const std::int8_t* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}

struct Accumulator {
    std::int32_t sums[4][4][4] = {};

    TOROID_DEVICE void add_tiles(const std::int8_t* a, const std::int8_t* b) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int upper = lane / 8 % 2;
        const int right = lane / 16;
        const std::int8_t* const own_a = a + (warp / 4 * 64 + upper * 8 + lane % 8) * pitch + right * 16;
        const std::int8_t* const own_b = b + (warp % 4 * 32 + right * 8 + lane % 8) * pitch + upper * 16;
#pragma unroll
        for (int k = 0; k < product_depth_tile; k += 32) {
            std::uint32_t both[2][4];
            load_matrices(both[0], own_b + k);
            load_matrices(both[1], own_b + 16 * pitch + k);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                std::uint32_t left[4];
                load_matrices(left, own_a + i * 16 * pitch + k);
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const std::uint32_t* const column = both[j / 2] + j % 2 * 2;
                    multiply_16x8x32(sums[i][j], left, column[0], column[1]);
                }
            }
        }
    }

    TOROID_DEVICE void store(const ProductArguments& arguments, int first_row, int first_column) const {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int row = first_row + warp / 4 * 64 + lane / 4;
        const int column = first_column + warp % 4 * 32 + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
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
    std::int32_t sums[8][8] = {};

    TOROID_DEVICE void add_tiles(const std::int8_t* a, const std::int8_t* b) {
        const int row = static_cast<int>(threadIdx.x) / 16 * 8;
        const int column = static_cast<int>(threadIdx.x) % 16;
        for (int k = 0; k < product_depth_tile; ++k) {
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sums[i][j] += static_cast<std::int32_t>(a[(row + i) * pitch + k]) *
                                  static_cast<std::int32_t>(b[(column + j * 16) * pitch + k]);
                }
            }
        }
    }

    TOROID_DEVICE void store(const ProductArguments& arguments, int first_row, int first_column) const {
        const int row = first_row + static_cast<int>(threadIdx.x) / 16 * 8;
        const int column = first_column + static_cast<int>(threadIdx.x) % 16;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) store_product(arguments, row + i, column + j * 16, sums[i][j]);
        }
    }
};
#endif

__global__ void __launch_bounds__(threads, 2) integer_product_kernel(ProductArguments arguments) {
    extern __shared__ int4 shared_tiles[];
    std::int8_t* const tiles = reinterpret_cast<std::int8_t*>(shared_tiles);
    const auto tile_of = [&](int stage, int factor) { return tiles + (2 * stage + factor) * tile_bytes; };
    const int column_tiles = arguments.columns / tile;
    const int first_column = static_cast<int>(blockIdx.x) % column_tiles * tile;
    const int first_row = static_cast<int>(blockIdx.x) / column_tiles * tile;
    const int begin = static_cast<int>(blockIdx.y) * arguments.depth_per_slice;
    const int end = min(begin + arguments.depth_per_slice, arguments.depth);
    const std::int64_t depth = arguments.depth;
    const TileCopy a(arguments.a + first_row * depth, arguments.depth, arguments.rows - first_row);
    const TileCopy b(arguments.b + first_column * depth, arguments.depth, tile);

    Accumulator accumulator;
    const auto start_stage = [&](int stage, int k) {
        if (k < end) {
            a.start(tile_of(stage, 0), k);
            b.start(tile_of(stage, 1), k);
        }
        close_group();  // also where nothing is left, so that the count holds
    };
#pragma unroll
    for (int ahead = 0; ahead < stages - 1; ++ahead) {
        start_stage(ahead, begin + ahead * product_depth_tile);
    }
    int stage = 0;
    for (int k = begin; k < end; k += product_depth_tile, stage = stage + 1 == stages ? 0 : stage + 1) {
        wait_for_groups<stages - 2>();
        __syncthreads();  // the stage is here, and nobody reads the one before it any more
        start_stage(stage == 0 ? stages - 1 : stage - 1, k + (stages - 1) * product_depth_tile);
        accumulator.add_tiles(tile_of(stage, 0), tile_of(stage, 1));
    }
    accumulator.store(arguments, first_row, first_column);
}

}  // namespace

void prepare_integer_product() {
    TOROID_GPU_CHECK(gpuAllowSharedMemory(integer_product_kernel, shared_bytes));
}

void launch_integer_product(const std::int8_t* a, const std::int8_t* b, std::int32_t* products, int rows,
                            int columns, int depth, int multiprocessors, gpuStream_t stream) {
    if (rows == 0) return;
    const int tiles = (rows + tile - 1) / tile * (columns / tile);
    const int depth_tiles = depth / product_depth_tile;
    // As many slices as two blocks a multiprocessor allow, none below four tiles of depth.
    int slices = 2 * multiprocessors / tiles;
    slices = slices < depth_tiles / 4 ? slices : depth_tiles / 4;
    slices = slices > 1 ? slices : 1;
    const int tiles_per_slice = (depth_tiles + slices - 1) / slices;
    slices = (depth_tiles + tiles_per_slice - 1) / tiles_per_slice;
    if (slices > 1) {
        TOROID_GPU_CHECK(gpuMemsetAsync(
            static_cast<void*>(products), 0,
            sizeof(std::int32_t) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns),
            stream));
    }
    integer_product_kernel<<<dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(slices)), threads,
                             shared_bytes, stream>>>(
        {a, b, products, rows, columns, depth, tiles_per_slice * product_depth_tile, slices > 1});
    TOROID_GPU_CHECK(gpuGetLastError());
}

}  // namespace toroid::backend_gpu
