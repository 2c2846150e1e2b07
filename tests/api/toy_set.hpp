// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "toroid/parameters.hpp"

namespace toroid::tests {

/// tfhe128 with a short LWE key, so that keys and gates take milliseconds: right bits, no security.
inline ParameterSet toy_set() {
    return ParameterSet::from_json(R"({
        "name": "toy", "purpose": "tests", "comparison_only": true, "order": "ks-first",
        "lwe": {"n": 24, "key": "binary", "std": -13.87},
        "glwe": {"N": 512, "k": 2, "key": "ternary", "std": -24.97},
        "mask": {"base_log": 8, "levels": 2}, "body": {"base_log": 7, "levels": 2},
        "key_switch": {"base_log": 2, "levels": 6, "modulus_log": 16}})",
                                   "toy set");
}

}  // namespace toroid::tests
