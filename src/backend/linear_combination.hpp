// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "backend/host_pool.hpp"
#include "base/gate_record.hpp"

namespace toroid::backend {

/// out = sum_i weight_i * sample_i + (0, offset_eighths / 8), all words mod 2^32; out has dimension + 1
/// words.
void linear_combination(const HostPool& pool, std::span<const base::Operand> operands, int offset_eighths,
                        std::span<std::uint32_t> out);

}  // namespace toroid::backend
