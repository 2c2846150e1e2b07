// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_target.hpp"

#include "scheme/public_key.hpp"

namespace toroid::tests {

const bool section_files = true;

void accept(std::span<const std::byte> input) {
    static_cast<void>(scheme::PublicKey::load(file_of(input)));
}

}  // namespace toroid::tests
