// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "circuit/circuit.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::benchmark {

/// What one compile made and took.
struct Measurement {
    std::uint64_t bootstraps = 0;
    std::uint32_t depth = 0;
    double largest_weight_norm = 0;
    double seconds = 0;   ///< processor time
    double peak_mib = 0;  ///< of a process that does nothing else; clang runs in one of its own
    std::string error;    ///< what went wrong, empty if nothing
};
/// Runs `compile` in a process of its own, so that its peak memory is its own too.
[[nodiscard]] Measurement measure(const std::function<circuit::Circuit()>& compile);

[[nodiscard]] nlohmann::json to_json(const Measurement& measurement);

}  // namespace toroid::benchmark
