// SPDX-License-Identifier: Apache-2.0
// Gate networks from circuits and back.
#include <algorithm>
#include <utility>

#include "circuit/affine_normal_form.hpp"
#include "circuit/circuit_builder.hpp"
#include "compiler/optimize/circuit_import.hpp"
#include "compiler/optimize/gate_network.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

using circuit::Literal;

class Importer {
 public:
    explicit Importer(const circuit::Circuit& circuit)
        : circuit_(circuit), network_(leaf_count(circuit)), edges_(circuit.signal_count) {}

    GateNetwork run() {
        import_circuit(circuit_, network_, edges_,
                       [this](const base::GateRecord& gate) { return gate_edge(gate); });
        return std::move(network_);
    }

 private:
    Edge gate_edge(const base::GateRecord& gate) {
        const auto x = gate.term_a(circuit_.operands);
        if (gate.form != base::GateForm::pair) return sign(x, gate.offset_a);
        const auto y = gate.term_b(circuit_.operands);
        const int post = circuit::reduce_eighths(gate.post_offset);
        if (post == 1 && gate.offset_a == -1 && gate.offset_b == -1 && x.size() == 2 && y.size() == 2) {
            for (std::size_t i = 0; i < 2; ++i) {
                for (std::size_t j = 0; j < 2; ++j) {
                    if (x[i].index != y[j].index || x[i].weight != -y[j].weight || x[i].weight % 2 == 0)
                        continue;
                    const auto edge = [&](base::Operand operand) {
                        return edges_[operand.index] ^ (operand.weight < 0);
                    };
                    return network_.multiplexer(edge(x[i]), edge(x[1 - i]), edge(y[1 - j]));
                }
            }
        }
        const Edge a = sign(x, gate.offset_a);
        const Edge b = sign(y, gate.offset_b);
        switch (post) {
            case 1:  // not both are 1
                return network_.gate({}, {a, b}, false);
            case -1:  // not both are 0
                return network_.gate({}, {a, b}, true);
            case 3:  // both are 0
                return Edge::constant(true);
            case -3:
                return Edge::constant(false);
            default:
                throw Error(ErrorKind::circuit, "a pair whose sum is never +-1/8");
        }
    }

    Edge sign(std::span<const base::Operand> operands, int offset) {
        circuit::AffineTerm term{{operands.begin(), operands.end()}, offset};
        const circuit::SignReduction reduction = circuit::canonicalise_sign(term);
        if (reduction.kind == circuit::SignKind::invalid)
            throw Error(ErrorKind::circuit, "the optimiser meets a gate whose phase may be 0 or 1/2");
        if (reduction.kind == circuit::SignKind::constant) return Edge::constant(reduction.negated);
        if (reduction.kind == circuit::SignKind::literal)
            return edges_[term.operands.front().index] ^ reduction.negated;
        std::vector<Edge> light;
        std::vector<Edge> heavy;
        for (const base::Operand& operand : term.operands) {
            if (operand.weight == 2) {
                heavy.push_back(edges_[operand.index]);
            } else {
                light.push_back(edges_[operand.index] ^ (operand.weight < 0));
            }
        }
        const int lights = static_cast<int>(light.size());
        const int heavies = static_cast<int>(heavy.size());
        const int natural = light.empty() ? 2 * (heavies - 1) : lights + 2 * heavies - 3;
        const int difference = circuit::reduce_eighths(term.offset - natural);
        if (difference % 4 != 0) heavy.insert(heavy.end(), light.begin(), light.end());
        const bool negated = difference == 4 || difference == -2;
        return network_.gate(std::move(light), std::move(heavy), negated) ^ reduction.negated;
    }

    const circuit::Circuit& circuit_;
    GateNetwork network_;
    std::vector<Edge> edges_;
};

class Exporter {
 public:
    Exporter(const GateNetwork& network, const circuit::Circuit& original)
        : network_(network),
          original_(original),
          builder_(original.name),
          literals_(network.nodes.size(), Literal::constant(false)) {}

    circuit::Circuit run() {
        std::uint32_t leaf = 0;
        for (const circuit::InputPort& port : original_.inputs) {
            const auto width = static_cast<std::uint32_t>(port.signals.size());
            for (const Literal bit : builder_.add_input(port.name, width, port.is_signed))
                literals_[network_.leaf(leaf++).node()] = bit;
        }
        std::vector<Literal> registers;
        for (const circuit::Register& item : original_.registers) {
            registers.push_back(builder_.add_register(item.name, item.init));
            literals_[network_.leaf(leaf++).node()] = registers.back();
        }
        for (const std::uint32_t index : topological_nodes(network_)) {
            const GateNetwork::Node& node = network_.nodes[index];
            if (node.kind == GateNetwork::Kind::gate) literals_[index] = gate(node);
            if (node.kind == GateNetwork::Kind::multiplexer) literals_[index] = multiplexer(node);
        }
        std::size_t root = 0;
        for (const circuit::OutputPort& port : original_.outputs) {
            std::vector<Literal> bits;
            for (std::size_t i = 0; i < port.bits.size(); ++i) bits.push_back(mapped(network_.roots[root++]));
            builder_.add_output(port.name, std::move(bits), port.is_signed);
        }
        for (const Literal item : registers) builder_.set_next(item, mapped(network_.roots[root++]));
        return builder_.finish();
    }

 private:
    [[nodiscard]] Literal mapped(Edge edge) const {
        const Literal literal = literals_[edge.node()];
        return edge.negated() ? !literal : literal;
    }

    Literal multiplexer(const GateNetwork::Node& node) {
        const Literal out =
            builder_.mux(literals_[node.light[0]], mapped(Edge(node.light[1], node.negated_if_one)),
                         mapped(Edge(node.light[2], node.negated_if_zero)));
        return node.constant ? !out : out;
    }

    /// With S the negated ones of A: E2 of A so signed is E2(A) ^ parity(S) ^ ... if |S| is even, and
    /// E2(A) ^ parity(A without S) ^ ... if it is odd; 2/8 more in the offset adds parity(A). That reaches
    /// any part of A that L may hold; c comes out by the value at all zeros.
    Literal gate(const GateNetwork::Node& node) {
        std::vector<std::uint32_t> inner;
        std::vector<std::uint32_t> outer;
        for (const std::uint32_t member : node.heavy) {
            (std::ranges::binary_search(node.light, member) ? inner : outer).push_back(member);
        }
        const std::size_t lights = node.light.size();
        const bool is_odd = inner.size() % 2 != 0;
        const bool complement = is_odd;  // S = A without inner
        const bool with_parity =
            is_odd && lights % 2 != 0;  // |A without inner| is even: T = S, so add parity(A)
        std::vector<circuit::WeightedLiteral> operands;
        int zero_phase = 0;
        for (const std::uint32_t member : node.light) {
            const bool in_s = std::ranges::binary_search(inner, member) != complement;
            operands.push_back({literals_[member], in_s ? -1 : 1});
            zero_phase += in_s ? 1 : -1;
        }
        for (const std::uint32_t member : outer) {
            operands.push_back({literals_[member], 2});
            zero_phase -= 2;
        }
        const int heavies = static_cast<int>(outer.size());
        int offset = lights == 0 ? 2 * (heavies - 1) : static_cast<int>(lights) + 2 * heavies - 3;
        if (with_parity) offset += 2;
        // affine() counts in wires; an all-zero input here is one in the plain nodes, which literals may
        // negate.
        const bool at_zero = circuit::sign_bit(zero_phase + offset);
        const Literal out = builder_.affine(operands, circuit::reduce_eighths(offset));
        return at_zero != node.constant ? !out : out;
    }

    const GateNetwork& network_;
    const circuit::Circuit& original_;
    circuit::CircuitBuilder builder_;
    std::vector<Literal> literals_;
};

}  // namespace

GateNetwork to_gate_network(const circuit::Circuit& circuit) {
    return Importer(circuit).run();
}

circuit::Circuit to_circuit(const GateNetwork& network, const circuit::Circuit& original) {
    return Exporter(network, original).run();
}

}  // namespace toroid::compiler
