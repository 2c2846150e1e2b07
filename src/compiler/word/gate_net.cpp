// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/gate_net.hpp"

#include <algorithm>

#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::size_t largest_size = 0x7fffffff;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 29;
}

Literal literal_of(const base::Operand& operand) {
    return {operand.index, operand.weight < 0};
}

}  // namespace

GateNet::GateNet(int weight_limit) : weight_limit_(weight_limit), buckets_(1 << 12, 0) {}

Literal GateNet::add_input() {
    gates_.emplace_back();
    return {static_cast<std::uint32_t>(gates_.size() - 1), false};
}

std::uint64_t GateNet::hash(Kind kind, int offset, std::span<const base::Operand> operands) {
    std::uint64_t out = mix(static_cast<std::uint64_t>(kind) << 8 | static_cast<std::uint8_t>(offset), 1);
    for (const base::Operand& operand : operands)
        out = mix(out,
                  static_cast<std::uint64_t>(operand.index) << 8 | static_cast<std::uint8_t>(operand.weight));
    return out;
}

void GateNet::grow_buckets() {
    buckets_.assign(2 * buckets_.size(), 0);
    for (std::uint32_t signal = 1; signal < gates_.size(); ++signal) {
        const Gate& gate = gates_[signal];
        if (gate.kind == Kind::source) continue;
        std::size_t at = hash(gate.kind, gate.offset, operands(signal)) & (buckets_.size() - 1);
        while (buckets_[at] != 0) at = (at + 1) & (buckets_.size() - 1);
        buckets_[at] = signal;
    }
}

/// Where this gate is, or where it would be put.
std::size_t GateNet::bucket_of(Kind kind, int offset, std::span<const base::Operand> operands) const {
    std::size_t at = hash(kind, offset, operands) & (buckets_.size() - 1);
    for (; buckets_[at] != 0; at = (at + 1) & (buckets_.size() - 1)) {
        const Gate& other = gates_[buckets_[at]];
        if (other.kind == kind && other.offset == offset &&
            std::ranges::equal(this->operands(buckets_[at]), operands)) {
            break;
        }
    }
    return at;
}

std::uint32_t GateNet::intern(Kind kind, int offset, std::span<const base::Operand> operands) {
    if (2 * gates_.size() >= buckets_.size()) grow_buckets();
    const std::size_t at = bucket_of(kind, offset, operands);
    if (buckets_[at] != 0) return buckets_[at];
    if (gates_.size() > largest_size || operands_.size() + operands.size() > 0xffffffff)
        throw Error(ErrorKind::circuit, "the program needs more than 2^31 gates");
    const auto signal = static_cast<std::uint32_t>(gates_.size());
    Gate gate;
    gate.first_operand = static_cast<std::uint32_t>(operands_.size());
    gate.operand_count = static_cast<std::uint32_t>(operands.size());
    gate.origin = origin_;
    gate.kind = kind;
    gate.offset = static_cast<std::int8_t>(offset);
    for (const base::Operand& operand : operands)
        gate.level = std::max(gate.level, gates_[operand.index].level + 1);
    operands_.insert(operands_.end(), operands.begin(), operands.end());
    gates_.push_back(gate);
    buckets_[at] = signal;
    return signal;
}

void GateNet::roll_back(std::size_t first) {
    // Taken out last in, first out, the buckets are as they were before.
    while (gates_.size() > first) {
        const auto signal = static_cast<std::uint32_t>(gates_.size() - 1);
        const Gate& gate = gates_[signal];
        if (gate.kind != Kind::source) {
            buckets_[bucket_of(gate.kind, gate.offset, operands(signal))] = 0;
            operands_.resize(gate.first_operand);
        }
        gates_.pop_back();
    }
}

Literal GateNet::sign_of_scratch() {
    const circuit::SignReduction reduction = circuit::canonicalise_sign(scratch_);
    switch (reduction.kind) {
        case circuit::SignKind::constant:
            return Literal::constant(reduction.negated);
        case circuit::SignKind::literal:
            return {scratch_.operands.front().index, reduction.negated};
        case circuit::SignKind::gate:
            return {intern(Kind::sign, scratch_.offset, scratch_.operands), reduction.negated};
        case circuit::SignKind::invalid:
            break;
    }
    throw Error(ErrorKind::internal, "a generated gate whose phase can be 0 or 1/2");
}

Literal GateNet::sign(std::initializer_list<circuit::WeightedLiteral> operands, int offset) {
    return sign(std::span(operands.begin(), operands.size()), offset);
}

Literal GateNet::sign(std::span<const circuit::WeightedLiteral> operands, int offset) {
    scratch_.operands.clear();
    scratch_.offset = offset;
    for (const auto& [literal, weight] : operands)
        scratch_.operands.push_back({literal.signal(), literal.negated() ? -weight : weight});
    return sign_of_scratch();
}

Literal GateNet::e2_gate(std::span<const Literal> light, std::span<const Literal> heavy) {
    scratch_.operands.clear();
    for (const Literal literal : light)
        scratch_.operands.push_back({literal.signal(), literal.negated() ? -1 : 1});
    for (const Literal literal : heavy)
        scratch_.operands.push_back({literal.signal(), literal.negated() ? -2 : 2});
    const auto a = static_cast<std::int64_t>(light.size());
    const auto l = static_cast<std::int64_t>(heavy.size());
    scratch_.offset = circuit::reduce_eighths(a != 0 ? a + 2 * l - 3 : 2 * (l - 1));
    return sign_of_scratch();
}

Literal GateNet::mux(Literal select, Literal if_one, Literal if_zero) {
    if (select.negated()) {
        select = !select;
        std::swap(if_one, if_zero);
    }
    if (select.is_constant()) return if_zero;
    if (if_one == if_zero) return if_one;
    if (if_one == !if_zero) return xor_gate(select, if_zero);
    // Under the select, an arm that is the select itself is a constant.
    if (if_one.signal() == select.signal()) if_one = Literal::constant(!if_one.negated());
    if (if_zero.signal() == select.signal()) if_zero = Literal::constant(if_zero.negated());
    if (if_one.is_constant() && if_zero.is_constant())
        return if_one == if_zero ? if_one : if_one.negated() ? select : !select;
    if (if_one.is_constant()) return if_one.negated() ? or_gate(select, if_zero) : and_gate(!select, if_zero);
    if (if_zero.is_constant()) return if_zero.negated() ? or_gate(!select, if_one) : and_gate(select, if_one);
    const bool negated = if_one.negated();
    const base::Operand operands[] = {{select.signal(), 1},
                                      {if_one.signal(), 1},
                                      {if_zero.signal(), if_zero.negated() != negated ? -1 : 1}};
    return {intern(Kind::mux, 0, operands), negated};
}

int GateNet::bootstraps(std::uint32_t signal) const {
    return gates_[signal].kind == Kind::source ? 0 : gates_[signal].kind == Kind::mux ? 2 : 1;
}

std::uint64_t GateNet::cost(std::span<const Literal> outputs, std::size_t first) const {
    std::vector<bool> seen(gates_.size() > first ? gates_.size() - first : 0, false);
    std::vector<std::uint32_t> open;
    const auto visit = [&](std::uint32_t signal) {
        if (signal < first || seen[signal - first]) return;
        seen[signal - first] = true;
        open.push_back(signal);
    };
    for (const Literal output : outputs) visit(output.signal());
    std::uint64_t out = 0;
    while (!open.empty()) {
        const std::uint32_t signal = open.back();
        open.pop_back();
        out += static_cast<std::uint64_t>(bootstraps(signal));
        for (const base::Operand& operand : operands(signal)) visit(operand.index);
    }
    return out;
}

std::vector<std::uint32_t> GateNet::live_gates(std::span<const Literal> outputs) const {
    std::vector<std::uint32_t> order;
    std::vector<std::uint8_t> state(gates_.size(), 0);  // 1: operands are being visited, 2: in the order
    std::vector<std::uint32_t> open;
    for (const Literal output : outputs) {
        open.push_back(output.signal());
        while (!open.empty()) {
            const std::uint32_t signal = open.back();
            if (state[signal] != 0) {
                open.pop_back();
                if (state[signal] == 1 && gates_[signal].kind != Kind::source) order.push_back(signal);
                state[signal] = 2;
                continue;
            }
            state[signal] = 1;
            for (const base::Operand& operand : operands(signal)) {
                if (state[operand.index] == 0) open.push_back(operand.index);
            }
        }
    }
    return order;
}

int GateNet::weight_norm(std::uint32_t signal) const {
    const Gate& gate = gates_[signal];
    if (gate.kind == Kind::mux) {
        int data = 0;
        for (std::size_t i = 1; i < 3; ++i) data = std::max(data, variance(literal_of(operands(signal)[i])));
        return variance(literal_of(operands(signal)[0])) + data;
    }
    int sum = 0;
    bool parity = true;
    for (const base::Operand& operand : operands(signal)) {
        sum += operand.weight * operand.weight * variance(literal_of(operand));
        parity = parity && operand.weight % 2 == 0;
    }
    return parity ? sum / 4 : sum;
}

/// The MUX with the other arms of this one, 0 if there is none: a compare and swap, whose halves share gates.
std::uint32_t GateNet::swapped_mux(std::uint32_t signal) const {
    const auto all = operands(signal);
    const base::Operand swapped[] = {all[0], {all[2].index, 1}, {all[1].index, all[2].weight}};
    return buckets_[bucket_of(Kind::mux, 0, swapped)];
}

void GateNet::replace_mux(std::uint32_t signal) {
    const Literal select = literal_of(operands(signal)[0]);
    const Literal if_one = literal_of(operands(signal)[1]);
    const Literal if_zero = literal_of(operands(signal)[2]);
    set_origin(gates_[signal].origin);
    const Literal difference = xor_gate(if_one, if_zero);
    // The gate itself becomes the last one: if_zero ^ (select & difference).
    scratch_.operands.clear();
    if (weight_limit_ >= 6) {
        scratch_.operands = {{select.signal(), 1},
                             {difference.signal(), difference.negated() ? -1 : 1},
                             {if_zero.signal(), if_zero.negated() ? -2 : 2}};
        scratch_.offset = 1;
    } else {
        const Literal change = and_gate(select, difference);
        scratch_.operands = {{change.signal(), change.negated() ? -2 : 2},
                             {if_zero.signal(), if_zero.negated() ? -2 : 2}};
        scratch_.offset = 2;
    }
    Gate& gate = gates_[signal];
    gate.kind = Kind::sign;
    gate.offset = static_cast<std::int8_t>(scratch_.offset);
    gate.first_operand = static_cast<std::uint32_t>(operands_.size());
    gate.operand_count = static_cast<std::uint32_t>(scratch_.operands.size());
    operands_.insert(operands_.end(), scratch_.operands.begin(), scratch_.operands.end());
}

void GateNet::settle_noise(std::span<const Literal> outputs) {
    // Readers first: a MUX that stays may need less of what it reads than one that is replaced.
    std::vector<std::uint32_t> order = live_gates(outputs);
    while (!order.empty()) {
        const std::size_t first_new = gates_.size();
        for (auto signal = order.rbegin(); signal != order.rend(); ++signal) {
            while (weight_norm(*signal) > weight_limit_) {
                // The heaviest MUX among the operands, the latest one of equals.
                std::uint32_t worst = 0;
                int most = 0;
                for (const base::Operand& operand : operands(*signal)) {
                    if (gates_[operand.index].kind != Kind::mux) continue;
                    const int weight = operand.weight * operand.weight;
                    if (weight > most || (weight == most && operand.index > worst)) {
                        most = weight;
                        worst = operand.index;
                    }
                }
                if (worst == 0) throw Error(ErrorKind::internal, "a generated gate above the weight limit");
                const std::uint32_t swapped = swapped_mux(worst);
                replace_mux(worst);
                if (swapped != 0) replace_mux(swapped);
            }
        }
        // The gates just made, and those of the old order that became heavier, are read again.
        std::vector<std::uint32_t> next;
        for (auto signal = first_new; signal < gates_.size(); ++signal)
            next.push_back(static_cast<std::uint32_t>(signal));
        for (const std::uint32_t signal : order) {
            if (weight_norm(signal) > weight_limit_) next.push_back(signal);
        }
        order = std::move(next);
    }
}

Literal GateNet::emit(std::uint32_t signal, std::span<const Literal> made,
                      circuit::CircuitBuilder& builder) const {
    const auto made_of = [&](const base::Operand& operand) {
        const Literal literal = made[operand.index];
        return operand.weight < 0 ? !literal : literal;
    };
    const auto all = operands(signal);
    if (gates_[signal].kind == Kind::mux)
        return builder.mux(made_of(all[0]), made_of(all[1]), made_of(all[2]));
    std::vector<circuit::WeightedLiteral> operands;
    for (const base::Operand& operand : all) operands.push_back({made[operand.index], operand.weight});
    return builder.affine(operands, gates_[signal].offset);
}

}  // namespace toroid::compiler
