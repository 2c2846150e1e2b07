// SPDX-License-Identifier: Apache-2.0
// A batch as the kernels read it: flat arrays of plain records.
#pragma once

#include <cstdint>

#include "base/gate_record.hpp"

namespace toroid::backend_gpu {

/// One affine sum: operands [first_operand, first_operand + operands) plus offset eighths.
struct Term {
    std::uint32_t first_operand = 0;
    std::uint16_t operands = 0;
    std::int16_t offset = 0;
};

/// Where a gate's result goes and what it is the sum of: `parts` samples from `first_part` on, plus
/// post_offset eighths.
struct Output {
    std::uint32_t slot = 0;
    std::uint32_t first_part = 0;
    std::uint16_t parts = 0;
    std::int16_t post_offset = 0;
};

/// LWE samples on the device: sample i is dimension + 1 words, body last, at words + i * stride.
struct SampleView {
    std::uint32_t* words = nullptr;
    std::int64_t stride = 0;
    int dimension = 0;
};

}  // namespace toroid::backend_gpu
