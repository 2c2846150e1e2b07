// SPDX-License-Identifier: Apache-2.0
#include "compiler/verilog/line_costs.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "circuit/simulator.hpp"
#include "compiler/verify/equivalence.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint32_t lanes = 64;
constexpr std::uint32_t vectors_of_a_combinational_design = 32 * lanes;
constexpr std::uint32_t vectors_of_a_clocked_design = 4 * lanes;

/// What a signal was on all vectors, up to inversion.
struct Signature {
    std::uint64_t first_hash = 0;
    std::uint64_t second_hash = 0;
    bool varies = false;  ///< a signal that never changed tells nothing
    friend bool operator==(const Signature&, const Signature&) = default;
};
struct SignatureHash {
    std::size_t operator()(const Signature& signature) const { return signature.first_hash; }
};

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word, std::uint64_t factor) {
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 31;
}

/// The input words of 64 vectors in one cycle, ports in the circuit's order.
std::vector<std::uint64_t> words_for(const circuit::Circuit& circuit, const circuit::Interface& interface,
                                     const TestVectors& tests, std::uint32_t first, std::uint32_t cycle) {
    std::vector<std::uint64_t> words;
    for (const circuit::InputPort& port : circuit.inputs) {
        const auto index = static_cast<std::size_t>(
            std::ranges::find(interface.inputs, port.name, &circuit::Interface::Port::name) -
            interface.inputs.begin());
        for (std::size_t bit = 0; bit < port.signals.size(); ++bit) {
            std::uint64_t word = 0;
            for (std::uint32_t v = 0; v < lanes; ++v) {
                if (tests.inputs[first + v][cycle][index][bit]) word |= std::uint64_t{1} << v;
            }
            words.push_back(word);
        }
    }
    return words;
}

std::vector<Signature> signatures_of(const circuit::Circuit& circuit, const circuit::Interface& interface,
                                     const TestVectors& tests, const std::function<void()>& checkpoint) {
    std::vector<Signature> result(circuit.signal_count);
    std::vector<std::uint64_t> inversion(circuit.signal_count);
    circuit::Simulator simulator(circuit);
    for (std::uint32_t first = 0; first < tests.vectors; first += lanes) {
        simulator.reset();
        for (std::uint32_t cycle = 0; cycle < tests.cycles; ++cycle) {
            if (checkpoint) checkpoint();
            (void)simulator.step(words_for(circuit, interface, tests, first, cycle));
            const auto values = simulator.signals();
            if (first == 0 && cycle == 0) {
                for (std::size_t s = 0; s < values.size(); ++s)
                    inversion[s] = (values[s] & 1) != 0 ? ~std::uint64_t{0} : 0;
            }
            for (std::size_t s = 0; s < values.size(); ++s) {
                const std::uint64_t word = values[s] ^ inversion[s];
                Signature& signature = result[s];
                signature.first_hash = mixed(signature.first_hash, word, 0x9e3779b97f4a7c15ULL);
                signature.second_hash = mixed(signature.second_hash, word, 0xc2b2ae3d27d4eb4fULL);
                signature.varies = signature.varies || word != 0;
            }
        }
    }
    return result;
}

TestVectors vectors_for(const circuit::Interface& interface, const circuit::Values& fixed) {
    TestVectors tests = make_test_vectors(
        interface, interface.is_sequential ? vectors_of_a_clocked_design : vectors_of_a_combinational_design);
    for (std::size_t port = 0; port < interface.inputs.size(); ++port) {
        const auto value = fixed.find(interface.inputs[port].name);
        if (value == fixed.end()) continue;
        for (auto& cycles : tests.inputs) {
            for (std::size_t cycle = 0; cycle < cycles.size(); ++cycle)
                cycles[cycle][port] = value->second[std::min(cycle, value->second.size() - 1)];
        }
    }
    return tests;
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> cost_by_line(const circuit::Circuit& circuit,
                                                                const PlacedCircuit& placed,
                                                                const circuit::Values& fixed,
                                                                const std::function<void()>& checkpoint) {
    const circuit::Interface interface = circuit::interface_of(placed.circuit);
    const TestVectors tests = vectors_for(interface, fixed);
    std::unordered_map<Signature, const std::string*, SignatureHash> known;
    const std::vector<Signature> source = signatures_of(placed.circuit, interface, tests, checkpoint);
    for (circuit::SignalId signal = 0; signal < source.size(); ++signal) {
        if (source[signal].varies && !placed.places[signal].empty())
            known.try_emplace(source[signal], &placed.places[signal]);
    }

    const std::vector<Signature> made = signatures_of(circuit, interface, tests, checkpoint);
    std::vector<const std::string*> line(circuit.signal_count, nullptr);
    std::map<std::string, std::uint64_t> costs;
    std::uint64_t rest = 0;
    // A reader is met before what it reads; of several the first in the circuit is met last.
    for (auto gate = circuit.gates.rbegin(); gate != circuit.gates.rend(); ++gate) {
        const std::string*& own = line[gate->output];
        if (const auto found = known.find(made[gate->output]); found != known.end()) own = found->second;
        const auto bootstraps = static_cast<std::uint64_t>(gate->bootstraps());
        (own == nullptr ? rest : costs[*own]) += bootstraps;
        if (own == nullptr) continue;
        for (std::uint32_t i = 0; i < std::uint32_t{gate->operands_a} + gate->operands_b; ++i)
            line[circuit.operands[gate->first_operand + i].index] = own;
    }
    std::erase_if(costs, [](const auto& cost) { return cost.second == 0; });
    std::vector<std::pair<std::string, std::uint64_t>> result(costs.begin(), costs.end());
    std::ranges::stable_sort(result, std::greater<>(), &std::pair<std::string, std::uint64_t>::second);
    if (rest != 0) result.emplace_back(without_source_line, rest);
    return result;
}

}  // namespace toroid::compiler
