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
#include "compiler/c/c_reader.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/process/temporary_folder.hpp"
#include "compiler/word/lower.hpp"
#include "toroid/error.hpp"

#define TOROID_REQUIRE_CLANG()                                                                        \
    if (!::toroid::compiler::find_program("clang-19") || !::toroid::compiler::find_program("opt-19")) \
    GTEST_SKIP() << "the programs clang-19 and opt-19 are not installed"

namespace toroid::compiler::tests {

/// A program, its circuit, and how the circuit compares with native code.
struct Compiled {
    circuit::Circuit circuit;
    NativeCheck check;
    std::string warnings;
};

inline Compiled compile_files(const COptions& options, std::uint32_t vectors = 64) {
    const CProgram program = read_c(options);
    Compiled result;
    result.circuit = lower(program.graph, program.name, {});
    result.check = check_against_native(program, result.circuit, vectors);
    for (const circuit::Warning& warning : program.warnings)
        result.warnings += warning.place + ": " + warning.message + '\n';
    return result;
}

inline Compiled compile_text(const std::string& text, COptions options = {},
                             const std::string& name = "test.c", std::uint32_t vectors = 64) {
    const TemporaryFolder folder;
    options.files = {folder.path() / name};
    std::ofstream(options.files[0], std::ios::binary) << text;
    return compile_files(options, vectors);
}

inline COptions with_top(const std::string& top) {
    COptions result;
    result.top = top;
    return result;
}

/// What the reader says against a program. The file's folder is taken out of it.
inline std::string refusal(const std::string& text, COptions options = {}, const std::string& name = "test.c",
                           ErrorKind kind = ErrorKind::circuit) {
    const TemporaryFolder folder;
    options.files = {folder.path() / name};
    std::ofstream(options.files[0], std::ios::binary) << text;
    try {
        (void)read_c(options);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        std::string message = error.what();
        const std::string prefix = folder.path().string() + "/";
        for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
            message.erase(at, prefix.size());
        return message;
    }
    return "accepted";
}

/// Ports as "name:width" with "s" for signed ones, in order.
inline std::string ports(const std::vector<circuit::Interface::Port>& list) {
    std::string result;
    for (const circuit::Interface::Port& port : list) {
        result += (result.empty() ? "" : " ") + port.name + ":" + (port.is_signed ? "s" : "") +
                  std::to_string(port.width);
    }
    return result;
}
inline std::string inputs(const Compiled& compiled) {
    return ports(circuit::interface_of(compiled.circuit).inputs);
}
inline std::string outputs(const Compiled& compiled) {
    return ports(circuit::interface_of(compiled.circuit).outputs);
}

using Numbers = std::map<std::string, std::int64_t>;

/// The circuit's outputs, each as it reads by its own signedness.
inline Numbers run(const Compiled& compiled, const Numbers& values) {
    const circuit::Interface interface = circuit::interface_of(compiled.circuit);
    circuit::Values in;
    for (const circuit::Interface::Port& port : interface.inputs) {
        base::BitVector bits;
        for (std::uint32_t i = 0; i < port.width; ++i)
            bits.push_back((values.at(port.name) >> std::min(i, 63U) & 1) != 0);
        in[port.name] = {bits};
    }
    const circuit::Values out = circuit::simulate(compiled.circuit, in, 1);
    Numbers result;
    for (const circuit::Interface::Port& port : interface.outputs) {
        // Wide unsigned numbers keep their bits.
        std::uint64_t number = 0;
        const base::BitVector& bits = out.at(port.name)[0];
        for (std::uint32_t i = 0; i < 64; ++i) {
            const bool bit = i < port.width ? bits[i] : port.is_signed && bits.back();
            number |= static_cast<std::uint64_t>(bit) << i;
        }
        result[port.name] = static_cast<std::int64_t>(number);
    }
    return result;
}

/// Values of name[0], name[1], ...
inline void put(Numbers& numbers, const std::string& name, const std::vector<std::int64_t>& elements) {
    for (std::size_t i = 0; i < elements.size(); ++i)
        numbers[name + "[" + std::to_string(i) + "]"] = elements[i];
}
inline std::vector<std::int64_t> elements(const Numbers& numbers, const std::string& name) {
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; numbers.contains(name + "[" + std::to_string(i) + "]"); ++i)
        result.push_back(numbers.at(name + "[" + std::to_string(i) + "]"));
    return result;
}

}  // namespace toroid::compiler::tests
