// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "circuit/interface.hpp"
#include "circuit/netlist_reader.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit::yosys_json_tests {

using ::testing::HasSubstr;

struct Reading {
    Circuit circuit;
    std::vector<Warning> warnings;
    [[nodiscard]] std::string all_warnings() const {
        std::string text;
        for (const Warning& warning : warnings) text += warning.place + ": " + warning.message + '\n';
        return text;
    }
};

inline Reading read(const std::string& text) {
    Reading result;
    result.circuit = read_yosys_json(text, "net.json", {false, &result.warnings});
    return result;
}

inline std::string failure(const std::string& text, ErrorKind kind = ErrorKind::circuit,
                           bool strict = false) {
    try {
        (void)read_yosys_json(text, "net.json", {strict, nullptr});
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        EXPECT_THAT(error.what(), HasSubstr("net.json"));
        return error.what();
    }
    return "accepted";
}

// --- small netlists written as the parts that matter

inline std::string port(const std::string& name, const std::string& direction, const std::string& bits,
                        const std::string& more = "") {
    return "\"" + name + "\": {\"direction\": \"" + direction + "\", \"bits\": " + bits + more + "}";
}
inline std::string cell(const std::string& name, const std::string& type, const std::string& connections) {
    return "\"" + name + R"(": {"type": ")" + type + R"(", "connections": {)" + connections + "}}";
}
inline std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ",\n") + part;
    return text;
}
inline std::string module(const std::string& name, const std::vector<std::string>& ports,
                          const std::vector<std::string>& cells, const std::vector<std::string>& nets = {},
                          const std::string& attributes = "") {
    return "\"" + name + "\": {\"attributes\": {" + attributes + "}, \"ports\": {" + joined(ports) +
           "}, \"cells\": {" + joined(cells) + "}, \"netnames\": {" + joined(nets) + "}}";
}
inline std::string file(const std::vector<std::string>& modules) {
    return "{\"modules\": {" + joined(modules) + "}}";
}
inline std::string one(const std::vector<std::string>& ports, const std::vector<std::string>& cells,
                       const std::vector<std::string>& nets = {}) {
    return file({module("m", ports, cells, nets)});
}

inline base::BitVector bits_of(std::uint64_t number, std::size_t width) {
    base::BitVector bits;
    for (std::size_t i = 0; i < width; ++i) bits.push_back((number >> i & 1) != 0);
    return bits;
}
inline std::uint64_t number_of(const base::BitVector& bits) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) number |= static_cast<std::uint64_t>(bits[i]) << i;
    return number;
}

using Steps = std::map<std::string, std::vector<std::uint64_t>>;
inline std::vector<std::uint64_t> run(const Circuit& circuit, const Steps& steps, const std::string& output,
                                      std::uint32_t cycles = 1) {
    Values inputs;
    for (const InputPort& input : circuit.inputs) {
        for (const std::uint64_t number : steps.at(input.name)) {
            inputs[input.name].push_back(bits_of(number, input.signals.size()));
        }
    }
    std::vector<std::uint64_t> result;
    const Values results = simulate(circuit, inputs, cycles);
    for (const base::BitVector& bits : results.at(output)) result.push_back(number_of(bits));
    return result;
}

}  // namespace toroid::circuit::yosys_json_tests
