// SPDX-License-Identifier: Apache-2.0
#include "circuit/circuit.hpp"

namespace toroid::circuit {

std::uint64_t Circuit::bootstraps() const noexcept {
    std::uint64_t count = 0;
    for (const base::GateRecord& gate : gates) count += static_cast<std::uint64_t>(gate.bootstraps());
    return count;
}

}  // namespace toroid::circuit
