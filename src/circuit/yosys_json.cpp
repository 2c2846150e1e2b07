// SPDX-License-Identifier: Apache-2.0
// Yosys JSON ("write_json") to a circuit.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "circuit/netlist_reader.hpp"
#include "circuit/yosys_json_clock.hpp"
#include "circuit/yosys_json_netlist.hpp"

namespace toroid::circuit {
namespace {

using Driver = YosysNetlist::Driver;
using Level = YosysFlipFlopType::Level;
using FlipFlop = YosysNetlist::FlipFlop;

constexpr std::size_t most_names_shown = 8;

class CircuitMaker {
 public:
    CircuitMaker(const YosysNetlist& netlist, const YosysReporter& reporter)
        : netlist_(netlist),
          reporter_(reporter),
          clock_(find_yosys_clock(netlist, reporter)),
          builder_(netlist.top->name),
          literals_(netlist.drivers.size()),
          marks_(netlist.drivers.size(), Mark::none),
          flip_flop_is_live_(netlist.flip_flops.size(), false) {}

    [[nodiscard]] Clock clock() const {
        if (clock_.net == no_net) return {};
        return {netlist_.net_name(clock_.net), clock_.is_rising};
    }

    Circuit make(std::vector<std::string>* gate_places) {
        mark_live();
        check_clock_is_no_data();
        add_inputs();
        add_registers();
        warn_undriven();
        for (const NetId net : live_) evaluate(net);
        for (std::size_t f = 0; f < netlist_.flip_flops.size(); ++f) {
            if (flip_flop_is_live_[f])
                builder_.set_next(states_[f], next_value(netlist_.flip_flops[f], states_[f]));
        }
        add_outputs();
        if (gate_places == nullptr) return builder_.finish();
        std::vector<SignalId> numbers;
        Circuit circuit = builder_.finish(&numbers);
        *gate_places = places(circuit, numbers);
        return circuit;
    }

 private:
    enum class Mark : std::uint8_t { none, live, open, done };

    // Nets that a value depends on, given how it is driven.
    template <typename Visit>
    void for_each_source(NetId net, bool through_registers, const Visit& visit) const {
        const Driver driver = netlist_.drivers[net];
        if (driver.kind == Driver::Kind::gate) {
            const YosysNetlist::Gate& gate = netlist_.gates[driver.index];
            for (std::uint32_t i = 0; i < gate.input_count; ++i)
                visit(netlist_.gate_inputs[gate.first_input + i]);
        } else if (driver.kind == Driver::Kind::flip_flop) {
            const FlipFlop& flip_flop = netlist_.flip_flops[driver.index];
            const auto visit_if = [&](bool wanted, NetId source) {
                if (wanted && source != no_net) visit(source);
            };
            visit_if(flip_flop.type.reset_is_asynchronous || through_registers, flip_flop.reset);
            visit_if(true, flip_flop.set);
            visit_if(true, flip_flop.load);
            visit_if(true, flip_flop.load_data);
            visit_if(through_registers, flip_flop.d);
            visit_if(through_registers, flip_flop.enable);
        }
    }

    [[nodiscard]] std::vector<std::string> places(const Circuit& circuit,
                                                  const std::vector<SignalId>& numbers) const {
        std::vector<std::string> result(circuit.signal_count);
        std::vector<bool> is_gate(circuit.signal_count, false);
        for (const base::GateRecord& gate : circuit.gates) is_gate[gate.output] = true;
        for (const YosysNetlist::Gate& gate : netlist_.gates) {
            if (marks_[gate.output] != Mark::done) continue;
            const SignalId signal = numbers[literals_[gate.output].signal()];
            if (is_gate[signal] && result[signal].empty()) result[signal] = gate.cell->source_place;
        }
        return result;
    }

    // Everything that some output depends on, in order of discovery.
    void mark_live() {
        const auto mark = [&](NetId net) {
            if (marks_[net] != Mark::none) return;
            marks_[net] = Mark::live;
            live_.push_back(net);
        };
        for (const YosysNetlist::Port& port : netlist_.ports) {
            if (port.port->direction != YosysPort::Direction::output) continue;
            for (const NetId net : port.nets) mark(net);
        }
        for (std::size_t i = 0; i < live_.size(); ++i) {
            const Driver driver = netlist_.drivers[live_[i]];
            if (driver.kind == Driver::Kind::flip_flop) flip_flop_is_live_[driver.index] = true;
            for_each_source(live_[i], true, mark);
        }
    }

    void check_clock_is_no_data() const {
        if (clock_.net == no_net || marks_[clock_.net] == Mark::none) return;
        reporter_.fail(fmt::format("the clock '{}' is also used as data", netlist_.net_name(clock_.net)));
    }

    void add_inputs() {
        for (const YosysNetlist::Port& port : netlist_.ports) {
            if (port.port->direction != YosysPort::Direction::input) continue;
            if (clock_.net != no_net &&
                std::find(port.nets.begin(), port.nets.end(), clock_.net) != port.nets.end()) {
                if (port.nets.size() == 1) continue;
                reporter_.fail(
                    fmt::format("the clock '{}' is one bit of a wider input; give it a port of its own",
                                netlist_.net_name(clock_.net)));
            }
            const auto width = static_cast<std::uint32_t>(port.nets.size());
            const std::vector<Literal> bits =
                builder_.add_input(port.port->name, width, port.port->is_signed);
            for (std::size_t i = 0; i < bits.size(); ++i) set(port.nets[i], bits[i]);
        }
        for (const auto& [net, bit] :
             {std::pair{net_zero, false}, {net_one, true}, {net_x, false}, {net_z, false}}) {
            set(net, Literal::constant(bit));
        }
    }

    void set(NetId net, Literal literal) {
        literals_[net] = literal;
        marks_[net] = Mark::done;
    }

    void add_registers() {
        std::unordered_set<std::string> used;
        std::vector<std::string> without_initial_value;
        states_.resize(netlist_.flip_flops.size());
        for (std::size_t f = 0; f < netlist_.flip_flops.size(); ++f) {
            if (!flip_flop_is_live_[f]) continue;
            const FlipFlop& flip_flop = netlist_.flip_flops[f];
            const std::string net_name = netlist_.net_name(flip_flop.q);
            std::string name = net_name;
            // "d[1]" may be bit 1 of d and an escaped name of its own.
            for (int copy = 2; !used.insert(name).second; ++copy) name = fmt::format("{}${}", net_name, copy);
            const int initial = netlist_.initial[flip_flop.q];
            if (initial < 0) without_initial_value.push_back(name);
            states_[f] = builder_.add_register(name, initial == 1);
            if (!flip_flop.type.is_asynchronous()) set(flip_flop.q, states_[f]);
        }
        if (without_initial_value.empty()) return;
        reporter_.warn(
            fmt::format("{} register{} no initial value and start{} at 0: {}", without_initial_value.size(),
                        without_initial_value.size() == 1 ? " has" : "s have",
                        without_initial_value.size() == 1 ? "s" : "", shortened(without_initial_value)));
    }

    static std::string shortened(const std::vector<std::string>& names) {
        std::string text;
        for (std::size_t i = 0; i < std::min(names.size(), most_names_shown); ++i) {
            text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
        }
        return names.size() > most_names_shown ? text + ", ..." : text;
    }

    void warn_undriven() {
        for (const NetId net : live_) {
            if (netlist_.drivers[net].kind == Driver::Kind::none) {
                reporter_.warn(
                    fmt::format("net '{}' is used but never driven; it reads as 0", netlist_.net_name(net)));
                set(net, Literal::constant(false));
            }
        }
        std::unordered_set<std::uint32_t> gates;
        for (const NetId net : live_) {
            for_each_source(net, true, [&](NetId source) {
                if (source != net_x && source != net_z) return;
                const Driver driver = netlist_.drivers[net];
                if (driver.kind == Driver::Kind::gate && !gates.insert(driver.index).second) return;
                reporter_.warn(fmt::format("an input of what drives '{}' is {}; it reads as 0",
                                           netlist_.net_name(net), source == net_x ? 'x' : 'z'));
            });
        }
    }

    // Depth first with an explicit stack; a net met again while it is open lies on a loop.
    void evaluate(NetId start) {
        if (marks_[start] == Mark::done) return;
        stack_.assign(1, start);
        while (!stack_.empty()) {
            const NetId net = stack_.back();
            if (marks_[net] == Mark::done) {
                stack_.pop_back();
                continue;
            }
            marks_[net] = Mark::open;
            const std::size_t before = stack_.size();
            for_each_source(net, false, [&](NetId source) {
                if (marks_[source] == Mark::done) return;
                if (marks_[source] == Mark::open) fail_loop(source);
                stack_.push_back(source);
            });
            if (stack_.size() != before) continue;
            set(net, value_of(net));
            stack_.pop_back();
        }
    }
    [[noreturn]] void fail_loop(NetId net) const {
        reporter_.fail(fmt::format("a combinational loop runs through net '{}'", netlist_.net_name(net)));
    }

    Literal value_of(NetId net) {
        const Driver driver = netlist_.drivers[net];
        if (driver.kind == Driver::Kind::flip_flop) return held_value(driver.index);
        const YosysNetlist::Gate& gate = netlist_.gates[driver.index];
        std::vector<Literal> inputs;
        for (std::uint32_t i = 0; i < gate.input_count; ++i) {
            inputs.push_back(literals_[netlist_.gate_inputs[gate.first_input + i]]);
        }
        if (gate.type == nullptr) return builder_.table(inputs, netlist_.tables[gate.table]);
        return build_yosys_gate(builder_, gate.type->function, inputs);
    }

    // True when the control input is active.
    [[nodiscard]] Literal active(Level level, NetId net) const {
        return level == Level::low ? !literals_[net] : literals_[net];
    }

    // What `value` becomes under the asynchronous inputs: inputs change at the start of a cycle only, so they
    // act for the whole of it, on the output at once and on the value that the clock edge would load.
    Literal under_asynchronous(const FlipFlop& flip_flop, Literal value) {
        const YosysFlipFlopType& type = flip_flop.type;
        if (type.load != Level::absent) {
            value = builder_.mux(active(type.load, flip_flop.load), literals_[flip_flop.load_data], value);
        }
        if (type.set != Level::absent) value = builder_.or_gate(active(type.set, flip_flop.set), value);
        if (type.reset != Level::absent && type.reset_is_asynchronous) value = under_reset(flip_flop, value);
        return value;
    }
    Literal under_reset(const FlipFlop& flip_flop, Literal value) {
        return builder_.mux(active(flip_flop.type.reset, flip_flop.reset),
                            Literal::constant(flip_flop.type.reset_value), value);
    }

    Literal held_value(std::uint32_t index) {
        return under_asynchronous(netlist_.flip_flops[index], states_[index]);
    }

    Literal next_value(const FlipFlop& flip_flop, Literal state) {
        const YosysFlipFlopType& type = flip_flop.type;
        const bool has_synchronous_reset = type.reset != Level::absent && !type.reset_is_asynchronous;
        Literal next = literals_[flip_flop.d];
        if (has_synchronous_reset && type.enable_over_reset) next = under_reset(flip_flop, next);
        if (type.enable != Level::absent)
            next = builder_.mux(active(type.enable, flip_flop.enable), next, state);
        if (has_synchronous_reset && !type.enable_over_reset) next = under_reset(flip_flop, next);
        return under_asynchronous(flip_flop, next);
    }

    void add_outputs() {
        for (const YosysNetlist::Port& port : netlist_.ports) {
            if (port.port->direction != YosysPort::Direction::output) continue;
            std::vector<Literal> bits;
            for (std::size_t i = 0; i < port.nets.size(); ++i) {
                const NetId net = port.nets[i];
                if (net == net_x || net == net_z) {
                    reporter_.warn(fmt::format("output '{}' is {}; it reads as 0", port.port->bit_name(i),
                                               net == net_x ? 'x' : 'z'));
                }
                bits.push_back(literals_[net]);
            }
            builder_.add_output(port.port->name, std::move(bits), port.port->is_signed);
        }
    }

    const YosysNetlist& netlist_;
    const YosysReporter& reporter_;
    YosysClock clock_;
    CircuitBuilder builder_;
    std::vector<Literal> literals_;  // by net
    std::vector<Mark> marks_;        // by net
    std::vector<bool> flip_flop_is_live_;
    std::vector<Literal> states_;  // by flip-flop
    std::vector<NetId> live_;
    std::vector<NetId> stack_;
};

}  // namespace

Circuit read_yosys_json(std::string_view text, const std::string& source, const ReadOptions& options) {
    const YosysReporter reporter(source, options);
    const JsonDocument document = JsonDocument::parse(text, source);
    const std::vector<YosysModule> modules = read_yosys_modules(document, source);
    const YosysNetlist netlist = flatten_yosys_modules(modules, reporter);
    CircuitMaker maker(netlist, reporter);
    if (options.clock != nullptr) *options.clock = maker.clock();
    return maker.make(options.gate_places);
}

}  // namespace toroid::circuit
