// SPDX-License-Identifier: Apache-2.0
#include "fuzz/circuit_check.hpp"
#include "fuzz/fuzz_target.hpp"

namespace toroid::tests {

const bool section_files = false;

void accept(std::span<const std::byte> input) {
    check_circuit(circuit::read_aiger(text_of(input), "input", {}));
}

}  // namespace toroid::tests
