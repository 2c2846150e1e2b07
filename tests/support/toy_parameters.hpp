// SPDX-License-Identifier: Apache-2.0
// Parameter sets far too small to be secure, for tests of structure.
#pragma once

#include <string>

#include "scheme/parameters.hpp"

namespace toroid::tests {

/// Key-switch-first, ternary GLWE key, 16-bit key-switching key; change it as a test needs.
inline scheme::ParametersLiteral toy_literal(std::string name = "toy") {
    scheme::ParametersLiteral literal;
    literal.name = std::move(name);
    literal.purpose = "tests";
    literal.comparison_only = true;
    literal.lwe = {.dimension = 12, .key = scheme::KeyDistribution::binary, .block = 1, .std_log2 = -13.87};
    literal.glwe = {.ring_dimension = 64,
                    .glwe_dimension = 2,
                    .key = scheme::KeyDistribution::ternary,
                    .std_log2 = -24.97};
    literal.mask = {.base_log = 8, .levels = 2};
    literal.body = {.base_log = 7, .levels = 2};
    literal.key_switch = {.gadget = {.base_log = 2, .levels = 6}, .modulus_log = 16};
    return literal;
}

}  // namespace toroid::tests
