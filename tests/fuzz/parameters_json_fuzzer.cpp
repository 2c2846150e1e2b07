// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_target.hpp"

#include "scheme/parameters.hpp"

namespace toroid::tests {

const bool section_files = false;

void accept(std::span<const std::byte> input) {
    const auto parameters = scheme::Parameters(scheme::parameters_from_json(text_of(input), "input"));
    const auto again =
        scheme::Parameters(scheme::parameters_from_json(scheme::parameters_to_json(parameters), "again"));
    require(again.fingerprint() == parameters.fingerprint(), "parameters survive writing and reading");
}

}  // namespace toroid::tests
