// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "circuit/netlist_reader.hpp"
#include "circuit/statistics.hpp"
#include "fuzz/fuzz_target.hpp"

namespace toroid::tests {

/// Whatever a reader accepts can be described, written, read again and written to the same bytes.
inline void check_circuit(const circuit::Circuit& circuit) {
    static_cast<void>(circuit::statistics(circuit));
    const std::string native = circuit::write_native(circuit);
    if (native.size() > 200000) return;
    require(circuit::write_native(circuit::read_native(native, "native", {})) == native,
            "a circuit survives writing and reading");
    static_cast<void>(circuit::read_blif(circuit::write_blif(circuit), "blif", {}));
}

}  // namespace toroid::tests
