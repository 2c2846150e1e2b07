// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/lower.hpp"
#include "compiler/word/word_check.hpp"
#include "compiler/xls/xls_reader.hpp"
#include "fuzz/circuit_check.hpp"
#include "fuzz/fuzz_target.hpp"

namespace toroid::tests {

const bool section_files = false;

/// What is read can be lowered, and the gates say what the words say.
void accept(std::span<const std::byte> input) {
    compiler::XlsOptions options;
    options.step_limit = 20000;
    options.word_limit = 20000;
    const compiler::XlsProgram program = compiler::read_xls(text_of(input), "input", options);
    std::uint64_t bits = 0;
    for (const auto& port : program.graph.inputs()) bits += port.width;
    for (const auto& port : program.graph.outputs()) bits += program.graph.width(port.word);
    if (bits > 128) return;
    for (std::uint32_t id = 0; id < program.graph.size(); ++id) {
        if (program.graph.width({id}) > 64) return;  // arithmetic on wide words takes its time
    }
    for (const auto& mapping :
         {compiler::MappingOptions{3, compiler::Objective::size}, {14, compiler::Objective::depth}}) {
        const circuit::Circuit circuit = compiler::lower(program.graph, program.name, mapping);
        compiler::check_against_words(program.graph, circuit, 8);
        check_circuit(circuit);
    }
}

}  // namespace toroid::tests
