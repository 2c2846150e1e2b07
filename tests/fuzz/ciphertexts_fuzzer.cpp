// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_parameters.hpp"
#include "fuzz/fuzz_target.hpp"
#include "scheme/ciphertext_bundle.hpp"

namespace toroid::tests {

const bool section_files = true;

void accept(std::span<const std::byte> input) {
    static_cast<void>(scheme::CiphertextBundle::load(file_of(input), fuzz_parameters()));
}

}  // namespace toroid::tests
