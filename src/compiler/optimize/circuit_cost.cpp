// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/circuit_cost.hpp"

#include <algorithm>
#include <tuple>

#include "circuit/form_expansion.hpp"
#include "circuit/statistics.hpp"

namespace toroid::compiler {
namespace {

using circuit::SignalId;

/// One bootstrap more in so many is a fair price for less depth.
constexpr std::uint64_t balance = 20;

/// Marks the noisiest operands of a term as refreshed until its weight norm fits; false if it cannot fit.
bool fit_term(const circuit::AffineTerm& term, int weight_limit, const std::vector<double>& variance,
              std::vector<bool>& refreshed) {
    const int margin = circuit::margin_eighths(term.operands, term.offset);
    const double limit = static_cast<double>(weight_limit) * margin * margin;
    const auto effective = [&](SignalId signal) {
        return refreshed[signal] ? std::min(1.0, variance[signal]) : variance[signal];
    };
    double sum = 0;
    for (const base::Operand& operand : term.operands)
        sum += operand.weight * operand.weight * effective(operand.index);
    while (sum > limit) {
        const base::Operand* noisiest = nullptr;
        double gain = 0;
        for (const base::Operand& operand : term.operands) {
            const double saved = operand.weight * operand.weight * (effective(operand.index) - 1);
            if (saved > gain) {
                gain = saved;
                noisiest = &operand;
            }
        }
        if (noisiest == nullptr) return false;
        refreshed[noisiest->index] = true;
        sum -= gain;
    }
    return true;
}

}  // namespace

std::uint64_t CircuitCost::rounds(std::uint64_t width) const {
    std::uint64_t sum = 0;
    for (const std::uint64_t level : width_by_level) sum += (level + width - 1) / width;
    return sum;
}

CircuitCost plain_cost(const circuit::Circuit& circuit) {
    CircuitCost cost;
    const std::vector<std::uint32_t> levels = circuit::signal_levels(circuit);
    for (const base::GateRecord& gate : circuit.gates) {
        const auto bootstraps = static_cast<std::uint64_t>(gate.bootstraps());
        if (bootstraps == 0) continue;
        const std::uint32_t level = levels[gate.output];
        if (cost.width_by_level.size() < level) cost.width_by_level.resize(level, 0);
        cost.width_by_level[level - 1] += bootstraps;
        cost.bootstraps += bootstraps;
    }
    cost.depth = static_cast<std::uint32_t>(cost.width_by_level.size());
    return cost;
}

CircuitCost circuit_cost(const circuit::Circuit& circuit, int weight_limit) {
    CircuitCost cost = plain_cost(circuit);
    const circuit::NoiseProfile profile = circuit::noise_profile(circuit);
    const circuit::FormExpansion expansion(circuit);
    std::vector<bool> refreshed(circuit.signal_count, false);
    for (std::size_t g = 0; g < circuit.gates.size(); ++g) {
        const base::GateRecord& gate = circuit.gates[g];
        if (profile.weight_norm[g] <= weight_limit) continue;
        const auto fits = [&](std::span<const base::Operand> term, int offset) {
            return fit_term(expansion.merged(term, offset), weight_limit, profile.signal_variance, refreshed);
        };
        const bool ok =
            fits(gate.term_a(circuit.operands), gate.offset_a) &&
            (gate.form != base::GateForm::pair || fits(gate.term_b(circuit.operands), gate.offset_b));
        if (!ok) ++cost.too_heavy;
    }
    cost.refreshes = static_cast<std::uint64_t>(std::ranges::count(refreshed, true));
    return cost;
}

bool is_better(const CircuitCost& a, const CircuitCost& b, Objective objective, std::uint64_t device_width) {
    const auto key = [&](const CircuitCost& cost) {
        const std::uint64_t bootstraps = cost.bootstraps + cost.refreshes;
        const std::uint64_t depth = cost.depth;
        // Refreshes lie on levels of their own.
        const std::uint64_t rounds =
            device_width == 0
                ? 0
                : cost.rounds(device_width) + (cost.refreshes + device_width - 1) / device_width;
        return objective == Objective::size ? std::tuple(cost.too_heavy, rounds, bootstraps, depth)
                                            : std::tuple(cost.too_heavy, rounds, depth, bootstraps);
    };
    return key(a) < key(b);
}

std::size_t most_balanced(std::span<const CircuitCost* const> costs) {
    const auto best = [&](Objective objective, const auto& counts) {
        std::size_t found = costs.size();
        for (std::size_t i = 0; i < costs.size(); ++i) {
            if (counts(*costs[i]) &&
                (found == costs.size() || is_better(*costs[i], *costs[found], objective)))
                found = i;
        }
        return found;
    };
    const CircuitCost& smallest = *costs[best(Objective::size, [](const CircuitCost&) { return true; })];
    const std::uint64_t fewest = smallest.bootstraps + smallest.refreshes;
    return best(Objective::depth, [&](const CircuitCost& cost) {
        return cost.too_heavy <= smallest.too_heavy &&
               cost.bootstraps + cost.refreshes <= fewest + fewest / balance;
    });
}

}  // namespace toroid::compiler
