// SPDX-License-Identifier: Apache-2.0
#include "api/common/c_program.hpp"

#include <fmt/format.h>

#include <memory>

#include "compiler/c/c_reader.hpp"
#include "toroid/error.hpp"

namespace toroid::detail {
namespace {

void report(const circuit::ReadOptions& read, const circuit::Warning& warning) {
    if (read.strict) throw Error(ErrorKind::circuit, fmt::format("{}: {}", warning.place, warning.message));
    if (read.warnings != nullptr) read.warnings->push_back(warning);
}

compiler::COptions c_options(const std::vector<std::filesystem::path>& files, const CompileOptions& options) {
    compiler::COptions result;
    result.files = files;
    result.top = options.top;
    result.time_limit = options.time_limit;
    result.checkpoint = options.checkpoint;
    result.preprocessor = {options.include_folders, options.defines};
    if (options.loop_bound != 0) result.loop_bound = options.loop_bound;
    for (const std::string& item : options.fixed_inputs) {
        const std::size_t divider = item.rfind('=');
        if (divider == std::string::npos || divider == 0)
            throw Error(ErrorKind::usage, fmt::format("'{}' is not of the form name=value", item));
        if (!result.clear_values.emplace(item.substr(0, divider), item.substr(divider + 1)).second)
            throw Error(ErrorKind::usage, fmt::format("'{}' is set twice", item.substr(0, divider)));
    }
    return result;
}

}  // namespace

Program read_c_program(const std::vector<std::filesystem::path>& files, const CompileOptions& options,
                       const circuit::ReadOptions& read) {
    const auto source =
        std::make_shared<const compiler::CProgram>(compiler::read_c(c_options(files, options)));
    for (const circuit::Warning& warning : source->warnings) report(read, warning);
    Program program;
    program.verified_against = "native code";
    program.has_objectives = true;
    program.source_files = source->graph.files();
    program.map = [source](const compiler::MappingOptions& mapping, compiler::CostByLocation* cost) {
        return compiler::lower(source->graph, source->name, mapping, cost);
    };
    program.verify = [source, &read, file = files[0].string()](const circuit::Circuit& circuit,
                                                               std::uint32_t vectors) {
        const compiler::NativeCheck check = compiler::check_against_native(*source, circuit, vectors);
        if (check.compared > 0) return true;
        report(read,
               {file, fmt::format("none of {} test vectors is defined in C and within the loop bounds: the "
                                  "circuit was compared with nothing",
                                  vectors)});
        return false;
    };
    return program;
}

}  // namespace toroid::detail
