// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_target.hpp"

#include "scheme/evaluation_key.hpp"

namespace toroid::tests {

const bool section_files = true;

void accept(std::span<const std::byte> input) {
    const auto key = scheme::EvaluationKey::load(file_of(input));
    std::vector<std::uint32_t> row(
        static_cast<std::size_t>((key.parameters().k() + 1) * key.parameters().N()));
    key.glwe_row(key.parameters().n() - 1, key.parameters().rows() - 1, row);
}

}  // namespace toroid::tests
