// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "circuit/affine_normal_form.hpp"
#include "circuit/circuit_builder.hpp"

namespace toroid::compiler {

using circuit::Literal;

/// Gates in the making: hash-consed and simplified like a CircuitBuilder's, but each wire knows its level and
/// its noise, so that the word-level generators can choose by arrival time, and gates may still change.
class GateNet {
 public:
    explicit GateNet(int weight_limit);

    [[nodiscard]] int weight_limit() const { return weight_limit_; }
    /// Gates to come are charged to this origin.
    void set_origin(std::uint32_t origin) { origin_ = origin; }

    Literal add_input();
    Literal and_gate(Literal a, Literal b) { return sign({{a, 1}, {b, 1}}, -1); }
    Literal or_gate(Literal a, Literal b) { return sign({{a, 1}, {b, 1}}, 1); }
    Literal xor_gate(Literal a, Literal b) { return sign({{a, 2}, {b, 2}}, 2); }
    Literal xor_gate(Literal a, Literal b, Literal c) { return sign({{a, 2}, {b, 2}, {c, 2}}, 4); }
    Literal majority(Literal a, Literal b, Literal c) { return sign({{a, 1}, {b, 1}, {c, 1}}, 0); }
    /// Whether not all three are equal.
    Literal not_all_equal(Literal a, Literal b, Literal c) { return sign({{a, 1}, {b, 1}, {c, 1}}, 2); }
    /// c ^ (a & b); weight norm 6.
    Literal and_xor(Literal c, Literal a, Literal b) { return sign({{a, 1}, {b, 1}, {c, 2}}, 1); }
    /// E2(light) xor parity(heavy), the gate family of one bootstrap.
    Literal e2_gate(std::span<const Literal> light, std::span<const Literal> heavy);
    /// select ? if_one : if_zero by two bootstraps.
    Literal mux(Literal select, Literal if_one, Literal if_zero);
    /// sign(sum weight x + offset/8), simplified; the caller knows that no phase is 0 or 1/2.
    Literal sign(std::initializer_list<circuit::WeightedLiteral> operands, int offset);
    Literal sign(std::span<const circuit::WeightedLiteral> operands, int offset);

    [[nodiscard]] std::uint32_t level(Literal a) const { return gates_[a.signal()].level; }
    [[nodiscard]] int variance(Literal a) const { return gates_[a.signal()].kind == Kind::mux ? 2 : 1; }
    [[nodiscard]] std::size_t size() const { return gates_.size(); }
    /// Takes back all signals not older than `first`; nothing may refer to them any more.
    void roll_back(std::size_t first);
    /// Bootstraps behind `outputs` of signals not older than `first`.
    [[nodiscard]] std::uint64_t cost(std::span<const Literal> outputs, std::size_t first) const;

    /// Rewrites each MUX whose noise is too much for one of its readers as gates of one bootstrap.
    void settle_noise(std::span<const Literal> outputs);

    /// The signals that `outputs` need in topological order, inputs and the constant left out.
    [[nodiscard]] std::vector<std::uint32_t> live_gates(std::span<const Literal> outputs) const;
    [[nodiscard]] std::uint32_t origin(std::uint32_t signal) const { return gates_[signal].origin; }
    [[nodiscard]] int bootstraps(std::uint32_t signal) const;
    /// Makes the gate in a builder; `made` maps this net's signals to the builder's literals.
    [[nodiscard]] Literal emit(std::uint32_t signal, std::span<const Literal> made,
                               circuit::CircuitBuilder& builder) const;

 private:
    enum class Kind : std::uint8_t { source, sign, mux };
    struct Gate {
        std::uint32_t first_operand = 0;
        std::uint32_t operand_count = 0;
        std::uint32_t level = 0;
        std::uint32_t origin = 0;
        Kind kind = Kind::source;
        std::int8_t offset = 0;
    };
    [[nodiscard]] std::span<const base::Operand> operands(std::uint32_t signal) const {
        return std::span(operands_).subspan(gates_[signal].first_operand, gates_[signal].operand_count);
    }
    [[nodiscard]] static std::uint64_t hash(Kind kind, int offset, std::span<const base::Operand> operands);
    [[nodiscard]] std::size_t bucket_of(Kind kind, int offset, std::span<const base::Operand> operands) const;
    std::uint32_t intern(Kind kind, int offset, std::span<const base::Operand> operands);
    void grow_buckets();
    Literal sign_of_scratch();
    [[nodiscard]] int weight_norm(std::uint32_t signal) const;
    void replace_mux(std::uint32_t signal);
    [[nodiscard]] std::uint32_t swapped_mux(std::uint32_t signal) const;

    int weight_limit_;
    std::uint32_t origin_ = 0;
    std::vector<Gate> gates_{1};  ///< by signal; signal 0 is the constant
    std::vector<base::Operand> operands_;
    std::vector<std::uint32_t> buckets_;  ///< open addressing, signals
    circuit::AffineTerm scratch_;
};

}  // namespace toroid::compiler
