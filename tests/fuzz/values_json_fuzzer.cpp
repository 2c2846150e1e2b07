// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_target.hpp"

#include "circuit/interface.hpp"

namespace toroid::tests {

const bool section_files = false;

void accept(std::span<const std::byte> input) {
    static const std::vector<circuit::Interface::Port> ports{
        {"a", 8, false}, {"b", 8, true}, {"bit", 1, false}, {"none", 0, false}, {"wide", 200, true}};
    const circuit::Values values = circuit::values_from_json(text_of(input), ports, true, "input");
    const std::string text = circuit::values_to_json(values, ports);
    require(circuit::values_from_json(text, ports, true, "again") == values,
            "values survive writing and reading");
}

}  // namespace toroid::tests
