// SPDX-License-Identifier: Apache-2.0
#include "api/common/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "api/common/c_program.hpp"
#include "api/common/xls_program.hpp"
#include "circuit/interface.hpp"
#include "compiler/c/clang_driver.hpp"
#include "compiler/verify/equivalence.hpp"
#include "compiler/verify/icarus.hpp"
#include "compiler/verilog/verilog_reader.hpp"
#include "toroid/error.hpp"

namespace toroid::detail {
namespace {

bool is_verilog(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    return ending == ".v" || ending == ".sv";
}

/// The circuit with the inputs of `options.fixed_inputs` fixed.
circuit::Circuit fix_inputs(circuit::Circuit circuit, const CompileOptions& options) {
    if (options.fixed_inputs.empty()) return circuit;
    const circuit::Interface interface = circuit::interface_of(circuit);
    return circuit::bind_inputs(circuit,
                                circuit::values_from_items(options.fixed_inputs, interface.inputs, true));
}

Program of_circuit(circuit::Circuit circuit, const CompileOptions& options) {
    Program program;
    program.verified_against = "the netlist as read";
    const auto source = std::make_shared<const circuit::Circuit>(fix_inputs(std::move(circuit), options));
    program.map = [source](const compiler::MappingOptions&, compiler::CostByLocation*) { return *source; };
    program.verify = [source, &options](const circuit::Circuit& result, std::uint32_t vectors) {
        compiler::verify_equal(*source, result, vectors, options.checkpoint);
        return true;
    };
    return program;
}

Program read_verilog_program(const std::vector<std::filesystem::path>& files, const CompileOptions& options,
                             const circuit::ReadOptions& read) {
    compiler::VerilogOptions verilog;
    verilog.top = options.top;
    verilog.time_limit = options.time_limit;
    verilog.checkpoint = options.checkpoint;
    verilog.preprocessor = {options.include_folders, options.defines};
    const auto placed = std::make_shared<compiler::PlacedCircuit>();
    if (options.explain) verilog.placed = placed.get();
    circuit::ReadOptions with_clock = read;
    circuit::Clock clock;
    with_clock.clock = &clock;
    Program program = of_circuit(compiler::read_verilog(files, verilog, with_clock), options);
    if (options.explain) {
        program.cost_by_line = [placed, &options](const circuit::Circuit& result) {
            const circuit::Interface interface = circuit::interface_of(placed->circuit);
            return compiler::cost_by_line(
                result, *placed, circuit::values_from_items(options.fixed_inputs, interface.inputs, true),
                options.checkpoint);
        };
    }
    // Inputs fixed in the circuit are not fixed in the source, and what was warned of may be x there: then
    // the netlist as synthesised is the reference.
    if (!options.fixed_inputs.empty() || (read.warnings != nullptr && !read.warnings->empty())) {
        program.verified_against = "the synthesised netlist";
        return program;
    }
    program.verified_against = "Icarus Verilog";
    program.verify = [&files, clock, &options, &read, synthesised = program.verify](
                         const circuit::Circuit& result, std::uint32_t vectors) {
        synthesised(result, vectors);
        compiler::IcarusOptions icarus;
        icarus.vectors = vectors;
        icarus.time_limit = options.time_limit;
        icarus.checkpoint = options.checkpoint;
        icarus.preprocessor = {options.include_folders, options.defines};
        const std::string reason = compiler::compare_with_icarus(files, result, clock, icarus);
        if (reason.empty()) return true;
        read.warnings->push_back({files.front().string(), "not verified against Icarus Verilog: " + reason});
        return false;
    };
    return program;
}

}  // namespace

Program read_program(const std::vector<std::filesystem::path>& files, const CompileOptions& options,
                     const circuit::ReadOptions& read) {
    if (files.empty()) throw Error(ErrorKind::usage, "no circuit file given");
    if (std::ranges::all_of(files, compiler::is_c_source)) return read_c_program(files, options, read);
    if (std::ranges::all_of(files, is_verilog)) return read_verilog_program(files, options, read);
    if (!options.include_folders.empty() || !options.defines.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: include folders and defines are for C, C++ and Verilog only",
                                files[0].string()));
    }
    if (files.size() > 1) {
        throw Error(
            ErrorKind::usage,
            fmt::format(
                "{}: only files of one kind, Verilog (.v, .sv) or C and C++ (.c, .cc, .cpp, .cxx), can be "
                "several",
                files[1].string()));
    }
    if (files[0].extension() == ".ir") return read_xls_program(files[0], options, read);
    if (!options.top.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: a top module or function is for Verilog, C and C++ and XLS IR only",
                                files[0].string()));
    }
    return of_circuit(circuit::read_netlist(files[0], read), options);
}

}  // namespace toroid::detail
