// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "circuit/native_format.hpp"
#include "fuzz/circuit_check.hpp"
#include "fuzz/fuzz_target.hpp"

namespace toroid::tests {
namespace {

/// The text with a closing line that is right, without which no changed file would be accepted.
std::string closed(std::string_view text) {
    std::string body;
    std::size_t gates = 0;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.starts_with("end ")) continue;
        for (const std::string_view gate : {"linear ", "bootstrap ", "pair "})
            gates += line.starts_with(gate) ? 1 : 0;
        body.append(line).append("\n");
    }
    return body + "end " + std::to_string(gates) + " " + circuit::native_checksum(body) + "\n";
}

}  // namespace

const bool section_files = false;

void accept(std::span<const std::byte> input) {
    const std::string_view text = text_of(input);
    const bool as_it_is = text.size() % 16 == 0;
    check_circuit(circuit::read_native(as_it_is ? text : closed(text), "input", {}));
}

}  // namespace toroid::tests
