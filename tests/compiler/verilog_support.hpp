// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "circuit/interface.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/process/temporary_folder.hpp"
#include "compiler/verilog/verilog_reader.hpp"
#include "toroid/error.hpp"

#define TOROID_REQUIRE_PROGRAM(name) \
    if (!::toroid::compiler::find_program(name)) GTEST_SKIP() << "the program " name " is not installed"

namespace toroid::compiler::tests {

struct Reading {
    circuit::Circuit circuit;
    std::string warnings;
};

inline Reading read_files(const std::vector<std::filesystem::path>& files,
                          const VerilogOptions& options = {}) {
    std::vector<circuit::Warning> warnings;
    Reading result;
    result.circuit = read_verilog(files, options, {false, &warnings});
    for (const circuit::Warning& warning : warnings)
        result.warnings += warning.place + ": " + warning.message + '\n';
    return result;
}

inline std::filesystem::path write_source(const TemporaryFolder& folder, const std::string& name,
                                          const std::string& text) {
    const std::filesystem::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

inline Reading read_text(const std::string& text, const VerilogOptions& options = {},
                         const std::string& name = "test.v") {
    const TemporaryFolder folder;
    return read_files({write_source(folder, name, text)}, options);
}

inline std::string failure(const std::vector<std::filesystem::path>& files, bool strict = false,
                           const VerilogOptions& options = {}) {
    try {
        (void)read_verilog(files, options, {strict, nullptr});
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::circuit) << error.what();
        return error.what();
    }
    return "accepted";
}
inline std::string text_failure(const std::string& text, bool strict = false,
                                const VerilogOptions& options = {}) {
    const TemporaryFolder folder;
    return failure({write_source(folder, "test.v", text)}, strict, options);
}

using Numbers = std::map<std::string, std::vector<std::int64_t>>;

/// Values by name, one a cycle; every output as it reads by its own signedness.
inline Numbers run(const circuit::Circuit& circuit, const Numbers& inputs, std::uint32_t cycles = 1) {
    const circuit::Interface interface = interface_of(circuit);
    circuit::Values values;
    for (const circuit::Interface::Port& port : interface.inputs) {
        for (const std::int64_t number : inputs.at(port.name)) {
            base::BitVector bits;
            for (std::uint32_t i = 0; i < port.width; ++i)
                bits.push_back((number >> std::min(i, 63U) & 1) != 0);
            values[port.name].push_back(bits);
        }
    }
    Numbers result;
    const circuit::Values outputs = simulate(circuit, values, cycles);
    for (const circuit::Interface::Port& port : interface.outputs) {
        for (const base::BitVector& bits : outputs.at(port.name)) {
            result[port.name].push_back(std::stoll(base::format_decimal(bits, port.is_signed)));
        }
    }
    return result;
}

}  // namespace toroid::compiler::tests
