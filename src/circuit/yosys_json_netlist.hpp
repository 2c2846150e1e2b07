// SPDX-License-Identifier: Apache-2.0
// The hierarchy of a Yosys file flattened into one-bit gates and flip-flops over numbered nets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "circuit/netlist_reader.hpp"
#include "circuit/yosys_json_cells.hpp"
#include "circuit/yosys_json_module.hpp"

namespace toroid::circuit {

/// A net of the flattened netlist. The four constants keep their numbers of ModuleNet.
using NetId = std::uint32_t;
inline constexpr NetId no_net = 0xffffffff;

/// Reports what a reader could mend: collected as warnings, or thrown under --strict.
class YosysReporter {
 public:
    YosysReporter(std::string source, const ReadOptions& options)
        : source_(std::move(source)), options_(options) {}
    void warn(const std::string& message) const;
    [[noreturn]] void fail(const std::string& message) const;

 private:
    std::string source_;
    const ReadOptions& options_;
};

struct YosysNetlist {
    struct Gate {
        const YosysCell* cell;
        std::uint32_t instance;
        const YosysGateType* type;  ///< null for a look-up table
        std::uint32_t table;        ///< index into tables
        std::uint32_t first_input;  ///< index into gate_inputs
        std::uint32_t input_count;
        NetId output;
    };
    struct FlipFlop {
        const YosysCell* cell;
        std::uint32_t instance;
        YosysFlipFlopType type;
        NetId d, q;
        NetId clock = no_net, enable = no_net, set = no_net, reset = no_net, load = no_net,
              load_data = no_net;
    };
    struct Port {
        const YosysPort* port;
        std::vector<NetId> nets;
    };
    struct Driver {
        enum class Kind : std::uint8_t { none, constant, input, gate, flip_flop };
        Kind kind = Kind::none;
        std::uint32_t index = 0;  ///< of the gate, flip-flop or port
    };
    struct Instance {
        const YosysModule* module;
        const YosysCell* cell;  ///< in the parent; null for the top
        std::uint32_t parent;
        NetId first_net;
    };
    /// Where a net got the name that messages and registers use.
    struct NameReference {
        std::uint32_t instance = no_net;
        std::uint32_t name = 0;
        std::uint32_t bit = 0;
    };

    const YosysModule* top = nullptr;
    std::vector<Port> ports;
    std::vector<Gate> gates;
    std::vector<NetId> gate_inputs;
    std::vector<std::vector<std::uint64_t>> tables;
    std::vector<FlipFlop> flip_flops;
    std::vector<Instance> instances;
    std::vector<Driver> drivers;       ///< by net
    std::vector<NameReference> names;  ///< by net
    std::vector<std::int8_t> initial;  ///< by net: 0, 1, or -1 if not given

    [[nodiscard]] std::string path(std::uint32_t instance, std::string_view name) const;
    [[nodiscard]] std::string net_name(NetId net) const;
    [[nodiscard]] std::string cell_name(const YosysCell& cell, std::uint32_t instance) const;
};

/// Flattens the module that is the top: the one with the attribute, else the only one that nothing
/// instantiates. Error(circuit) for unknown cells, double drivers, ports that do not fit, and a hierarchy
/// that contains itself.
[[nodiscard]] YosysNetlist flatten_yosys_modules(const std::vector<YosysModule>& modules,
                                                 const YosysReporter& reporter);

}  // namespace toroid::circuit
