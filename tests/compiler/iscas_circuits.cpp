// SPDX-License-Identifier: Apache-2.0
// The public ISCAS circuits in Verilog: known answers, and to BLIF and back.
#include <nlohmann/json.hpp>
#include <regex>

#include "compiler/verilog_support.hpp"
#include "support/shared_data.hpp"

namespace toroid::compiler::tests {
namespace {

using nlohmann::json;

std::string slurp(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Names in the order of the .bench file, which the vectors count by.
std::vector<std::string> bench_names(const std::string& text, const std::string& keyword) {
    const std::regex line(keyword + R"(\s*\(\s*([^)\s]+)\s*\))");
    std::vector<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), line); at != std::sregex_iterator(); ++at)
        names.push_back((*at)[1]);
    return names;
}

// The Verilog files put N before a number, and _I or _O behind where one net is both input and output.
const circuit::Interface::Port* find(const std::vector<circuit::Interface::Port>& ports,
                                     const std::string& name, const std::string& suffix) {
    for (const std::string& candidate : {name, "N" + name, "N" + name + suffix}) {
        for (const auto& port : ports) {
            if (port.name == candidate) return &port;
        }
    }
    return nullptr;
}

class Iscas : public ::testing::TestWithParam<std::string> {};

TEST_P(Iscas, GivesTheKnownAnswersAndSurvivesBlif) {
    TOROID_REQUIRE_PROGRAM("yosys");
    TOROID_REQUIRE_SHARED_DATA(shared);
    const std::string suite = GetParam().starts_with("c") ? "iscas85" : "iscas89";
    const std::string bench = suite + "/bench/" + GetParam() + ".bench";
    const std::string bench_text = slurp(shared / "circuits" / bench);
    const json entry = json::parse(slurp(shared / "circuits/vectors.json")).at("files").at(bench);
    const circuit::Circuit original =
        read_files({shared / "circuits" / suite / "verilog" / (GetParam() + ".v")}).circuit;
    const circuit::Circuit again =
        circuit::read_blif(circuit::write_blif(original), GetParam() + ".blif", circuit::ReadOptions{});

    const bool is_sequential = entry.contains("in_bits");
    EXPECT_EQ(original.is_sequential(), is_sequential);
    // Each entry as (inputs, outputs); the sequential files start with one cycle of reset.
    std::vector<std::pair<std::string, std::string>> steps;
    if (is_sequential) {
        for (std::size_t i = 0; i < entry["in_bits"].size(); ++i)
            steps.emplace_back(entry["in_bits"][i], entry["out_bits"][i]);
    } else {
        for (const json& vector : entry.at("vectors"))
            steps.emplace_back(vector.at("in_bits"), vector.at("out_bits"));
    }
    ASSERT_FALSE(steps.empty());
    const auto input_names = bench_names(bench_text, "INPUT");
    const auto output_names = bench_names(bench_text, "OUTPUT");
    for (const circuit::Circuit* circuit : {&original, &again}) {
        const circuit::Interface interface = interface_of(*circuit);
        circuit::Values inputs;
        if (is_sequential) {
            ASSERT_NE(interface.find_input("blif_reset_net"), nullptr);
            inputs["blif_reset_net"].push_back({true});
            for (const std::string& name : input_names)
                inputs[find(interface.inputs, name, "_I")->name].push_back({false});
        }
        for (const auto& [in, out] : steps) {
            const auto bits = base::parse_bits(in, input_names.size(), false, "in_bits");
            for (std::size_t i = 0; i < bits.size(); ++i) {
                const auto* port = find(interface.inputs, input_names[i], "_I");
                ASSERT_NE(port, nullptr) << input_names[i];
                inputs[port->name].push_back({bits[i]});
            }
            if (is_sequential) inputs["blif_reset_net"].push_back({false});
        }
        const std::size_t first = is_sequential ? 1 : 0;
        const circuit::Values outputs =
            simulate(*circuit, inputs, static_cast<std::uint32_t>(steps.size() + first));
        for (std::size_t step = 0; step < steps.size(); ++step) {
            const auto bits = base::parse_bits(steps[step].second, output_names.size(), false, "out_bits");
            for (std::size_t i = 0; i < bits.size(); ++i) {
                const auto* port = find(interface.outputs, output_names[i], "_O");
                ASSERT_NE(port, nullptr) << output_names[i];
                ASSERT_EQ(outputs.at(port->name)[step + first][0], bits[i])
                    << output_names[i] << " in step " << step;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Combinational, Iscas,
                         ::testing::Values("c17", "c432", "c499", "c880", "c1355", "c1908", "c2670", "c3540",
                                           "c5315", "c6288", "c7552"));
INSTANTIATE_TEST_SUITE_P(Sequential, Iscas,
                         ::testing::Values("s27", "s298", "s344", "s386", "s510", "s526", "s713", "s820",
                                           "s1196", "s1423", "s1488", "s5378"));

}  // namespace
}  // namespace toroid::compiler::tests
