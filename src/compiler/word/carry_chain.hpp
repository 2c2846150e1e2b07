// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/word/gate_net.hpp"
#include "compiler/word/lower.hpp"

namespace toroid::compiler {

/// The carries of a + b + carry_in, c_(i+1) = MAJ(a_i, b_i, c_i). A group of positions is a pair of wires
/// (A, B) with carry out = MAJ(A, B, carry in): one position is (a_i, b_i), a group above another is
/// (MAJ(A, B, a), MAJ(A, B, b)), so that no generate and propagate gates are needed.
class CarryChain {
 public:
    CarryChain(GateNet& net, std::vector<Literal> a, std::vector<Literal> b, Literal carry_in);

    /// c_n. Size: one gate a position. Depth: the tree of least depth.
    Literal carry_out(Objective objective);
    /// The sum modulo 2^n. Depth: least depth for the arrival times of the operands, then few gates; where
    /// the weight limit allows it a_i ^ b_i ^ MAJ(A, B, c) is one gate. `change` is added (XOR) to every bit.
    std::vector<Literal> sum(Objective objective, Literal change = Literal::constant(false));

 private:
    struct Pair {
        Literal a;
        Literal b;
    };
    struct Group {
        std::uint32_t split = 0;  ///< the first position of the upper part
        std::uint32_t level = 0;
        bool planned = false;
        bool built = false;
        Pair pair;
    };
    struct Carry {
        std::uint32_t split = 0;     ///< the first position of the group above the carry read
        std::uint32_t required = 0;  ///< latest level that all readers can take
        bool needed = false;
        bool built = false;
        Literal literal;
    };
    [[nodiscard]] std::uint32_t leaf_level(std::uint32_t i) const;
    [[nodiscard]] std::size_t index(std::uint32_t i, std::uint32_t j) const { return i * count_ + j; }
    void find_levels();
    void plan_group(std::uint32_t i, std::uint32_t j, std::uint32_t time);
    [[nodiscard]] std::uint32_t group_cost(std::uint32_t i, std::uint32_t j, std::uint32_t time) const;
    void plan_carries();
    Pair group(std::uint32_t i, std::uint32_t j);
    Literal carry(std::uint32_t i);  ///< out of position i
    Literal sum_bit(std::uint32_t i, Literal carry);
    std::vector<Literal> ripple_sum();

    GateNet& net_;
    std::vector<Literal> a_;
    std::vector<Literal> b_;
    Literal carry_in_;
    Literal change_;
    std::uint32_t count_ = 0;
    bool exact_ = true;  ///< few enough positions to search all splits
    std::vector<std::uint32_t> fastest_group_;
    std::vector<std::uint32_t> fastest_carry_;
    std::vector<Group> groups_;
    std::vector<Carry> carries_;
};

}  // namespace toroid::compiler
