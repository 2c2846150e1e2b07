// SPDX-License-Identifier: Apache-2.0
#include "circuit/yosys_json_netlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "circuit/yosys_json_hierarchy.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using Driver = YosysNetlist::Driver;

constexpr std::uint32_t most_table_inputs = 16;
constexpr std::array<std::string_view, 4> constant_names = {"0", "1", "x", "z"};

bool is_constant(NetId net) {
    return net < first_module_net;
}
bool is_undefined(NetId net) {
    return net == net_x || net == net_z;
}

class Flattener {
 public:
    Flattener(const std::vector<YosysModule>& modules, const YosysReporter& reporter)
        : reporter_(reporter), hierarchy_(modules, reporter) {}

    YosysNetlist flatten() {
        netlist_.top = &hierarchy_.top();
        parents_.resize(first_module_net);
        std::iota(parents_.begin(), parents_.end(), 0U);
        add_instance(hierarchy_.top(), nullptr, 0);
        for (std::uint32_t i = 0; i < netlist_.instances.size(); ++i) expand(i);
        resolve();
        name_nets();
        find_drivers();
        read_initial_values();
        return std::move(netlist_);
    }

 private:
    void add_instance(const YosysModule& module, const YosysCell* cell, std::uint32_t parent) {
        const auto first = static_cast<NetId>(parents_.size());
        netlist_.instances.push_back({&module, cell, parent, first});
        parents_.resize(parents_.size() + module.net_count - first_module_net);
        std::iota(parents_.begin() + first, parents_.end(), first);
        if (module.has_memories) {
            reporter_.fail(fmt::format(
                "module '{}' has memories; turn them into flip-flops first (in Yosys: memory_map)",
                module.name));
        }
    }

    [[nodiscard]] NetId global(std::uint32_t instance, ModuleNet net) const {
        return is_constant(net) ? net : netlist_.instances[instance].first_net + net - first_module_net;
    }
    NetId root(NetId net) {
        while (parents_[net] != net) {
            parents_[net] = parents_[parents_[net]];
            net = parents_[net];
        }
        return net;
    }

    void expand(std::uint32_t instance) {
        // A copy of the pointer: adding instances moves the array.
        const YosysModule* const module = netlist_.instances[instance].module;
        for (const YosysCell& cell : module->cells) {
            if (const YosysGateType* type = find_yosys_gate(cell.type)) {
                add_gate(cell, instance, *type);
            } else if (const auto flip_flop = parse_yosys_flip_flop(cell.type)) {
                add_flip_flop(cell, instance, *flip_flop);
            } else if (cell.type == "$lut") {
                add_table(cell, instance);
            } else if (const YosysModule* child = hierarchy_.find(cell.type)) {
                add_instance(*child, &cell, instance);
                connect(cell, instance, *child, static_cast<std::uint32_t>(netlist_.instances.size() - 1));
            } else {
                refuse_or_ignore(cell, instance);
            }
        }
    }

    void connect(const YosysCell& cell, std::uint32_t outer, const YosysModule& module, std::uint32_t inner) {
        for (const YosysConnection& connection : cell.connections) {
            const YosysPort* const port = module.find_port(connection.port);
            if (port == nullptr)
                fail(cell, outer, fmt::format("the module has no port '{}'", connection.port));
            if (port->direction == YosysPort::Direction::inout) {
                fail(cell, outer, fmt::format("port '{}' is inout, which is not supported", connection.port));
            }
            if (port->bits.size() != connection.bits.size()) {
                fail(cell, outer,
                     fmt::format("port '{}' has {} bits and is connected to {}", connection.port,
                                 port->bits.size(), connection.bits.size()));
            }
            for (std::size_t i = 0; i < port->bits.size(); ++i) {
                // An output on x or z is left open.
                const bool is_open =
                    port->direction == YosysPort::Direction::output && is_undefined(connection.bits[i]);
                if (!is_open)
                    join(cell, outer, global(inner, port->bits[i]), global(outer, connection.bits[i]));
            }
        }
    }

    void join(const YosysCell& cell, std::uint32_t instance, NetId a, NetId b) {
        a = root(a);
        b = root(b);
        if (a == b) return;
        if (is_constant(a) && is_constant(b)) {
            fail(cell, instance,
                 fmt::format("connects the constants {} and {}", constant_names.at(a), constant_names.at(b)));
        }
        // The smaller number wins, so that constants stay roots.
        parents_[std::max(a, b)] = std::min(a, b);
    }

    [[nodiscard]] NetId pin(const YosysCell& cell, std::uint32_t instance, std::string_view port) const {
        const YosysConnection* const connection = cell.find(port);
        if (connection == nullptr) fail(cell, instance, fmt::format("port {} is not connected", port));
        if (connection->bits.size() != 1) {
            fail(cell, instance,
                 fmt::format("port {} has {} bits instead of one", port, connection->bits.size()));
        }
        return global(instance, connection->bits.front());
    }
    void check_port_count(const YosysCell& cell, std::uint32_t instance, std::size_t expected) const {
        if (cell.connections.size() != expected) {
            fail(cell, instance,
                 fmt::format("has {} ports instead of {}", cell.connections.size(), expected));
        }
    }

    void add_gate(const YosysCell& cell, std::uint32_t instance, const YosysGateType& type) {
        const auto first = static_cast<std::uint32_t>(netlist_.gate_inputs.size());
        const auto count = static_cast<std::uint32_t>(type.inputs.size());
        for (std::size_t i = 0; i < type.inputs.size(); ++i) {
            netlist_.gate_inputs.push_back(pin(cell, instance, type.inputs.substr(i, 1)));
        }
        const NetId output = pin(cell, instance, "Y");
        check_port_count(cell, instance, type.inputs.size() + 1);
        netlist_.gates.push_back({&cell, instance, &type, 0, first, count, output});
    }

    void add_table(const YosysCell& cell, std::uint32_t instance) {
        const YosysConnection* const inputs = cell.find("A");
        if (inputs == nullptr) fail(cell, instance, "port A is not connected");
        const auto width = static_cast<std::uint32_t>(inputs->bits.size());
        if (width == 0 || width > most_table_inputs) {
            fail(cell, instance,
                 fmt::format("a table of {} inputs; 1 to {} are supported", width, most_table_inputs));
        }
        const auto parameter = cell.parameters ? cell.parameters->find("LUT") : std::nullopt;
        const auto digits = parameter ? yosys_bit_string(*parameter) : std::nullopt;
        if (!digits || digits->size() > std::size_t{1} << width) {
            fail(cell, instance, fmt::format("parameter LUT must hold {} bits", std::size_t{1} << width));
        }
        if (digits->find_first_of("xz") != std::string::npos)
            reporter_.warn(label(cell, instance) + ": x in LUT reads as 0");
        std::vector<std::uint64_t> table(((std::size_t{1} << width) + 63) / 64);
        for (std::size_t i = 0; i < digits->size(); ++i) {
            if ((*digits)[digits->size() - 1 - i] == '1') table[i / 64] |= std::uint64_t{1} << (i % 64);
        }
        const auto first = static_cast<std::uint32_t>(netlist_.gate_inputs.size());
        for (const ModuleNet bit : inputs->bits) netlist_.gate_inputs.push_back(global(instance, bit));
        const NetId output = pin(cell, instance, "Y");
        check_port_count(cell, instance, 2);
        netlist_.gates.push_back({&cell, instance, nullptr,
                                  static_cast<std::uint32_t>(netlist_.tables.size()), first, width, output});
        netlist_.tables.push_back(std::move(table));
    }

    void add_flip_flop(const YosysCell& cell, std::uint32_t instance, const YosysFlipFlopType& type) {
        using Level = YosysFlipFlopType::Level;
        YosysNetlist::FlipFlop result{&cell, instance, type, pin(cell, instance, "D"),
                                      pin(cell, instance, "Q")};
        std::size_t ports = 2;
        const auto control = [&](Level level, std::string_view port, NetId& net) {
            if (level == Level::absent) return;
            net = pin(cell, instance, port);
            ++ports;
        };
        control(type.clock, "C", result.clock);
        control(type.enable, "E", result.enable);
        control(type.set, "S", result.set);
        control(type.reset, "R", result.reset);
        control(type.load, "L", result.load);
        control(type.load, "AD", result.load_data);
        check_port_count(cell, instance, ports);
        netlist_.flip_flops.push_back(result);
    }

    void refuse_or_ignore(const YosysCell& cell, std::uint32_t instance) {
        constexpr std::array<std::string_view, 7> checks = {"$assert", "$assume", "$live", "$fair",
                                                            "$cover",  "$print",  "$check"};
        const std::string_view type = cell.type;
        if (type == "$scopeinfo") return;
        if (std::find(checks.begin(), checks.end(), type) != checks.end()) {
            reporter_.warn(label(cell, instance) + ": ignored, since it makes no logic");
            return;
        }
        if (is_yosys_latch(type)) refuse_latch(cell, instance);
        if (type == "$_TBUF_" || type == "$tribuf")
            fail(cell, instance, "tri-state buffers are not supported");
        if (type.starts_with("$mem"))
            fail(cell, instance, "a memory; turn it into flip-flops first (in Yosys: memory_map)");
        if (type.starts_with("$_")) fail(cell, instance, "this gate is not supported");
        if (type.starts_with('$') && !type.starts_with("$paramod")) {
            fail(cell, instance, "a word-level cell; map it to gates first (in Yosys: techmap; opt)");
        }
        fail(cell, instance, "the file has no module of this type");
    }

    [[noreturn]] void refuse_latch(const YosysCell& cell, std::uint32_t instance) const {
        std::string signal = "?";
        if (const YosysConnection* output = cell.find("Q"); output != nullptr && !output->bits.empty()) {
            signal = signal_of(*netlist_.instances[instance].module, output->bits.front());
        }
        fail(cell, instance,
             fmt::format("signal '{}' is held by a latch; assign it in every case, or use a clocked register",
                         netlist_.path(instance, signal)));
    }
    static std::string signal_of(const YosysModule& module, ModuleNet net) {
        std::string result;
        for (const YosysNetName& name : module.net_names) {
            const auto bit = std::find(name.bits.begin(), name.bits.end(), net);
            if (bit == name.bits.end()) continue;
            if (result.empty() || !name.hidden)
                result = name.bit_name(static_cast<std::size_t>(bit - name.bits.begin()));
            if (!name.hidden) break;
        }
        return result;
    }

    // From here on every net number is a root.
    void resolve() {
        for (NetId& net : netlist_.gate_inputs) net = root(net);
        for (YosysNetlist::Gate& gate : netlist_.gates) gate.output = open_output(gate.output);
        for (YosysNetlist::FlipFlop& flip_flop : netlist_.flip_flops) {
            flip_flop.q = open_output(flip_flop.q);
            for (NetId* net : {&flip_flop.d, &flip_flop.clock, &flip_flop.enable, &flip_flop.set,
                               &flip_flop.reset, &flip_flop.load, &flip_flop.load_data}) {
                if (*net != no_net) *net = root(*net);
            }
        }
        for (const YosysPort& port : netlist_.top->ports) {
            std::vector<NetId> nets;
            for (const ModuleNet bit : port.bits) nets.push_back(root(global(0, bit)));
            netlist_.ports.push_back({&port, std::move(nets)});
        }
    }
    // An output on x or z drives nothing.
    NetId open_output(NetId net) {
        if (!is_undefined(net)) return root(net);
        parents_.push_back(static_cast<NetId>(parents_.size()));
        return parents_.back();
    }

    void name_nets() {
        netlist_.names.resize(parents_.size());
        for (const bool hidden : {false, true}) {
            for (std::uint32_t i = 0; i < netlist_.instances.size(); ++i) {
                const YosysModule& module = *netlist_.instances[i].module;
                for (std::uint32_t n = 0; n < module.net_names.size(); ++n) {
                    if (module.net_names[n].hidden != hidden) continue;
                    const std::vector<ModuleNet>& bits = module.net_names[n].bits;
                    for (std::uint32_t bit = 0; bit < bits.size(); ++bit) {
                        YosysNetlist::NameReference& name = netlist_.names[root(global(i, bits[bit]))];
                        if (name.instance == no_net) name = {i, n, bit};
                    }
                }
            }
        }
    }

    void find_drivers() {
        netlist_.drivers.resize(parents_.size());
        for (NetId net = 0; net < first_module_net; ++net)
            netlist_.drivers[net] = {Driver::Kind::constant, net};
        for (std::uint32_t p = 0; p < netlist_.ports.size(); ++p) {
            const YosysPort& port = *netlist_.ports[p].port;
            if (port.direction == YosysPort::Direction::inout) {
                reporter_.fail(fmt::format("port '{}' is inout, which is not supported", port.name));
            }
            if (port.bits.empty()) reporter_.fail(fmt::format("port '{}' has no bits", port.name));
            if (port.direction != YosysPort::Direction::input) continue;
            for (const NetId net : netlist_.ports[p].nets) drive(net, {Driver::Kind::input, p});
        }
        for (std::uint32_t g = 0; g < netlist_.gates.size(); ++g) {
            drive(netlist_.gates[g].output, {Driver::Kind::gate, g});
        }
        for (std::uint32_t f = 0; f < netlist_.flip_flops.size(); ++f) {
            drive(netlist_.flip_flops[f].q, {Driver::Kind::flip_flop, f});
        }
    }
    void drive(NetId net, Driver driver) {
        Driver& known = netlist_.drivers[net];
        if (known.kind != Driver::Kind::none) {
            reporter_.fail(fmt::format("net '{}' has two drivers: {} and {}", netlist_.net_name(net),
                                       describe(known), describe(driver)));
        }
        known = driver;
    }
    [[nodiscard]] std::string describe(const Driver& driver) const {
        switch (driver.kind) {
            case Driver::Kind::constant:
                return fmt::format("constant {}", constant_names.at(driver.index));
            case Driver::Kind::input:
                return fmt::format("input '{}'", netlist_.ports[driver.index].port->name);
            case Driver::Kind::gate:
                return label(*netlist_.gates[driver.index].cell, netlist_.gates[driver.index].instance);
            case Driver::Kind::flip_flop:
                return label(*netlist_.flip_flops[driver.index].cell,
                             netlist_.flip_flops[driver.index].instance);
            case Driver::Kind::none:
                break;
        }
        return "nothing";
    }

    void read_initial_values() {
        netlist_.initial.assign(parents_.size(), -1);
        netlist_.initial[net_zero] = 0;
        netlist_.initial[net_one] = 1;
        for (std::uint32_t i = 0; i < netlist_.instances.size(); ++i) {
            for (const YosysNetName& name : netlist_.instances[i].module->net_names) {
                const std::size_t width = std::min(name.init.size(), name.bits.size());
                for (std::size_t bit = 0; bit < width; ++bit) {
                    const char digit = name.init[name.init.size() - 1 - bit];
                    if (digit == '0' || digit == '1') set_initial(i, name, bit, digit == '1' ? 1 : 0);
                }
            }
        }
    }
    void set_initial(std::uint32_t instance, const YosysNetName& name, std::size_t bit, std::int8_t value) {
        const NetId net = root(global(instance, name.bits[bit]));
        std::int8_t& known = netlist_.initial[net];
        const std::string shown = netlist_.path(instance, name.bit_name(bit));
        const Driver::Kind driver = netlist_.drivers[net].kind;
        // A register that optimisation has found constant keeps its name on the constant.
        if (driver == Driver::Kind::constant && known == value) return;
        if (driver != Driver::Kind::flip_flop && driver != Driver::Kind::none) {
            reporter_.warn(
                fmt::format("the initial value of '{}' is ignored, since no register drives it", shown));
            return;
        }
        if (known >= 0 && known != value)
            reporter_.fail(fmt::format("'{}' has two initial values, 0 and 1", shown));
        known = value;
    }

    [[nodiscard]] std::string label(const YosysCell& cell, std::uint32_t instance) const {
        return netlist_.cell_name(cell, instance);
    }
    [[noreturn]] void fail(const YosysCell& cell, std::uint32_t instance, const std::string& message) const {
        reporter_.fail(fmt::format("{}: {}", label(cell, instance), message));
    }

    const YosysReporter& reporter_;
    YosysHierarchy hierarchy_;
    YosysNetlist netlist_;
    std::vector<NetId> parents_;  // union-find over nets that are one wire across module borders
};

}  // namespace

void YosysReporter::warn(const std::string& message) const {
    if (options_.strict) fail(message);
    if (options_.warnings != nullptr) options_.warnings->push_back({source_, message});
}

void YosysReporter::fail(const std::string& message) const {
    throw Error(ErrorKind::circuit, fmt::format("{}: {}", source_, message));
}

std::string YosysNetlist::path(std::uint32_t instance, std::string_view name) const {
    std::string result(name);
    for (; instance != 0; instance = instances[instance].parent) {
        result = fmt::format("{}.{}", instances[instance].cell->name, result);
    }
    return result;
}

std::string YosysNetlist::net_name(NetId net) const {
    if (is_constant(net)) return std::string(constant_names.at(net));
    const NameReference& reference = names[net];
    if (reference.instance == no_net) return fmt::format("unnamed net {}", net);
    const YosysNetName& name = instances[reference.instance].module->net_names[reference.name];
    return path(reference.instance, name.bit_name(reference.bit));
}

std::string YosysNetlist::cell_name(const YosysCell& cell, std::uint32_t instance) const {
    std::string text = fmt::format("cell '{}' of type {}", path(instance, cell.name), cell.type);
    if (!cell.source_place.empty()) text += fmt::format(" (from {})", cell.source_place);
    return text;
}

YosysNetlist flatten_yosys_modules(const std::vector<YosysModule>& modules, const YosysReporter& reporter) {
    return Flattener(modules, reporter).flatten();
}

}  // namespace toroid::circuit
