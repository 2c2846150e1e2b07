// SPDX-License-Identifier: Apache-2.0
// Gates as .names covers of their tables. A wide E2 gate would have a cover exponential in its fan-in, so
// gates of many inputs are written as a chain of two-bit counters, modulo 4, of their light inputs and a
// parity of the heavy.
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "circuit/affine_normal_form.hpp"
#include "circuit/netlist_reader.hpp"

namespace toroid::circuit {
namespace {

constexpr std::size_t largest_table_cover = 6;

std::string net_text(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        // What BLIF would take as a blank, a comment, a continuation or a pin's equal sign.
        if (byte <= ' ' || byte == 0x7f || c == '#' || c == '\\' || c == '=') {
            fmt::format_to(std::back_inserter(out), "%{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out.empty() ? "%" : out;
}

class BlifWriter {
 public:
    explicit BlifWriter(const Circuit& circuit) : circuit_(circuit), net_of_(circuit.signal_count) {}

    std::string write() {
        put(".model {}\n", net_text(circuit_.name));
        name_ports();
        for (const Register& item : circuit_.registers) name_signal(item.output, net_text(item.name));
        for (const base::GateRecord& gate : circuit_.gates)
            name_signal(gate.output, fmt::format("n{}", gate.output));
        for (const Register& item : circuit_.registers) {
            put(".latch {} {} {:d}\n", literal_net(item.next), net_of_[item.output], item.init);
        }
        for (const base::GateRecord& gate : circuit_.gates) write_gate(gate);
        for (const auto& [literal, net] : inverted_) write_copy(literal, net);
        for (const auto& [net, literal] : outputs_) write_copy(literal.code(), net);
        out_ += ".end\n";
        return std::move(out_);
    }

 private:
    template <typename... Arguments>
    void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
    }
    std::string unique(std::string wanted) {
        while (!taken_.insert(wanted).second) wanted += "_";
        return wanted;
    }

    /// The nets of one port: a scalar by its name, a bus as name[i].
    static std::vector<std::string> nets_of(const std::string& name, std::size_t width) {
        if (width == 1) return {net_text(name)};
        std::vector<std::string> out;
        for (std::size_t i = 0; i < width; ++i) out.push_back(fmt::format("{}[{}]", net_text(name), i));
        return out;
    }
    void list(std::string_view directive, const std::vector<std::string>& nets) {
        out_ += directive;
        for (std::size_t i = 0; i < nets.size(); ++i) put("{}{}", i % 8 == 7 ? " \\\n " : " ", nets[i]);
        out_ += '\n';
    }
    void name_signal(SignalId signal, std::string wanted) {
        if (net_of_[signal].empty()) net_of_[signal] = unique(std::move(wanted));
    }
    void name_ports() {
        std::vector<std::string> inputs;
        for (const InputPort& port : circuit_.inputs) {
            const auto nets = nets_of(port.name, port.signals.size());
            for (std::size_t i = 0; i < nets.size(); ++i) {
                inputs.push_back(unique(nets[i]));
                net_of_[port.signals[i]] = inputs.back();
            }
        }
        list(".inputs", inputs);
        std::vector<std::string> outputs;
        for (const OutputPort& port : circuit_.outputs) name_output(port, outputs);
        list(".outputs", outputs);
    }
    /// A port whose nets an input has already is renamed as a whole, unless it is that input itself.
    void name_output(const OutputPort& port, std::vector<std::string>& outputs) {
        const auto same = [&](const std::vector<std::string>& nets, std::size_t i) {
            const Literal bit = port.bits[i];
            return !bit.negated() && !bit.is_constant() && net_of_[bit.signal()] == nets[i];
        };
        std::string name = port.name;
        std::vector<std::string> nets;
        for (bool is_free = false; !is_free; name += "_") {
            nets = nets_of(name, port.bits.size());
            is_free = true;
            for (std::size_t i = 0; i < nets.size(); ++i)
                is_free &= !taken_.contains(nets[i]) || same(nets, i);
        }
        for (std::size_t i = 0; i < nets.size(); ++i) {
            outputs.push_back(nets[i]);
            if (same(nets, i)) continue;
            taken_.insert(nets[i]);
            const Literal bit = port.bits[i];
            if (!bit.negated() && !bit.is_constant() && net_of_[bit.signal()].empty()) {
                net_of_[bit.signal()] = nets[i];  // the register or gate drives the port itself
            } else {
                outputs_.emplace_back(nets[i], bit);
            }
        }
    }

    /// A net that carries the literal; inverters and constants are written at the end.
    std::string literal_net(Literal literal) {
        if (!literal.negated() && !literal.is_constant()) return net_of_[literal.signal()];
        std::string& net = inverted_[literal.code()];
        if (net.empty()) {
            net = unique(literal.is_constant() ? fmt::format("const{:d}", literal.negated())
                                               : fmt::format("not_{}", net_of_[literal.signal()]));
        }
        return net;
    }
    void write_copy(std::uint32_t literal_code, const std::string& net) {
        const Literal literal(literal_code >> 1, (literal_code & 1) != 0);
        if (literal.is_constant()) {
            put(".names {}\n{}", net, literal.negated() ? "1\n" : "");
        } else {
            put(".names {} {}\n{} 1\n", net_of_[literal.signal()], net, literal.negated() ? 0 : 1);
        }
    }

    /// The smaller of ON-set and OFF-set as rows of all inputs; index bit i is input i.
    template <typename Value>
    void write_table(const std::vector<std::string>& inputs, const std::string& output, Value value) {
        out_ += ".names";
        for (const std::string& input : inputs) put(" {}", input);
        put(" {}\n", output);
        const unsigned size = 1U << inputs.size();
        unsigned ones = 0;
        for (unsigned index = 0; index < size; ++index) ones += value(index) ? 1 : 0;
        const bool on = ones <= size / 2 || inputs.empty();
        for (unsigned index = 0; index < size; ++index) {
            if (value(index) != on) continue;
            for (unsigned i = 0; i < inputs.size(); ++i) out_ += (index >> i & 1) != 0 ? '1' : '0';
            out_ += inputs.empty() ? "" : " ";
            out_ += on ? "1\n" : "0\n";
        }
    }

    [[nodiscard]] AffineTerm term_of(std::span<const base::Operand> operands, int offset) const {
        AffineTerm out{{operands.begin(), operands.end()}, offset};
        normalise(out);
        return out;
    }
    [[nodiscard]] std::vector<std::string> nets_read(const AffineTerm& term) const {
        std::vector<std::string> out;
        for (const base::Operand& operand : term.operands) out.push_back(net_of_[operand.index]);
        return out;
    }
    static int phase_of(const AffineTerm& term, unsigned index) {
        int phase = term.offset;
        for (std::size_t i = 0; i < term.operands.size(); ++i) {
            phase += (index >> i & 1) != 0 ? term.operands[i].weight : -term.operands[i].weight;
        }
        return reduce_eighths(phase);
    }

    /// sign(term) on a net; a linear form's phase is +-1, so its value is its sign too.
    void write_sign(const AffineTerm& term, const std::string& net) {
        if (term.operands.size() <= largest_table_cover) {
            write_table(nets_read(term), net,
                        [&](unsigned index) { return sign_bit(phase_of(term, index)); });
            return;
        }
        // low, high: how many light inputs (negated for weight -1) are 1, modulo 4; odd: the parity of the
        // heavy.
        std::string low;
        std::string high;
        std::string odd;
        int constant = term.offset;
        for (const base::Operand& operand : term.operands) {
            const std::string& input = net_of_[operand.index];
            constant -= operand.weight == 2 ? 2 : 1;
            if (operand.weight == 2) {
                odd = accumulate(odd, input);
                continue;
            }
            const std::string light = literal_net(Literal(operand.index, operand.weight < 0));
            if (!low.empty()) {
                const std::string carry = unique("c");
                write_table({low, light}, carry, [](unsigned index) { return index == 3; });
                high = accumulate(high, carry);
            }
            low = accumulate(low, light);
        }
        std::vector<std::string> inputs;
        std::vector<int> steps;
        const auto add = [&](const std::string& input, int step) {
            if (input.empty()) return;
            inputs.push_back(input);
            steps.push_back(step);
        };
        add(low, 2);
        add(high, 4);
        add(odd, 4);
        write_table(inputs, net, [&](unsigned index) {
            int phase = constant;
            for (std::size_t i = 0; i < steps.size(); ++i) phase += (index >> i & 1) != 0 ? steps[i] : 0;
            return sign_bit(phase);
        });
    }
    /// The xor of both on a new net; `sum` may be empty.
    std::string accumulate(const std::string& sum, const std::string& input) {
        if (sum.empty()) return input;
        std::string out = unique("x");
        write_table({sum, input}, out, [](unsigned index) { return index == 1 || index == 2; });
        return out;
    }

    void write_gate(const base::GateRecord& gate) {
        const AffineTerm a = term_of(gate.term_a(circuit_.operands), gate.offset_a);
        if (gate.form != base::GateForm::pair) {
            write_sign(a, net_of_[gate.output]);
            return;
        }
        const AffineTerm b = term_of(gate.term_b(circuit_.operands), gate.offset_b);
        const auto value = [&](bool sign_a, bool sign_b) {
            return sign_bit((sign_a ? 1 : -1) + (sign_b ? 1 : -1) + gate.post_offset);
        };
        std::map<SignalId, unsigned> position;
        for (const AffineTerm* term : {&a, &b}) {
            for (const base::Operand& operand : term->operands) position.emplace(operand.index, 0);
        }
        if (position.size() > largest_table_cover) {
            const std::string net_a = unique("t");
            const std::string net_b = unique("t");
            write_sign(a, net_a);
            write_sign(b, net_b);
            write_table({net_a, net_b}, net_of_[gate.output],
                        [&](unsigned index) { return value((index & 1) != 0, (index & 2) != 0); });
            return;
        }
        std::vector<std::string> inputs;
        for (auto& [signal, at] : position) {
            at = static_cast<unsigned>(inputs.size());
            inputs.push_back(net_of_[signal]);
        }
        write_table(inputs, net_of_[gate.output], [&](unsigned index) {
            const auto sign = [&](const AffineTerm& term) {
                unsigned own = 0;
                for (std::size_t i = 0; i < term.operands.size(); ++i) {
                    own |= (index >> position.at(term.operands[i].index) & 1) << i;
                }
                return sign_bit(phase_of(term, own));
            };
            return value(sign(a), sign(b));
        });
    }

    const Circuit& circuit_;
    std::vector<std::string> net_of_;
    std::unordered_set<std::string> taken_;
    std::vector<std::pair<std::string, Literal>> outputs_;
    std::map<std::uint32_t, std::string> inverted_;  ///< by literal code
    std::string out_;
};

}  // namespace

std::string write_blif(const Circuit& circuit) {
    return BlifWriter(circuit).write();
}

}  // namespace toroid::circuit
