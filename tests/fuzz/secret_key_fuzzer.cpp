// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_target.hpp"

#include "client/secret_key.hpp"

namespace toroid::tests {

const bool section_files = true;

void accept(std::span<const std::byte> input) {
    static_cast<void>(client::SecretKey::load(file_of(input)));
}

}  // namespace toroid::tests
