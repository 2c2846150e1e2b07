// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend_gpu/platform.hpp"

namespace toroid::backend_gpu {

/// Columns and depth are multiples of these.
inline constexpr int product_column_tile = 128;
inline constexpr int product_depth_tile = 64;

/// To be called once on a device before its first product.
void prepare_integer_product();

/// products[row][column] = sum_k a[row][k] b[column][k], 8-bit factors, exact while sums stay below 2^31.
/// a: rows x depth, b: columns x depth, products: rows x columns, all row-major and 16-byte aligned. A small
/// product is cut along k to fill the device's multiprocessors; integer sums make the result independent of
/// the cut.
void launch_integer_product(const std::int8_t* a, const std::int8_t* b, std::int32_t* products, int rows,
                            int columns, int depth, int multiprocessors, gpuStream_t stream);

}  // namespace toroid::backend_gpu
