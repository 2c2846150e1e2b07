// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/toy_parameters.hpp"

namespace toroid::tests {

/// The smallest set that is accepted, so that corpus files are small and mutations reach all of them.
inline const scheme::Parameters& fuzz_parameters() {
    static const scheme::Parameters parameters = [] {
        scheme::ParametersLiteral literal = toy_literal("fuzz");
        literal.lwe.dimension = 4;
        literal.glwe.glwe_dimension = 1;
        literal.mask.levels = 1;
        literal.body.levels = 1;
        literal.key_switch.gadget.levels = 2;
        return scheme::Parameters(literal);
    }();
    return parameters;
}

}  // namespace toroid::tests
