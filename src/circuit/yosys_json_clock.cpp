// SPDX-License-Identifier: Apache-2.0
#include "circuit/yosys_json_clock.hpp"

#include <fmt/format.h>

namespace toroid::circuit {
namespace {

using Driver = YosysNetlist::Driver;
using FlipFlop = YosysNetlist::FlipFlop;

YosysClock trace(const YosysNetlist& netlist, const FlipFlop& flip_flop, const YosysReporter& reporter) {
    YosysClock clock{flip_flop.clock, flip_flop.type.clock == YosysFlipFlopType::Level::high};
    const std::string label = netlist.cell_name(*flip_flop.cell, flip_flop.instance);
    // A loop of inverters would never end: no chain is longer than there are gates.
    for (std::size_t steps = 0; steps <= netlist.gates.size(); ++steps) {
        const Driver driver = netlist.drivers[clock.net];
        if (driver.kind == Driver::Kind::input) return clock;
        if (driver.kind != Driver::Kind::gate) break;
        const YosysNetlist::Gate& gate = netlist.gates[driver.index];
        const bool is_buffer = gate.type != nullptr && gate.type->function == YosysGateType::Function::buffer;
        const bool is_inverter =
            gate.type != nullptr && gate.type->function == YosysGateType::Function::inverter;
        if (!is_buffer && !is_inverter) break;
        clock.is_rising = clock.is_rising != is_inverter;
        clock.net = netlist.gate_inputs[gate.first_input];
    }
    reporter.fail(fmt::format(
        "{}: its clock '{}' is no input of the circuit; gated and derived clocks are not supported", label,
        netlist.net_name(clock.net)));
}

}  // namespace

YosysClock find_yosys_clock(const YosysNetlist& netlist, const YosysReporter& reporter) {
    YosysClock clock;
    const FlipFlop* first = nullptr;
    for (const FlipFlop& flip_flop : netlist.flip_flops) {
        if (flip_flop.clock == no_net) continue;
        const YosysClock found = trace(netlist, flip_flop, reporter);
        if (first == nullptr) {
            first = &flip_flop;
            clock = found;
        } else if (found.net != clock.net) {
            reporter.fail(fmt::format("two clocks, '{}' and '{}'; one is supported",
                                      netlist.net_name(clock.net), netlist.net_name(found.net)));
        } else if (found.is_rising != clock.is_rising) {
            reporter.fail(fmt::format(
                "both edges of the clock '{}' are used, by '{}' and '{}'; one is supported",
                netlist.net_name(clock.net), netlist.net_name(first->q), netlist.net_name(flip_flop.q)));
        }
    }
    return clock;
}

}  // namespace toroid::circuit
