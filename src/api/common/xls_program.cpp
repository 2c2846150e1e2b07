// SPDX-License-Identifier: Apache-2.0
#include "api/common/xls_program.hpp"

#include <fmt/format.h>

#include <memory>

#include "api/common/access.hpp"
#include "circuit/interface.hpp"
#include "compiler/verify/equivalence.hpp"
#include "compiler/word/word_check.hpp"
#include "compiler/xls/xls_reader.hpp"
#include "toroid/error.hpp"

namespace toroid::detail {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 28;

/// The circuit with the inputs of `options.fixed_inputs` fixed.
circuit::Circuit fix_inputs(circuit::Circuit circuit, const CompileOptions& options) {
    if (options.fixed_inputs.empty()) return circuit;
    const circuit::Interface interface = circuit::interface_of(circuit);
    return circuit::bind_inputs(circuit,
                                circuit::values_from_items(options.fixed_inputs, interface.inputs, true));
}

}  // namespace

Program read_xls_program(const std::filesystem::path& file, const CompileOptions& options,
                         const circuit::ReadOptions& read) {
    compiler::XlsOptions xls;
    xls.top = options.top;
    xls.checkpoint = options.checkpoint;
    const auto source = std::make_shared<const compiler::XlsProgram>(
        compiler::read_xls(read_text(file, largest_file), file.string(), xls));
    for (const circuit::Warning& warning : source->warnings) {
        if (read.strict)
            throw Error(ErrorKind::circuit, fmt::format("{}: {}", warning.place, warning.message));
        if (read.warnings != nullptr) read.warnings->push_back(warning);
    }
    Program program;
    program.verified_against = "the values of its words";
    program.has_objectives = true;
    program.source_files = source->graph.files();
    program.map = [source, &options](const compiler::MappingOptions& mapping,
                                     compiler::CostByLocation* cost) {
        return fix_inputs(compiler::lower(source->graph, source->name, mapping, cost), options);
    };
    // Words against plain gates with all inputs free; then those, inputs fixed, against the result.
    program.verify = [source, &options](const circuit::Circuit& result, std::uint32_t vectors) {
        circuit::Circuit plain = compiler::lower(source->graph, source->name, {});
        compiler::check_against_words(source->graph, plain, vectors, options.checkpoint);
        compiler::verify_equal(fix_inputs(std::move(plain), options), result, vectors, options.checkpoint);
        return true;
    };
    return program;
}

}  // namespace toroid::detail
