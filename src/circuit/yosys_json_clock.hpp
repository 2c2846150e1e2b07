// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "circuit/yosys_json_netlist.hpp"

namespace toroid::circuit {

/// The one clock of a netlist. One encrypted step of the circuit is one active edge of it.
struct YosysClock {
    NetId net = no_net;  ///< the input bit; no_net if nothing is clocked
    bool is_rising = true;
};

/// Follows clock pins back through buffers and inverters to the input that drives them all.
/// Error(circuit) names both clocks if there are two, the flip-flops if both edges are used, and the net if
/// the clock is made by logic.
[[nodiscard]] YosysClock find_yosys_clock(const YosysNetlist& netlist, const YosysReporter& reporter);

}  // namespace toroid::circuit
