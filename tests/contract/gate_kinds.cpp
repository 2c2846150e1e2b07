// SPDX-License-Identifier: Apache-2.0
#include "contract/gate_kinds.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace toroid::tests {
namespace {

using base::GateForm;

bool parity(const Bits& x, std::size_t first, std::size_t last) {
    bool result = false;
    for (std::size_t i = first; i < last; ++i) result = result != x[i];
    return result;
}

/// Exclusive or of all pairwise ANDs of the first `count` inputs.
bool pairs(const Bits& x, std::size_t count) {
    bool result = false;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < i; ++j) result = result != (x[i] && x[j]);
    }
    return result;
}

/// E2 of `light` inputs of weight 1 xor the parity of `heavy` inputs of weight 2.
GateKind family(const std::string& name, std::size_t light, std::size_t heavy) {
    std::vector<int> weights(light, 1);
    weights.insert(weights.end(), heavy, 2);
    const int sum = static_cast<int>(light + 2 * heavy);
    return {.name = name,
            .weights_a = weights,
            .offset_a = light > 0 ? sum - 3 : sum - 2,
            .weights_b = {},
            .truth = [light, heavy](const Bits& x) {
                return pairs(x, light) != parity(x, light, light + heavy);
            }};
}

GateKind affine(const std::string& name, std::vector<int> weights, int offset,
                std::function<bool(const Bits&)> truth) {
    return {.name = name,
            .weights_a = std::move(weights),
            .offset_a = offset,
            .weights_b = {},
            .truth = std::move(truth)};
}

GateKind linear(const std::string& name, std::vector<int> weights, int offset,
                std::function<bool(const Bits&)> truth) {
    GateKind kind = affine(name, std::move(weights), offset, std::move(truth));
    kind.form = GateForm::linear;
    return kind;
}

std::vector<GateKind> make_kinds() {
    std::vector<GateKind> kinds{
        affine("AND", {1, 1}, -1, [](const Bits& x) { return x[0] && x[1]; }),
        affine("NAND", {-1, -1}, 1, [](const Bits& x) { return !(x[0] && x[1]); }),
        affine("OR", {1, 1}, 1, [](const Bits& x) { return x[0] || x[1]; }),
        affine("NOR", {-1, -1}, -1, [](const Bits& x) { return !(x[0] || x[1]); }),
        affine("XOR", {2, 2}, 2, [](const Bits& x) { return x[0] != x[1]; }),
        affine("XNOR", {-2, -2}, -2, [](const Bits& x) { return x[0] == x[1]; }),
        affine("ANDNY", {-1, 1}, -1, [](const Bits& x) { return !x[0] && x[1]; }),
        affine("ANDYN", {1, -1}, -1, [](const Bits& x) { return x[0] && !x[1]; }),
        affine("ORNY", {-1, 1}, 1, [](const Bits& x) { return !x[0] || x[1]; }),
        affine("ORYN", {1, -1}, 1, [](const Bits& x) { return x[0] || !x[1]; }),
        affine("MAJ3", {1, 1, 1}, 0, [](const Bits& x) { return x[0] + x[1] + x[2] >= 2; }),
        affine("XOR3", {-2, -2, -2}, 0, [](const Bits& x) { return (x[0] + x[1] + x[2]) % 2 == 1; }),
        affine("NAE3", {1, 1, 1}, 2, [](const Bits& x) { return x[0] != x[1] || x[1] != x[2]; }),
        affine("IDENTITY", {1}, 0, [](const Bits& x) { return static_cast<bool>(x[0]); }),
        affine("AX", {1, 1, 2}, 1, [](const Bits& x) { return (x[0] && x[1]) != x[2]; }),
        affine("AO", {-1, -1, -2}, 1, [](const Bits& x) { return (x[0] || x[1]) != x[2]; }),
        family("E2_4", 4, 0),
        family("E2_7", 7, 0),
        family("E2_3_2", 3, 2),
        family("XOR4", 0, 4),
        family("XOR7", 0, 7),
        family("XOR10", 0, 10),
        linear("COPY", {1}, 0, [](const Bits& x) { return static_cast<bool>(x[0]); }),
        linear("NOT", {-1}, 0, [](const Bits& x) { return !x[0]; }),
        linear("CONSTANT1", {}, 1, [](const Bits&) { return true; }),
        linear("CONSTANT0", {}, -1, [](const Bits&) { return false; }),
    };
    kinds.push_back({.name = "MUX",
                     .form = GateForm::pair,
                     .weights_a = {1, 1, 0},
                     .offset_a = -1,
                     .weights_b = {-1, 0, 1},
                     .offset_b = -1,
                     .post_offset = 1,
                     .truth = [](const Bits& x) { return x[0] ? x[1] : x[2]; }});
    kinds.push_back({.name = "NMUX",
                     .form = GateForm::pair,
                     .weights_a = {-1, -1, 0},
                     .offset_a = 1,
                     .weights_b = {1, 0, -1},
                     .offset_b = 1,
                     .post_offset = -1,
                     .truth = [](const Bits& x) { return !(x[0] ? x[1] : x[2]); }});
    return kinds;
}

/// Weight norm of one term, equal slots merged.
double weight_norm(const std::vector<int>& weights, int offset, std::span<const std::uint32_t> inputs,
                   std::span<const double> variances, const Bits& negated) {
    std::map<std::uint32_t, std::pair<int, double>> merged;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        auto& [weight, variance] = merged[inputs[i]];
        weight += !negated.empty() && negated[i] ? -weights[i] : weights[i];
        variance = variances[i];
    }
    double norm = 0;
    bool even = offset % 2 == 0;
    for (const auto& [slot, term] : merged) {
        norm += term.first * term.first * term.second;
        even = even && term.first % 2 == 0;
    }
    return even ? norm / 4 : norm;
}

}  // namespace

const std::vector<GateKind>& gate_kinds() {
    static const std::vector<GateKind> kinds = make_kinds();
    return kinds;
}

const GateKind& gate_kind(const std::string& name) {
    const auto found = std::ranges::find(gate_kinds(), name, &GateKind::name);
    if (found == gate_kinds().end()) throw std::out_of_range("no gate kind " + name);
    return *found;
}

void BatchBuilder::add(const GateKind& kind, std::span<const std::uint32_t> inputs, std::uint32_t output,
                       const Bits& negated) {
    base::GateRecord gate{.output = output,
                          .first_operand = static_cast<std::uint32_t>(operands_.size()),
                          .offset_a = static_cast<std::int8_t>(kind.offset_a),
                          .offset_b = static_cast<std::int8_t>(kind.offset_b),
                          .post_offset = static_cast<std::int8_t>(kind.post_offset),
                          .form = kind.form};
    const auto append = [&](const std::vector<int>& weights) {
        std::uint16_t count = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (weights[i] == 0) continue;
            const bool inverted = !negated.empty() && negated[i];
            operands_.push_back({inputs[i], inverted ? -weights[i] : weights[i]});
            ++count;
        }
        return count;
    };
    gate.operands_a = append(kind.weights_a);
    gate.operands_b = append(kind.weights_b);
    gates_.push_back(gate);
}

void BatchBuilder::add_linear(const std::vector<base::Operand>& operands, int offset_eighths,
                              std::uint32_t output) {
    gates_.push_back({.output = output,
                      .first_operand = static_cast<std::uint32_t>(operands_.size()),
                      .operands_a = static_cast<std::uint16_t>(operands.size()),
                      .offset_a = static_cast<std::int8_t>(offset_eighths),
                      .form = GateForm::linear});
    operands_.insert(operands_.end(), operands.begin(), operands.end());
}

double failure_log2(const scheme::NoiseModel& model, const GateKind& kind,
                    std::span<const std::uint32_t> inputs, std::span<const double> variances,
                    const Bits& negated) {
    if (kind.form == GateForm::linear) return -std::numeric_limits<double>::infinity();
    double norm = weight_norm(kind.weights_a, kind.offset_a, inputs, variances, negated);
    if (kind.form == GateForm::pair) {
        norm = std::max(norm, weight_norm(kind.weights_b, kind.offset_b, inputs, variances, negated));
    }
    return model.gate_failure_log2(norm);
}

double output_variance(const GateKind& kind, std::span<const double> variances) {
    if (kind.form != GateForm::linear) return kind.form == GateForm::pair ? 2 : 1;
    return kind.arity() == 0 ? 0 : variances[0];
}

}  // namespace toroid::tests
