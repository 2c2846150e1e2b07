// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "circuit/simulator.hpp"
#include "circuit/statistics.hpp"
#include "compiler/word/lower.hpp"
#include "compiler/word/word_graph.hpp"

namespace toroid::compiler::tests {

using Numbers = std::vector<std::uint64_t>;
/// What a program of several words computes; results are compared modulo 2^width of the output.
using Reference = std::function<Numbers(const Numbers&)>;

inline std::uint64_t low_bits(std::uint64_t value, std::uint32_t width) {
    return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}
inline std::int64_t as_signed(std::uint64_t value, std::uint32_t width) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    return static_cast<std::int64_t>((low_bits(value, width) ^ sign) - sign);
}

inline std::vector<MappingOptions> all_mappings() {
    std::vector<MappingOptions> out;
    for (const int weight : {3, 6, 7, 14}) {
        for (const Objective objective : {Objective::size, Objective::depth})
            out.push_back({weight, objective});
    }
    return out;
}

inline std::string name_of(const MappingOptions& options) {
    return "W" + std::to_string(options.weight_limit) +
           (options.objective == Objective::size ? " size" : " depth");
}

/// Runs the circuit on 64 vectors at once. vectors[v][i] is the value of input i; so are the results.
inline std::vector<Numbers> simulate(const circuit::Circuit& circuit, circuit::Simulator& simulator,
                                     const std::vector<Numbers>& vectors) {
    std::vector<Numbers> out(vectors.size());
    for (std::size_t first = 0; first < vectors.size(); first += 64) {
        const std::size_t count = std::min<std::size_t>(64, vectors.size() - first);
        std::vector<std::uint64_t> bits;
        for (std::size_t port = 0; port < circuit.inputs.size(); ++port) {
            for (std::size_t bit = 0; bit < circuit.inputs[port].signals.size(); ++bit) {
                std::uint64_t word = 0;
                for (std::size_t v = 0; v < count; ++v) word |= (vectors[first + v][port] >> bit & 1) << v;
                bits.push_back(word);
            }
        }
        const std::vector<std::uint64_t> result = simulator.step(bits);
        auto next = result.begin();
        for (const circuit::OutputPort& port : circuit.outputs) {
            for (std::size_t v = 0; v < count; ++v) {
                std::uint64_t value = 0;
                for (std::size_t bit = 0; bit < port.bits.size(); ++bit)
                    value |= (next[static_cast<std::ptrdiff_t>(bit)] >> v & 1) << bit;
                out[first + v].push_back(value);
            }
            next += static_cast<std::ptrdiff_t>(port.bits.size());
        }
    }
    return out;
}

/// Expects the lowered graph to compute the reference on the vectors, every gate within the weight limit.
inline void expect_lowered(const WordGraph& graph, const std::vector<Numbers>& vectors,
                           const Reference& reference, const std::vector<MappingOptions>& mappings) {
    for (const MappingOptions& options : mappings) {
        const circuit::Circuit circuit = lower(graph, "test", options);
        EXPECT_LE(circuit::noise_profile(circuit).largest_weight_norm, options.weight_limit)
            << name_of(options);
        circuit::Simulator simulator(circuit);
        const std::vector<Numbers> results = simulate(circuit, simulator, vectors);
        for (std::size_t v = 0; v < vectors.size(); ++v) {
            const Numbers expected = reference(vectors[v]);
            ASSERT_EQ(results[v].size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const auto width = static_cast<std::uint32_t>(circuit.outputs[i].bits.size());
                if (results[v][i] == low_bits(expected[i], width)) continue;
                std::string text;
                for (const std::uint64_t value : vectors[v]) text += " " + std::to_string(value);
                FAIL() << name_of(options) << ", output " << circuit.outputs[i].name << " for" << text << ": "
                       << results[v][i] << ", not " << low_bits(expected[i], width);
            }
        }
    }
}

/// All values of all inputs if these have few bits together, else random and edge values.
std::vector<Numbers> vectors_for(const WordGraph& graph, std::uint64_t purpose,
                                 std::size_t random_count = 256, std::uint32_t most_exhaustive_bits = 18);

}  // namespace toroid::compiler::tests
