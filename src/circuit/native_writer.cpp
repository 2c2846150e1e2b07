// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <iterator>
#include <vector>

#include "circuit/native_format.hpp"
#include "circuit/netlist_reader.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

std::string escaped(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte == 0x7f || c == '%' || c == '#') {
            fmt::format_to(std::back_inserter(out), "%{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out.empty() ? "%" : out;  // a lone % is the empty name
}

class NativeWriter {
 public:
    explicit NativeWriter(const Circuit& circuit) : circuit_(circuit) {}

    std::string write() {
        line("{} {}", native_magic, native_version);
        line("name {}", escaped(circuit_.name));
        write_signals();
        for (const Register& item : circuit_.registers) line("next {}", literal(item.next));
        for (const OutputPort& port : circuit_.outputs) {
            put("output {} {}", escaped(port.name), port.is_signed ? "signed" : "unsigned");
            for (const Literal bit : port.bits) put(" {}", literal(bit));
            out_ += '\n';
        }
        line("end {} {}", circuit_.gates.size(), native_checksum(out_));
        return std::move(out_);
    }

 private:
    template <typename... Arguments>
    void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
    }
    template <typename... Arguments>
    void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        put(format, std::forward<Arguments>(arguments)...);
        out_ += '\n';
    }
    static std::string literal(Literal literal) {
        return fmt::format("{}{}", literal.negated() ? "!" : "", literal.signal());
    }
    void term(int offset, std::span<const base::Operand> operands) {
        put(" {}", offset);
        for (const base::Operand& operand : operands) put(" {}*{}", operand.weight, operand.index);
    }

    /// Bit 1 and up of an input; the format needs them to follow bit 0.
    [[nodiscard]] bool is_further_bit(SignalId signal) const { return further_bits_.at(signal); }

    /// Whatever makes signals, in the order of the signals.
    void write_signals() {
        std::vector<const InputPort*> port_at(circuit_.signal_count, nullptr);
        std::vector<const Register*> register_at(circuit_.signal_count, nullptr);
        std::vector<const base::GateRecord*> gate_at(circuit_.signal_count, nullptr);
        further_bits_.assign(circuit_.signal_count, false);
        for (const InputPort& port : circuit_.inputs) {
            port_at[port.signals.at(0)] = &port;
            for (std::size_t i = 1; i < port.signals.size(); ++i) {
                further_bits_.at(port.signals[i]) = port.signals[i] == port.signals[0] + i;
            }
        }
        for (const Register& item : circuit_.registers) register_at[item.output] = &item;
        for (const base::GateRecord& gate : circuit_.gates) gate_at[gate.output] = &gate;
        for (SignalId signal = 1; signal < circuit_.signal_count; ++signal) {
            if (port_at[signal] != nullptr) {
                line("input {} {} {}", escaped(port_at[signal]->name), port_at[signal]->signals.size(),
                     port_at[signal]->is_signed ? "signed" : "unsigned");
            } else if (register_at[signal] != nullptr) {
                line("register {} {:d}", escaped(register_at[signal]->name), register_at[signal]->init);
            } else if (gate_at[signal] != nullptr) {
                write_gate(*gate_at[signal]);
            } else if (!is_further_bit(signal)) {
                throw Error(ErrorKind::internal,
                            fmt::format("circuit {}: signal {} has no source", circuit_.name, signal));
            }
        }
    }
    void write_gate(const base::GateRecord& gate) {
        if (gate.form == base::GateForm::pair) {
            put("pair {} |", gate.post_offset);
            term(gate.offset_a, gate.term_a(circuit_.operands));
            out_ += " |";
            term(gate.offset_b, gate.term_b(circuit_.operands));
        } else {
            out_ += gate.form == base::GateForm::linear ? "linear" : "bootstrap";
            term(gate.offset_a, gate.term_a(circuit_.operands));
        }
        out_ += '\n';
    }

    const Circuit& circuit_;
    std::string out_;
    std::vector<bool> further_bits_;
};

}  // namespace

std::string native_checksum(std::string_view text) {
    std::array<unsigned char, 16> hash{};
    crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                       text.size(), nullptr, 0);
    std::string out;
    for (const unsigned char byte : hash) fmt::format_to(std::back_inserter(out), "{:02x}", byte);
    return out;
}

std::string write_native(const Circuit& circuit) {
    return NativeWriter(circuit).write();
}

}  // namespace toroid::circuit
