// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "circuit/circuit_builder.hpp"
#include "circuit/netlist_text.hpp"
#include "circuit/topological_order.hpp"

namespace toroid::circuit {

enum class LogicKind : std::uint8_t {
    cover,  ///< rows of 0, 1, - as in BLIF
    constant_0,
    constant_1,
    copy,
    inversion,
    conjunction,
    nand,
    disjunction,
    nor,
    exclusive_or,
    xnor,
    mux,  ///< pins a b s: s ? b : a
    nmux,
    andnot,  ///< a and not b
    ornot,
    aoi21,  ///< not (a b or c)
    oai21,  ///< not ((a or b) c)
    aoi22,
    oai22,
};

class CoverSynthesis;

/// A netlist of named nets as text formats have it (BLIF, .bench): nodes in any order, each driving one net.
/// Checks for double drivers, loops and undriven nets, and builds the circuit.
class NetGraph {
 public:
    using NetId = std::uint32_t;

    explicit NetGraph(const NetlistText& text) : text_(text) {}

    NetId add_net(std::string name);
    [[nodiscard]] const std::string& net_name(NetId net) const { return nets_[net].name; }
    [[nodiscard]] std::size_t net_count() const { return nets_.size(); }
    /// An undriven net with this value and without a warning ($true, $undef, clocks).
    void set_default(NetId net, bool value);

    void add_input(NetId net, std::uint32_t line);
    void add_output(NetId net, std::uint32_t line);
    void add_logic(LogicKind kind, std::span<const NetId> inputs, NetId output, std::uint32_t line);
    /// Rows hold one character an input; the function is the or of the rows, negated for an OFF-set.
    void add_cover(std::span<const NetId> inputs, NetId output, std::vector<std::string_view> rows,
                   bool off_set, std::uint32_t line);
    void add_storage(NetId input, NetId output, bool init, std::uint32_t line);
    /// A clock must be an input that nothing else reads, and there may be one clock and edge only: a step of
    /// the circuit is one cycle of it, so that it is no input of the circuit any more.
    void add_clock(NetId net, std::string_view edge, NetId storage, std::uint32_t line);

    /// Scalars a[0] .. a[n-1] (n > 1, complete) become one port a; ports come in the order of their first
    /// bit.
    [[nodiscard]] Circuit build(const std::string& name) const;

 private:
    enum class DriverKind : std::uint8_t { none, input, logic, storage };
    struct Net {
        std::string name;
        DriverKind driver = DriverKind::none;
        bool has_default = false;
        bool default_value = false;
        std::uint32_t index = 0;
        std::uint32_t line = 0;
    };
    struct Logic {
        LogicKind kind;
        bool off_set;
        std::uint32_t line;
        NetId output;
        std::uint32_t first_pin;
        std::uint32_t pins;
        std::uint32_t rows;  ///< index into rows_, for covers
    };
    struct Storage {
        NetId input;
        NetId output;
        bool init;
        std::uint32_t line;
    };
    struct Clock {
        NetId net;
        std::string_view edge;
        NetId storage;
        std::uint32_t line;
    };
    struct Place {
        NetId net;
        std::uint32_t line;
    };

    void drive(NetId net, DriverKind kind, std::uint32_t index, std::uint32_t line);
    void check_clocks() const;
    void check_driven() const;
    [[nodiscard]] std::vector<std::uint32_t> sorted_logic() const;
    [[nodiscard]] Literal build_logic(CircuitBuilder& builder, CoverSynthesis& covers, const Logic& logic,
                                      std::span<const Literal> pins) const;

    const NetlistText& text_;
    std::vector<Net> nets_;
    std::vector<Place> inputs_;
    std::vector<Place> outputs_;
    std::vector<Logic> logic_;
    std::vector<NetId> pins_;
    std::vector<std::vector<std::string_view>> rows_;
    std::vector<Storage> storage_;
    std::vector<Clock> clocks_;
};

/// One port made of nets.
struct PortGroup {
    std::string name;
    std::vector<std::uint32_t> members;  ///< positions in the list of names, bit 0 first
};
/// Groups names as NetGraph::build says. A base name that is also a name of its own is left ungrouped.
[[nodiscard]] std::vector<PortGroup> group_ports(const std::vector<std::string>& names);

/// Builds covers: rows of one character (0, 1, -) an input, whose or is the function, negated for an OFF-set.
class CoverSynthesis {
 public:
    explicit CoverSynthesis(CircuitBuilder& builder) : builder_(builder) {}
    /// One AND, a table or a sum of products in balanced trees, whichever is cheaper.
    Literal build(std::span<const Literal> inputs, std::span<const std::string_view> rows, bool off_set);

 private:
    std::uint64_t table_cost(const std::vector<std::uint64_t>& table, std::size_t inputs);

    CircuitBuilder& builder_;
    std::unordered_map<std::string, std::uint64_t> table_costs_;
};

}  // namespace toroid::circuit
