// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/word_check.hpp"

#include <fmt/format.h>

#include "compiler/verify/equivalence.hpp"
#include "compiler/word/word_evaluation.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {

void check_against_words(const WordGraph& graph, const circuit::Circuit& circuit, std::uint32_t vectors,
                         const std::function<void()>& checkpoint) {
    const circuit::Interface interface = circuit::interface_of(circuit);
    const TestVectors tests = make_test_vectors(interface, vectors);
    const TestOutputs results = simulate_vectors(circuit, tests, checkpoint);
    for (std::uint32_t v = 0; v < tests.vectors; ++v) {
        if (checkpoint) checkpoint();
        const std::vector<base::BitVector> expected = evaluate(graph, tests.inputs[v][0]);
        for (std::size_t port = 0; port < expected.size(); ++port) {
            const base::BitVector& made = results[v][0][port];
            if (made == expected[port]) continue;
            throw Error(ErrorKind::circuit, fmt::format("{}: output {} is {}, not {}, for {}", circuit.name,
                                                        interface.outputs[port].name, base::format_hex(made),
                                                        base::format_hex(expected[port]),
                                                        describe_vector(interface, tests.inputs[v])));
        }
    }
}

}  // namespace toroid::compiler
