// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend_gpu/platform.hpp"

namespace toroid::backend_gpu {

/// Sizes are multiples of these; memory behind all pointers must cover whole tiles.
inline constexpr int product_row_tile = 64;
inline constexpr int product_column_tile = 64;
inline constexpr int product_depth_tile = 64;

/// products[row][column] = sum_k a[row][k] b[column][k], 8-bit factors, exact while sums stay below 2^31.
/// a: rows x depth, b: columns x depth, products: rows x columns, all row-major and 16-byte aligned; rows is
/// rounded up to whole tiles. A small product is cut along k to fill the device's multiprocessors; integer
/// sums make the result independent of the cut.
void launch_integer_product(const std::int8_t* a, const std::int8_t* b, std::int32_t* products, int rows,
                            int columns, int depth, int multiprocessors, gpuStream_t stream);

}  // namespace toroid::backend_gpu
