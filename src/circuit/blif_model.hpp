// SPDX-License-Identifier: Apache-2.0
// A BLIF file as it stands: models with local nets, not yet flattened. Berkeley Logic Interchange Format
// (BLIF), University of California, Berkeley, 1992, with the dialects of ABC and Yosys.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "circuit/net_graph.hpp"
#include "circuit/netlist_text.hpp"

namespace toroid::circuit {

/// Views point into the text of the file.
struct BlifModel {
    using NetId = std::uint32_t;
    struct Port {
        NetId net;
        std::uint32_t line;
    };
    struct Logic {
        LogicKind kind;
        std::vector<NetId> inputs;
        NetId output;
        std::vector<std::string_view> rows;
        bool off_set = false;
        std::uint32_t line;
    };
    struct Latch {
        NetId input;
        NetId output;
        std::string_view edge;  ///< re, fe or nothing
        NetId clock;            ///< or no_node
        bool init;
        std::uint32_t line;
    };
    struct Instance {
        std::string_view model;
        std::vector<std::pair<std::string_view, NetId>> pins;  ///< formal, actual
        std::uint32_t line;
    };

    std::string_view name;
    std::uint32_t line = 0;
    bool is_black_box = false;
    std::vector<std::string_view> nets;
    std::unordered_map<std::string_view, NetId> net_ids;
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    std::vector<NetId> clocks;
    std::vector<Logic> logic;
    std::vector<Latch> latches;
    std::vector<Instance> instances;

    NetId net(std::string_view net_name) {
        const auto [entry, is_new] = net_ids.try_emplace(net_name, static_cast<NetId>(nets.size()));
        if (is_new) nets.push_back(net_name);
        return entry->second;
    }
};

[[nodiscard]] std::vector<BlifModel> parse_blif(NetlistText& text);

/// A library gate known by its name: AND2, nand3x1, INV, $_ANDNOT_, AOI21, MUX, ... Pins are taken in
/// alphabetical order; the output pin is Y, O, Z, Q, X, OUT, F or ZN.
struct LibraryGate {
    LogicKind kind;
    std::size_t inputs;
};
[[nodiscard]] std::optional<LibraryGate> find_library_gate(std::string_view name, std::size_t input_pins);
[[nodiscard]] bool is_output_pin(std::string_view pin);

}  // namespace toroid::circuit
