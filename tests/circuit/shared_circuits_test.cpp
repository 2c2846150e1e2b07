// SPDX-License-Identifier: Apache-2.0
// Every Bristol, BLIF and .bench file of the shared circuits: known answers, and the same function after a
// round trip through each writer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "circuit/interface.hpp"
#include "circuit/netlist_reader.hpp"
#include "circuit/simulator.hpp"
#include "support/seed.hpp"
#include "support/shared_data.hpp"

namespace toroid::circuit {
namespace {

using nlohmann::json;

/// Bits of a hexadecimal number, bit 0 first.
std::vector<bool> bits_of(const std::string& hex, std::size_t width) {
    std::vector<bool> out(width, false);
    std::size_t bit = 0;
    for (std::size_t i = hex.size(); i-- > 2;) {
        const auto digit = static_cast<unsigned>(std::stoi(hex.substr(i, 1), nullptr, 16));
        for (unsigned k = 0; k < 4; ++k, ++bit) {
            if ((digit >> k & 1) == 0) continue;
            if (bit >= width) throw std::out_of_range("value wider than its port: " + hex);
            out[bit] = true;
        }
    }
    return out;
}

struct Layout {
    std::vector<std::pair<std::string, std::size_t>> inputs;
    std::vector<std::pair<std::string, std::size_t>> outputs;
    std::size_t input_bits = 0;
    std::size_t output_bits = 0;
};
Layout layout_of(const Circuit& circuit) {
    Layout out;
    for (const InputPort& port : circuit.inputs) {
        out.inputs.emplace_back(port.name, port.signals.size());
        out.input_bits += port.signals.size();
    }
    for (const OutputPort& port : circuit.outputs) {
        out.outputs.emplace_back(port.name, port.bits.size());
        out.output_bits += port.bits.size();
    }
    return out;
}

/// A value given as one number a port (list or by name) or one for all bits, as bits in port order.
std::vector<bool> flat_bits(const json& value, const std::vector<std::pair<std::string, std::size_t>>& ports,
                            std::size_t total) {
    if (value.is_string()) return bits_of(value.get<std::string>(), total);
    std::vector<bool> out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        std::string text = "0x0";
        if (value.is_array()) {
            text = value.at(i).get<std::string>();
            ++used;
        } else if (value.contains(ports[i].first)) {
            text = value.at(ports[i].first).get<std::string>();
            ++used;
        }
        const auto bits = bits_of(text, ports[i].second);
        out.insert(out.end(), bits.begin(), bits.end());
    }
    if (used != value.size()) throw std::out_of_range("a value without a port: " + value.dump());
    return out;
}

void check_combinational(const Circuit& circuit, const json& vectors) {
    const Layout layout = layout_of(circuit);
    Simulator simulator(circuit);
    for (std::size_t first = 0; first < vectors.size(); first += 64) {
        const std::size_t count = std::min<std::size_t>(64, vectors.size() - first);
        std::vector<std::uint64_t> words(layout.input_bits, 0);
        for (std::size_t v = 0; v < count; ++v) {
            const json& vector = vectors[first + v];
            const auto bits = flat_bits(vector.contains("in") ? vector["in"] : vector["in_bits"],
                                        layout.inputs, layout.input_bits);
            for (std::size_t i = 0; i < bits.size(); ++i)
                words[i] |= static_cast<std::uint64_t>(bits[i]) << v;
        }
        const auto out = simulator.step(words);
        for (std::size_t v = 0; v < count; ++v) {
            const json& vector = vectors[first + v];
            const auto bits = flat_bits(vector.contains("out") ? vector["out"] : vector["out_bits"],
                                        layout.outputs, layout.output_bits);
            for (std::size_t i = 0; i < bits.size(); ++i) {
                ASSERT_EQ((out[i] >> v & 1) != 0, bits[i]) << "vector " << first + v << " output bit " << i;
            }
        }
    }
}

void check_sequential(const Circuit& circuit, const json& entry) {
    const Layout layout = layout_of(circuit);
    Simulator simulator(circuit);
    const json& inputs = entry.at("in_bits");
    ASSERT_GT(inputs.size(), 0U);
    for (std::size_t cycle = 0; cycle < inputs.size(); ++cycle) {
        const auto bits = bits_of(inputs[cycle].get<std::string>(), layout.input_bits);
        std::vector<std::uint64_t> words;
        for (const bool bit : bits) words.push_back(bit ? 1 : 0);
        const auto out = simulator.step(words);
        const auto expected = bits_of(entry.at("out_bits")[cycle].get<std::string>(), layout.output_bits);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ((out[i] & 1) != 0, expected[i]) << "cycle " << cycle << " output bit " << i;
        }
    }
}

void expect_same_function(const Circuit& a, const Circuit& b) {
    ASSERT_EQ(layout_of(a).inputs, layout_of(b).inputs);
    ASSERT_EQ(layout_of(a).outputs, layout_of(b).outputs);
    ASSERT_EQ(a.registers.size(), b.registers.size());
    auto random = tests::generator(10);
    Simulator first(a);
    Simulator second(b);
    for (int cycle = 0; cycle < 4; ++cycle) {
        std::vector<std::uint64_t> words(layout_of(a).input_bits);
        for (auto& word : words) word = random();
        ASSERT_EQ(first.step(words), second.step(words));
    }
}

void check_file(const std::filesystem::path& folder, const std::string& name, const json& files) {
    const json* entry = &files.at(name);
    if (entry->contains("same_as")) entry = &files.at((*entry)["same_as"].get<std::string>());
    std::vector<Warning> warnings;
    Circuit circuit = read_netlist(folder / name, {false, &warnings});
    if (entry->contains("initial_state") && name.ends_with(".bench")) {
        // .bench has no initial values.
        for (Register& item : circuit.registers) item.init = (*entry)["initial_state"] == "all 1";
    }
    if (entry->contains("vectors")) {
        ASSERT_GT((*entry)["vectors"].size(), 0U);
        check_combinational(circuit, (*entry)["vectors"]);
    } else {
        check_sequential(circuit, *entry);
    }
    const std::string blif = write_blif(circuit);
    const Circuit again = read_blif(blif, "again.blif", {true, nullptr});
    expect_same_function(circuit, again);
    expect_same_function(again, read_blif(write_blif(again), "thrice.blif", {true, nullptr}));
    const std::string native = write_native(circuit);
    const Circuit reread = read_native(native, "again.toroid", {true, nullptr});
    EXPECT_EQ(write_native(reread), native);
    expect_same_function(circuit, reread);
}

void check_folder(const std::string& prefix, const std::string& extension, std::size_t at_least) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    const auto folder = shared / "circuits";
    std::ifstream stream(folder / "vectors.json");
    const json files = json::parse(stream).at("files");
    std::size_t checked = 0;
    std::set<std::string> with_vectors;
    for (const auto& [name, entry] : files.items()) {
        if (!name.starts_with(prefix) || name.find(extension) == std::string::npos) continue;
        SCOPED_TRACE(name);
        ASSERT_NO_THROW(check_file(folder, name, files)) << name;
        if (testing::Test::HasFatalFailure()) return;
        with_vectors.insert(name);
        ++checked;
    }
    EXPECT_GE(checked, at_least);
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string name = std::filesystem::relative(file.path(), folder).string();
        if (!file.is_regular_file() || !name.starts_with(prefix) || name.find(extension) == std::string::npos)
            continue;
        EXPECT_TRUE(with_vectors.contains(name)) << name << " has no known answers";
    }
}

TEST(SharedCircuits, BristolFashion) {
    check_folder("bristol-fashion/", ".txt", 18);
}
TEST(SharedCircuits, BristolScale) {
    check_folder("bristol-scale/", ".txt", 4);
}
TEST(SharedCircuits, BristolOld) {
    check_folder("bristol-old/", ".txt", 2);
}
TEST(SharedCircuits, BristolMotion) {
    check_folder("bristol-motion/", ".bristol", 60);
}
TEST(SharedCircuits, Epfl) {
    check_folder("epfl/", ".blif", 19);
}
TEST(SharedCircuits, Iscas85Bench) {
    check_folder("iscas85/bench/", ".bench", 11);
}
TEST(SharedCircuits, Iscas89Bench) {
    check_folder("iscas89/bench/", ".bench", 12);
}
TEST(SharedCircuits, Iscas89Blif) {
    check_folder("iscas89/blif/", ".blif", 12);
}

}  // namespace
}  // namespace toroid::circuit
