// SPDX-License-Identifier: Apache-2.0
#include "circuit/net_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace toroid::circuit {

NetGraph::NetId NetGraph::add_net(std::string name) {
    if (nets_.size() >= no_node / 2) text_.fail(0, "the netlist has more than 2^31 nets");
    nets_.push_back({std::move(name)});
    return static_cast<NetId>(nets_.size() - 1);
}

void NetGraph::set_default(NetId net, bool value) {
    nets_[net].has_default = true;
    nets_[net].default_value = value;
}

void NetGraph::drive(NetId net, DriverKind kind, std::uint32_t index, std::uint32_t line) {
    Net& target = nets_[net];
    if (target.driver != DriverKind::none) {
        text_.fail(line,
                   fmt::format("net {} has two drivers; the other is {} in line {}", shown(target.name),
                               target.driver == DriverKind::input ? "an input" : "a gate", target.line));
    }
    target.driver = kind;
    target.index = index;
    target.line = line;
}

void NetGraph::add_input(NetId net, std::uint32_t line) {
    drive(net, DriverKind::input, static_cast<std::uint32_t>(inputs_.size()), line);
    inputs_.push_back({net, line});
}

void NetGraph::add_output(NetId net, std::uint32_t line) {
    outputs_.push_back({net, line});
}

void NetGraph::add_logic(LogicKind kind, std::span<const NetId> inputs, NetId output, std::uint32_t line) {
    drive(output, DriverKind::logic, static_cast<std::uint32_t>(logic_.size()), line);
    if (pins_.size() + inputs.size() > no_node) text_.fail(line, "the netlist has more than 2^32 pins");
    logic_.push_back({kind, false, line, output, static_cast<std::uint32_t>(pins_.size()),
                      static_cast<std::uint32_t>(inputs.size()), 0});
    pins_.insert(pins_.end(), inputs.begin(), inputs.end());
}

void NetGraph::add_cover(std::span<const NetId> inputs, NetId output, std::vector<std::string_view> rows,
                         bool off_set, std::uint32_t line) {
    add_logic(LogicKind::cover, inputs, output, line);
    logic_.back().off_set = off_set;
    logic_.back().rows = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back(std::move(rows));
}

void NetGraph::add_storage(NetId input, NetId output, bool init, std::uint32_t line) {
    drive(output, DriverKind::storage, static_cast<std::uint32_t>(storage_.size()), line);
    storage_.push_back({input, output, init, line});
}

void NetGraph::add_clock(NetId net, std::string_view edge, NetId storage, std::uint32_t line) {
    clocks_.push_back({net, edge, storage, line});
}

void NetGraph::check_clocks() const {
    for (const Clock& clock : clocks_) {
        const Net& net = nets_[clock.net];
        if (net.driver == DriverKind::logic || net.driver == DriverKind::storage) {
            text_.fail(clock.line,
                       fmt::format("latch {}: its clock {} is made by logic; only one clock, an input, is "
                                   "supported",
                                   shown(nets_[clock.storage].name), shown(net.name)));
        }
        const Clock& first = clocks_.front();
        if (clock.net != first.net || clock.edge != first.edge) {
            text_.fail(
                clock.line,
                fmt::format("latch {} is clocked by {} ({}), latch {} by {} ({}): only one clock "
                            "and edge are supported",
                            shown(nets_[clock.storage].name), shown(net.name), clock.edge,
                            shown(nets_[first.storage].name), shown(nets_[first.net].name), first.edge));
        }
    }
    if (clocks_.empty()) return;
    const NetId clock = clocks_.front().net;
    const auto refuse = [&](NetId read, std::uint32_t line) {
        if (read != clock) return;
        text_.fail(
            line, fmt::format("clock {} is also read as data; a step of the circuit is one whole clock cycle",
                              shown(nets_[clock].name)));
    };
    for (const Logic& logic : logic_) {
        for (std::uint32_t pin = 0; pin < logic.pins; ++pin) refuse(pins_[logic.first_pin + pin], logic.line);
    }
    for (const Storage& storage : storage_) refuse(storage.input, storage.line);
    for (const Place& output : outputs_) refuse(output.net, output.line);
}

void NetGraph::check_driven() const {
    std::vector<bool> reported(nets_.size(), false);
    const auto check = [&](NetId net, std::uint32_t line) {
        if (nets_[net].driver != DriverKind::none || nets_[net].has_default || reported[net]) return;
        reported[net] = true;
        text_.warn(line, fmt::format("net {} is never driven; it is taken as 0", shown(nets_[net].name)));
    };
    for (const Logic& logic : logic_) {
        for (std::uint32_t pin = 0; pin < logic.pins; ++pin) check(pins_[logic.first_pin + pin], logic.line);
    }
    for (const Storage& storage : storage_) check(storage.input, storage.line);
    for (const Place& output : outputs_) check(output.net, output.line);
}

std::vector<std::uint32_t> NetGraph::sorted_logic() const {
    TopologicalOrder sorted = topological_order(
        static_cast<std::uint32_t>(logic_.size()), [&](std::uint32_t node) { return logic_[node].pins; },
        [&](std::uint32_t node, std::uint32_t pin) {
            const Net& net = nets_[pins_[logic_[node].first_pin + pin]];
            return net.driver == DriverKind::logic ? net.index : no_node;
        });
    if (!sorted.cycle.empty()) {
        std::string path;
        for (std::size_t i = 0; i < std::min<std::size_t>(sorted.cycle.size(), 5); ++i) {
            path += fmt::format("{} <- ", shown(nets_[logic_[sorted.cycle[i]].output].name));
        }
        const Logic& first = logic_[sorted.cycle.front()];
        path += sorted.cycle.size() > 5 ? "..." : shown(nets_[first.output].name);
        text_.fail(first.line, fmt::format("combinational loop: {}", path));
    }
    return std::move(sorted.order);
}

Circuit NetGraph::build(const std::string& name) const {
    check_clocks();
    check_driven();
    const std::vector<std::uint32_t> order = sorted_logic();
    CircuitBuilder builder(name);
    CoverSynthesis covers(builder);
    std::vector<Literal> value(nets_.size());
    for (NetId net = 0; net < nets_.size(); ++net) value[net] = Literal::constant(nets_[net].default_value);

    const auto names_of = [&](const std::vector<Place>& places) {
        std::vector<std::string> names;
        for (const Place& place : places) names.push_back(nets_[place.net].name);
        return names;
    };
    std::vector<Place> inputs = inputs_;
    if (!clocks_.empty())
        std::erase_if(inputs, [&](const Place& place) { return place.net == clocks_.front().net; });
    for (const PortGroup& port : group_ports(names_of(inputs))) {
        const auto bits = builder.add_input(port.name, static_cast<std::uint32_t>(port.members.size()));
        for (std::size_t i = 0; i < bits.size(); ++i) value[inputs[port.members[i]].net] = bits[i];
    }
    for (const Storage& storage : storage_) {
        value[storage.output] = builder.add_register(nets_[storage.output].name, storage.init);
    }
    std::vector<Literal> pins;
    for (const std::uint32_t index : order) {
        const Logic& logic = logic_[index];
        pins.clear();
        for (std::uint32_t pin = 0; pin < logic.pins; ++pin)
            pins.push_back(value[pins_[logic.first_pin + pin]]);
        value[logic.output] = build_logic(builder, covers, logic, pins);
    }
    for (const Storage& storage : storage_) builder.set_next(value[storage.output], value[storage.input]);

    // A net listed twice among the outputs is one port.
    std::vector<Place> outputs;
    std::vector<bool> listed(nets_.size(), false);
    for (const Place& place : outputs_) {
        if (listed[place.net]) {
            text_.warn(place.line, fmt::format("output {} is listed twice", shown(nets_[place.net].name)));
            continue;
        }
        listed[place.net] = true;
        outputs.push_back(place);
    }
    for (const PortGroup& port : group_ports(names_of(outputs))) {
        std::vector<Literal> bits;
        for (const std::uint32_t member : port.members) bits.push_back(value[outputs[member].net]);
        builder.add_output(port.name, std::move(bits));
    }
    return builder.finish();
}

Literal NetGraph::build_logic(CircuitBuilder& builder, CoverSynthesis& covers, const Logic& logic,
                              std::span<const Literal> pins) const {
    switch (logic.kind) {
        case LogicKind::cover:
            return covers.build(pins, rows_[logic.rows], logic.off_set);
        case LogicKind::constant_0:
            return Literal::constant(false);
        case LogicKind::constant_1:
            return Literal::constant(true);
        case LogicKind::copy:
            return pins[0];
        case LogicKind::inversion:
            return !pins[0];
        case LogicKind::conjunction:
            return builder.and_of(pins);
        case LogicKind::nand:
            return !builder.and_of(pins);
        case LogicKind::disjunction:
            return builder.or_of(pins);
        case LogicKind::nor:
            return !builder.or_of(pins);
        case LogicKind::exclusive_or:
            return builder.xor_of(pins);
        case LogicKind::xnor:
            return !builder.xor_of(pins);
        case LogicKind::mux:
            return builder.mux(pins[2], pins[1], pins[0]);
        case LogicKind::nmux:
            return !builder.mux(pins[2], pins[1], pins[0]);
        case LogicKind::andnot:
            return builder.and_gate(pins[0], !pins[1]);
        case LogicKind::ornot:
            return builder.or_gate(pins[0], !pins[1]);
        case LogicKind::aoi21:
            return !builder.or_gate(builder.and_gate(pins[0], pins[1]), pins[2]);
        case LogicKind::oai21:
            return !builder.and_gate(builder.or_gate(pins[0], pins[1]), pins[2]);
        case LogicKind::aoi22:
            return !builder.or_gate(builder.and_gate(pins[0], pins[1]), builder.and_gate(pins[2], pins[3]));
        case LogicKind::oai22:
            return !builder.and_gate(builder.or_gate(pins[0], pins[1]), builder.or_gate(pins[2], pins[3]));
    }
    return {};
}

}  // namespace toroid::circuit
