// SPDX-License-Identifier: Apache-2.0
#include "backend_reference/sample_extraction.hpp"

#include <cstddef>

namespace toroid::backend_reference {

void extract_sample(std::span<const std::uint32_t> glwe, int ring_dimension, std::span<std::uint32_t> out) {
    const auto N = static_cast<std::size_t>(ring_dimension);
    const std::size_t masks = out.size() - 1;
    for (std::size_t first = 0; first < masks; first += N) {
        out[first] = glwe[first];
        for (std::size_t j = 1; j < N; ++j) out[first + j] = 0U - glwe[first + N - j];
    }
    out[masks] = glwe[masks];
}

}  // namespace toroid::backend_reference
