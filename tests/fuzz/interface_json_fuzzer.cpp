// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_target.hpp"

#include "circuit/interface.hpp"

namespace toroid::tests {

const bool section_files = false;

void accept(std::span<const std::byte> input) {
    const circuit::Interface interface = circuit::interface_from_json(text_of(input), "input");
    const std::string text = circuit::interface_to_json(interface);
    require(circuit::interface_from_json(text, "again").fingerprint() == interface.fingerprint(),
            "an interface survives writing and reading");
}

}  // namespace toroid::tests
