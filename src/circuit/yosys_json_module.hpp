// SPDX-License-Identifier: Apache-2.0
// What one module of a Yosys JSON file says, checked for form and freed of JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "circuit/yosys_json_document.hpp"

namespace toroid::circuit {

/// A net within one module: the constants, then the module's own nets in order of appearance.
using ModuleNet = std::uint32_t;
inline constexpr ModuleNet net_zero = 0;
inline constexpr ModuleNet net_one = 1;
inline constexpr ModuleNet net_x = 2;
inline constexpr ModuleNet net_z = 3;
inline constexpr ModuleNet first_module_net = 4;

/// Bits of a port or net name; bits[0] is the least significant. In the source's own numbering that bit is
/// called `offset`, or offset + width - 1 if the range was declared upwards.
struct YosysWire {
    std::string name;
    std::vector<ModuleNet> bits;
    std::int64_t offset = 0;
    bool upto = false;

    /// "name" for a single bit, else "name[i]" in the source's numbering.
    [[nodiscard]] std::string bit_name(std::size_t bit) const;
};

struct YosysPort : YosysWire {
    enum class Direction : std::uint8_t { input, output, inout };
    Direction direction = Direction::input;
    bool is_signed = false;
};

struct YosysNetName : YosysWire {
    bool hidden = false;
    std::string init;  ///< initial values as in the file: '0', '1' or 'x', most significant first
};

struct YosysConnection {
    std::string_view port;
    std::vector<ModuleNet> bits;
};

struct YosysCell {
    std::string name;
    std::string type;
    std::string source_place;  ///< the "src" attribute
    std::vector<YosysConnection> connections;
    std::optional<JsonDocument::Value> parameters;

    [[nodiscard]] const YosysConnection* find(std::string_view port) const;
};

struct YosysModule {
    std::string name;
    bool is_top = false;
    bool is_blackbox = false;
    bool has_memories = false;
    std::uint32_t net_count = first_module_net;
    std::vector<YosysPort> ports;
    std::vector<YosysCell> cells;
    std::vector<YosysNetName> net_names;

    [[nodiscard]] const YosysPort* find_port(std::string_view port) const;
};

/// The modules of a file, which must outlive them. Error(circuit) names module and cell, port or net.
[[nodiscard]] std::vector<YosysModule> read_yosys_modules(const JsonDocument& document,
                                                          const std::string& source);

/// Digits '0', '1', 'x' or 'z', most significant first, of a parameter or attribute value: strings hold them,
/// numbers are converted. Nothing if it is neither.
[[nodiscard]] std::optional<std::string> yosys_bit_string(const JsonDocument::Value& value);

}  // namespace toroid::circuit
