// SPDX-License-Identifier: Apache-2.0
#include "circuit/circuit_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>

#include "circuit/affine_normal_form.hpp"
#include "circuit/table_synthesis.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

constexpr std::uint32_t no_gate = 0xffffffff;
constexpr std::uint32_t largest_signal = 0x7fffffff;
constexpr std::size_t largest_fan_in = 0xffff;

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::circuit, message);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 29;
}

}  // namespace

struct CircuitBuilder::State {
    Circuit circuit;
    std::vector<std::uint32_t> gate_of_signal{no_gate};
    std::unordered_map<SignalId, std::size_t> register_of_signal;
    std::vector<bool> next_given;
    std::set<std::string, std::less<>> input_names;
    std::set<std::string, std::less<>> output_names;
    std::vector<std::uint32_t> buckets =
        std::vector<std::uint32_t>(1024, no_gate);  // open addressing, gate indices
    AffineTerm scratch;

    SignalId new_signal(std::uint32_t gate) {
        if (circuit.signal_count > largest_signal) fail("circuit has more than 2^31 signals");
        gate_of_signal.push_back(gate);
        return circuit.signal_count++;
    }
    void check(Literal literal) const {
        if (literal.signal() >= circuit.signal_count) {
            fail(fmt::format("circuit {}: signal {} does not exist yet", circuit.name, literal.signal()));
        }
    }
    [[nodiscard]] const base::GateRecord* form_of(SignalId signal) const {
        const std::uint32_t gate = gate_of_signal[signal];
        if (gate == no_gate || circuit.gates[gate].form != base::GateForm::linear) return nullptr;
        return &circuit.gates[gate];
    }

    [[nodiscard]] std::uint64_t hash(const base::GateRecord& gate,
                                     std::span<const base::Operand> operands) const {
        std::uint64_t out =
            mix(static_cast<std::uint64_t>(gate.form) << 32 | gate.operands_a,
                static_cast<std::uint64_t>(static_cast<std::uint8_t>(gate.offset_a)) << 16 |
                    static_cast<std::uint64_t>(static_cast<std::uint8_t>(gate.offset_b)) << 8 |
                    static_cast<std::uint8_t>(gate.post_offset));
        for (const base::Operand& operand : operands) {
            out = mix(out, static_cast<std::uint64_t>(operand.index) << 8 |
                               static_cast<std::uint8_t>(operand.weight));
        }
        return out;
    }
    [[nodiscard]] std::span<const base::Operand> operands_of(const base::GateRecord& gate) const {
        return std::span(circuit.operands).subspan(gate.first_operand, gate.operands_a + gate.operands_b);
    }
    void grow() {
        std::vector<std::uint32_t> old(buckets.size() * 2, no_gate);
        old.swap(buckets);
        for (const std::uint32_t index : old) {
            if (index == no_gate) continue;
            const base::GateRecord& gate = circuit.gates[index];
            std::size_t at = hash(gate, operands_of(gate)) & (buckets.size() - 1);
            while (buckets[at] != no_gate) at = (at + 1) & (buckets.size() - 1);
            buckets[at] = index;
        }
    }
    /// The signal of this gate, made now unless an equal one exists.
    SignalId intern(base::GateRecord gate, std::span<const base::Operand> operands) {
        if (2 * circuit.gates.size() >= buckets.size()) grow();
        std::size_t at = hash(gate, operands) & (buckets.size() - 1);
        for (; buckets[at] != no_gate; at = (at + 1) & (buckets.size() - 1)) {
            const base::GateRecord& other = circuit.gates[buckets[at]];
            if (other.form == gate.form && other.operands_a == gate.operands_a &&
                other.offset_a == gate.offset_a && other.offset_b == gate.offset_b &&
                other.post_offset == gate.post_offset && std::ranges::equal(operands_of(other), operands)) {
                return other.output;
            }
        }
        if (circuit.operands.size() + operands.size() > no_gate) fail("circuit has more than 2^32 operands");
        const auto index = static_cast<std::uint32_t>(circuit.gates.size());
        gate.output = new_signal(index);
        gate.first_operand = static_cast<std::uint32_t>(circuit.operands.size());
        circuit.operands.insert(circuit.operands.end(), operands.begin(), operands.end());
        circuit.gates.push_back(gate);
        buckets[at] = index;
        return gate.output;
    }
    SignalId intern_term(base::GateForm form, const AffineTerm& term) {
        if (term.operands.size() > largest_fan_in) {
            fail(fmt::format("circuit {}: a gate with {} operands (limit {})", circuit.name,
                             term.operands.size(), largest_fan_in));
        }
        base::GateRecord gate;
        gate.form = form;
        gate.operands_a = static_cast<std::uint16_t>(term.operands.size());
        gate.offset_a = static_cast<std::int8_t>(term.offset);
        return intern(gate, term.operands);
    }

    void push(Literal literal, int weight) {
        check(literal);
        scratch.operands.push_back({literal.signal(), literal.negated() ? -weight : weight});
    }
    /// Replaces forms in the scratch term by what they are made of. Readers have larger ids than what they
    /// read, so going down from the largest id merges every path before a form is opened.
    void expand_forms() {
        std::map<SignalId, std::int64_t, std::greater<>> weights;
        for (const base::Operand& operand : scratch.operands) weights[operand.index] += operand.weight;
        std::int64_t offset = scratch.offset;
        scratch.operands.clear();
        for (auto it = weights.begin(); it != weights.end(); it = weights.erase(it)) {
            const int weight = reduce_eighths(it->second);
            const base::GateRecord* form = form_of(it->first);
            if (form == nullptr) {
                scratch.operands.push_back({it->first, weight});
                continue;
            }
            offset += weight * form->offset_a;
            for (const base::Operand& inner : form->term_a(circuit.operands)) {
                weights[inner.index] += weight * inner.weight;
            }
        }
        scratch.offset = reduce_eighths(offset);
    }
    /// sign(scratch) as a literal.
    Literal sign_of_scratch() {
        SignReduction sign = canonicalise_sign(scratch);
        if (sign.kind == SignKind::invalid &&
            std::ranges::any_of(scratch.operands, [&](const base::Operand& operand) {
                return form_of(operand.index) != nullptr;
            })) {
            // As free operands the forms allow a phase that what they are made of may not.
            expand_forms();
            sign = canonicalise_sign(scratch);
        }
        switch (sign.kind) {
            case SignKind::constant:
                return Literal::constant(sign.negated);
            case SignKind::literal:
                return {scratch.operands.front().index, sign.negated};
            case SignKind::gate:
                return {intern_term(base::GateForm::bootstrap, scratch), sign.negated};
            case SignKind::invalid:
                break;
        }
        std::string terms;
        for (const base::Operand& operand : scratch.operands) {
            terms += fmt::format("{:+d}*s{} ", operand.weight, operand.index);
        }
        fail(fmt::format("circuit {}: the phase {}{:+d} eighths is 0 or 1/2 for some input", circuit.name,
                         terms, scratch.offset));
    }
    Literal sign(std::initializer_list<std::pair<Literal, int>> operands, int offset) {
        scratch.operands.clear();
        scratch.offset = offset;
        for (const auto& [literal, weight] : operands) push(literal, weight);
        return sign_of_scratch();
    }
    void load(std::span<const WeightedLiteral> operands, int offset) {
        scratch.operands.clear();
        scratch.offset = offset;
        for (const WeightedLiteral& operand : operands) push(operand.literal, reduce_eighths(operand.weight));
    }
};

CircuitBuilder::CircuitBuilder(std::string name) : state_(std::make_unique<State>()) {
    state_->circuit.name = std::move(name);
}
CircuitBuilder::~CircuitBuilder() = default;
CircuitBuilder::CircuitBuilder(CircuitBuilder&&) noexcept = default;
CircuitBuilder& CircuitBuilder::operator=(CircuitBuilder&&) noexcept = default;

std::vector<Literal> CircuitBuilder::add_input(const std::string& name, std::uint32_t width, bool is_signed) {
    if (width == 0) fail(fmt::format("input {} has no bits", name));
    if (!state_->input_names.insert(name).second) fail(fmt::format("two inputs are named {}", name));
    std::vector<Literal> out;
    InputPort port{name, is_signed, {}};
    for (std::uint32_t bit = 0; bit < width; ++bit) {
        port.signals.push_back(state_->new_signal(no_gate));
        out.emplace_back(port.signals.back(), false);
    }
    state_->circuit.inputs.push_back(std::move(port));
    return out;
}

void CircuitBuilder::add_output(const std::string& name, std::vector<Literal> bits, bool is_signed) {
    if (bits.empty()) fail(fmt::format("output {} has no bits", name));
    for (const Literal bit : bits) state_->check(bit);
    if (!state_->output_names.insert(name).second) fail(fmt::format("two outputs are named {}", name));
    state_->circuit.outputs.push_back({name, is_signed, std::move(bits)});
}

Literal CircuitBuilder::add_register(const std::string& name, bool init) {
    const SignalId output = state_->new_signal(no_gate);
    state_->register_of_signal.emplace(output, state_->circuit.registers.size());
    state_->circuit.registers.push_back({name, init, output, {}});
    state_->next_given.push_back(false);
    return {output, false};
}

void CircuitBuilder::set_next(Literal register_output, Literal next) {
    state_->check(next);
    const auto found = state_->register_of_signal.find(register_output.signal());
    if (found == state_->register_of_signal.end() || register_output.negated()) {
        fail(fmt::format("circuit {}: signal {} is not a register", state_->circuit.name,
                         register_output.signal()));
    }
    if (state_->next_given[found->second]) {
        fail(fmt::format("register {} is driven twice", state_->circuit.registers[found->second].name));
    }
    state_->next_given[found->second] = true;
    state_->circuit.registers[found->second].next = next;
}

Literal CircuitBuilder::and_gate(Literal a, Literal b) {
    return state_->sign({{a, 1}, {b, 1}}, -1);
}
Literal CircuitBuilder::or_gate(Literal a, Literal b) {
    return state_->sign({{a, 1}, {b, 1}}, 1);
}
Literal CircuitBuilder::xor_gate(Literal a, Literal b) {
    return state_->sign({{a, 2}, {b, 2}}, 2);
}
Literal CircuitBuilder::majority(Literal a, Literal b, Literal c) {
    return state_->sign({{a, 1}, {b, 1}, {c, 1}}, 0);
}

Literal CircuitBuilder::mux(Literal select, Literal if_true, Literal if_false) {
    for (const Literal literal : {select, if_true, if_false}) state_->check(literal);
    if (select.negated()) {
        select = !select;
        std::swap(if_true, if_false);
    }
    if (select == Literal::constant(false)) return if_false;
    if (if_true == if_false) return if_true;
    if (if_true == !if_false) return !xor_gate(select, if_true);
    // Under the select, an arm that is the select itself is a constant.
    if (if_true.signal() == select.signal()) if_true = Literal::constant(!if_true.negated());
    if (if_false.signal() == select.signal()) if_false = Literal::constant(if_false.negated());
    if (if_true.is_constant() && if_false.is_constant()) {
        if (if_true == if_false) return if_true;
        return if_true.negated() ? select : !select;
    }
    if (if_true.is_constant())
        return if_true.negated() ? or_gate(select, if_false) : and_gate(!select, if_false);
    if (if_false.is_constant())
        return if_false.negated() ? or_gate(!select, if_true) : and_gate(select, if_true);
    const bool negated = if_true.negated();
    if (negated) {
        if_true = !if_true;
        if_false = !if_false;
    }
    // and(select, if_true) + and(!select, if_false): at most one is 1, so the two signs and 1/8 add to +-1/8.
    base::GateRecord gate;
    gate.form = base::GateForm::pair;
    gate.operands_a = 2;
    gate.operands_b = 2;
    gate.offset_a = -1;
    gate.offset_b = -1;
    gate.post_offset = 1;
    const base::Operand operands[] = {{select.signal(), 1},
                                      {if_true.signal(), 1},
                                      {select.signal(), -1},
                                      {if_false.signal(), if_false.negated() ? -1 : 1}};
    return {state_->intern(gate, operands), negated};
}

Literal CircuitBuilder::xor_of(std::span<const Literal> inputs) {
    if (inputs.size() == 2) return xor_gate(inputs[0], inputs[1]);
    bool negated = false;
    std::vector<SignalId> signals;
    for (const Literal input : inputs) {
        state_->check(input);
        negated ^= input.negated();
        if (!input.is_constant()) signals.push_back(input.signal());
    }
    std::ranges::sort(signals);
    std::queue<Literal> open;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        if (i + 1 < signals.size() && signals[i] == signals[i + 1]) {
            ++i;
        } else {
            open.emplace(signals[i], false);
        }
    }
    if (open.empty()) return Literal::constant(negated);
    const auto take = [&] {
        const Literal out = open.front();
        open.pop();
        return out;
    };
    if (open.size() % 2 == 0) {
        const Literal a = take();
        open.push(xor_gate(a, take()));
    }
    while (open.size() > 1) {
        const Literal a = take();
        const Literal b = take();
        open.push(state_->sign({{a, 2}, {b, 2}, {take(), 2}}, 4));
    }
    return negated ? !open.front() : open.front();
}

Literal CircuitBuilder::and_of(std::span<const Literal> inputs) {
    if (inputs.size() == 2) return and_gate(inputs[0], inputs[1]);
    std::vector<Literal> sorted;
    for (const Literal input : inputs) {
        state_->check(input);
        if (input == Literal::constant(false)) return input;
        if (!input.is_constant()) sorted.push_back(input);
    }
    std::sort(sorted.begin(), sorted.end(), [](Literal a, Literal b) { return a.code() < b.code(); });
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::queue<Literal> open;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i != 0 && sorted[i] == !sorted[i - 1]) return Literal::constant(false);
        open.push(sorted[i]);
    }
    if (open.empty()) return Literal::constant(true);
    while (open.size() > 1) {
        const Literal a = open.front();
        open.pop();
        const Literal b = open.front();
        open.pop();
        open.push(and_gate(a, b));
    }
    return open.front();
}

Literal CircuitBuilder::or_of(std::span<const Literal> inputs) {
    if (inputs.size() == 2) return or_gate(inputs[0], inputs[1]);
    std::vector<Literal> negated;
    for (const Literal input : inputs) negated.push_back(!input);
    return !and_of(negated);
}

Literal CircuitBuilder::e2_gate(std::span<const Literal> light, std::span<const Literal> heavy) {
    state_->scratch.operands.clear();
    for (const Literal literal : light) state_->push(literal, 1);
    for (const Literal literal : heavy) state_->push(literal, 2);
    const auto a = static_cast<std::int64_t>(light.size());
    const auto l = static_cast<std::int64_t>(heavy.size());
    // No light input: parity(L). E2 of nothing is 0, but parity's own offset has twice the margin.
    state_->scratch.offset = reduce_eighths(a != 0 ? a + 2 * l - 3 : 2 * (l - 1));
    return state_->sign_of_scratch();
}

Literal CircuitBuilder::table(std::span<const Literal> inputs, std::span<const std::uint64_t> bits) {
    for (const Literal input : inputs) state_->check(input);
    return synthesise_table(*this, inputs, bits);
}

Literal CircuitBuilder::affine(std::span<const WeightedLiteral> operands, int offset_eighths) {
    state_->load(operands, reduce_eighths(offset_eighths));
    return state_->sign_of_scratch();
}

Literal CircuitBuilder::linear_form(std::span<const WeightedLiteral> operands, int offset_eighths) {
    state_->load(operands, reduce_eighths(offset_eighths));
    AffineTerm& term = state_->scratch;
    normalise(term);
    if (term.operands.size() == 1 && term.operands[0].weight != 2 && term.offset == 0) {
        return {term.operands[0].index, term.operands[0].weight < 0};
    }
    if (term.operands.empty() && (term.offset == 1 || term.offset == -1))
        return Literal::constant(term.offset == 1);
    if (term.operands.size() < 2) {
        fail(fmt::format("circuit {}: a linear form whose phase is not +-1/8", state_->circuit.name));
    }
    int heavy = 0;
    bool negated = false;
    for (const base::Operand& operand : term.operands) heavy += operand.weight == 2 ? 1 : 0;
    const auto light =
        std::ranges::find_if(term.operands, [](const auto& operand) { return operand.weight != 2; });
    if (light != term.operands.end() && light->weight < 0) {
        for (base::Operand& operand : term.operands) {
            if (operand.weight != 2) operand.weight = -operand.weight;
        }
        term.offset = reduce_eighths(-term.offset + 4 * (heavy % 2));
        negated = true;
    }
    return {state_->intern_term(base::GateForm::linear, term), negated};
}

Circuit CircuitBuilder::finish(std::vector<SignalId>* numbers) {
    State& state = *state_;
    Circuit& old = state.circuit;
    for (std::size_t i = 0; i < old.registers.size(); ++i) {
        if (!state.next_given[i]) fail(fmt::format("register {} has no next value", old.registers[i].name));
    }
    std::vector<bool> live(old.signal_count, false);
    for (const OutputPort& port : old.outputs) {
        for (const Literal bit : port.bits) live[bit.signal()] = true;
    }
    for (const Register& item : old.registers) live[item.next.signal()] = true;
    for (auto gate = old.gates.rbegin(); gate != old.gates.rend(); ++gate) {
        if (!live[gate->output]) continue;
        for (const base::Operand& operand : state.operands_of(*gate)) live[operand.index] = true;
    }
    std::vector<SignalId> number(old.signal_count, 0);
    Circuit out;
    for (SignalId signal = 1; signal < old.signal_count; ++signal) {
        const std::uint32_t index = state.gate_of_signal[signal];
        if (index == no_gate) {
            number[signal] = out.signal_count++;
            continue;
        }
        if (!live[signal]) continue;
        number[signal] = out.signal_count++;
        base::GateRecord gate = old.gates[index];
        gate.output = number[signal];
        gate.first_operand = static_cast<std::uint32_t>(out.operands.size());
        for (base::Operand operand : state.operands_of(old.gates[index])) {
            operand.index = number[operand.index];
            out.operands.push_back(operand);
        }
        out.gates.push_back(gate);
    }
    const auto renumber = [&](Literal literal) {
        return Literal(number[literal.signal()], literal.negated());
    };
    out.name = std::move(old.name);
    out.inputs = std::move(old.inputs);
    out.outputs = std::move(old.outputs);
    out.registers = std::move(old.registers);
    for (InputPort& port : out.inputs) {
        for (SignalId& signal : port.signals) signal = number[signal];
    }
    for (OutputPort& port : out.outputs) {
        for (Literal& bit : port.bits) bit = renumber(bit);
    }
    for (Register& item : out.registers) {
        item.output = number[item.output];
        item.next = renumber(item.next);
    }
    state_ = std::make_unique<State>();
    if (numbers != nullptr) *numbers = std::move(number);
    return out;
}

}  // namespace toroid::circuit
