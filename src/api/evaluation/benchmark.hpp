// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.hpp"
#include "toroid/evaluator.hpp"

namespace toroid::detail {

/// Times batches of NAND gates, each reading two outputs of the batch before. Fills the figures of the
/// result, not its names.
[[nodiscard]] BenchmarkResult benchmark_gates(const backend::LoadedKey& key, const BenchmarkOptions& options);

}  // namespace toroid::detail
