// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/bit_vector.hpp"
#include "base/byte_stream.hpp"
#include "circuit/circuit.hpp"

namespace toroid::circuit {

/// What a client must know to encrypt inputs and read outputs: names, widths, signedness. No gates.
struct Interface {
    struct Port {
        std::string name;
        std::uint32_t width = 0;
        bool is_signed = false;
        friend bool operator==(const Port&, const Port&) = default;
    };
    std::string circuit_name;
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    bool is_sequential = false;

    [[nodiscard]] const Port* find_input(std::string_view name) const;
    [[nodiscard]] const Port* find_output(std::string_view name) const;
    /// BLAKE2b over names, widths and signedness; what ciphertexts are bound to.
    [[nodiscard]] base::Fingerprint fingerprint() const;
};
[[nodiscard]] Interface interface_of(const Circuit& circuit);
[[nodiscard]] std::string interface_to_json(const Interface& interface);
[[nodiscard]] Interface interface_from_json(std::string_view text, const std::string& source);

/// Values by port name; one BitVector for a held value, several for one a cycle.
using Values = std::map<std::string, std::vector<base::BitVector>>;

/// {"a": 5, "b": "0x1f", "c": [1, 0, 1]}: numbers, strings of numbers, booleans; an array is one value a
/// cycle. Error(value) names unknown ports, values out of range, missing ports (unless allow_missing).
[[nodiscard]] Values values_from_json(std::string_view json, const std::vector<Interface::Port>& ports,
                                      bool allow_missing, const std::string& source);
/// "name=value" items in the same syntax; value may be a comma-separated list, one a cycle.
[[nodiscard]] Values values_from_items(const std::vector<std::string>& items,
                                       const std::vector<Interface::Port>& ports, bool allow_missing);
[[nodiscard]] std::string values_to_json(const Values& values, const std::vector<Interface::Port>& ports);

/// The circuit with these inputs fixed to clear constants (and so removed) and everything they decide folded
/// away.
[[nodiscard]] Circuit bind_inputs(const Circuit& circuit, const Values& values);

/// Runs the circuit on plain values for `cycles` clock cycles; an input of several steps must have `cycles`
/// of them. Returns, for each output, one value a cycle (all cycles).
[[nodiscard]] Values simulate(const Circuit& circuit, const Values& inputs, std::uint32_t cycles);

}  // namespace toroid::circuit
