// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/word/gate_net.hpp"

namespace toroid::compiler {

/// Bits of weight 2^i in column i.
using Columns = std::vector<std::vector<Literal>>;

/// How columns are made shorter.
struct CompressionPlan {
    enum class Order : std::uint8_t {
        earliest,  ///< columns from the lowest up, each whole, the earliest bits first
        patient,   ///< the same, but two early bits do not wait for a late third
        rounds,    ///< all columns to the same height, then to the next lower one (Dadda)
    };
    Order order = Order::earliest;
    bool counters = false;  ///< 7:3 counters beside full adders; weight norm 7
    std::size_t rows = 1;   ///< bits left in a column: 1, or 2 for an adder to follow
};

/// The same sum modulo 2^columns with at most `rows` bits a column. With two rows the lowest column that has
/// more than one bit may keep a third: the adder's carry in.
[[nodiscard]] Columns compress(GateNet& net, Columns columns, const CompressionPlan& plan);

}  // namespace toroid::compiler
