// SPDX-License-Identifier: Apache-2.0
// The compiler's figures: bootstraps, depth, processor seconds and peak memory of well-known programs, each
// compiled afresh for narrow (W 3) and wide (W 14) gates, for size and for depth, and of public netlists,
// beside the figures to reach.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "circuit/netlist_reader.hpp"
#include "compiler/c/c_reader.hpp"
#include "compiler/measured_row.hpp"
#include "compiler/optimize/optimizer.hpp"
#include "compiler/word/lower.hpp"
#include "compiler/word_programs.hpp"

namespace toroid::benchmark {
namespace {

using compiler::MappingOptions;
using compiler::Objective;
using compiler::WordGraph;

/// At most this many; 0 is no limit.
struct Limit {
    std::uint64_t bootstraps = 0;
    std::uint32_t depth = 0;

    [[nodiscard]] bool holds(const Measurement& measurement) const {
        return measurement.error.empty() && (bootstraps == 0 || measurement.bootstraps <= bootstraps) &&
               (depth == 0 || measurement.depth <= depth);
    }
    [[nodiscard]] std::string text() const {
        if (bootstraps == 0 && depth == 0) return "-";
        const auto figure = [](std::uint64_t value) { return value == 0 ? "-" : fmt::format("{}", value); };
        return fmt::format("{} / {}", figure(bootstraps), figure(depth));
    }
};

struct Row {
    std::string name;
    std::string program;  ///< programs/<program>.c
    std::function<WordGraph()> make;
    /// By weight (3, 14) and objective (size, depth); where one figure is given it belongs to the objective
    /// that reaches it.
    Limit limits[2][2];
};

std::vector<Row> rows() {
    namespace programs = compiler::programs;
    return {
        {"dot product 16 x int16",
         "dot_product",
         [] { return programs::dot_product(16, 16, 32); },
         {{{12400, 0}, {12400, 20}}, {{7700, 0}, {7700, 18}}}},
        {"multiply 16x16 signed",
         "multiply",
         [] { return programs::multiply(16); },
         {{{740, 0}, {830, 14}}, {{495, 0}, {615, 12}}}},
        {"add 32", "add", [] { return programs::add(32); }, {{{64, 32}, {153, 7}}, {{64, 32}, {136, 6}}}},
        {"less-than 32 signed",
         "less_than",
         [] { return programs::signed_less(32); },
         {{{32, 0}, {58, 6}}, {{32, 0}, {58, 6}}}},
        {"popcount 64",
         "popcount",
         [] { return programs::popcount(64); },
         {{{126, 11}, {0, 11}}, {{87, 9}, {0, 9}}}},
        {"sort 8 bytes",
         "sort",
         [] { return programs::sort(8, 8); },
         {{{760, 60}, {0, 60}}, {{610, 54}, {0, 54}}}},
        {"look-up 16 x 64 bit",
         "table_entry",
         [] { return programs::table_entry(4, 64); },
         {{{1600, 7}, {1600, 7}}, {{1112, 5}, {1112, 5}}}},
        {"matrix product 10x10 int16",
         "matrix_product",
         [] { return programs::matrix_product(10, 16, 32); },
         {}},
    };
}

/// The circuit from plain C, or from the graph that the row makes.
circuit::Circuit compile(const Row& row, bool from_c, const MappingOptions& options) {
    if (!from_c) return compiler::lower(row.make(), row.program, options);
    compiler::COptions source;
    source.files = {std::filesystem::path(TOROID_BENCHMARK_PROGRAMS) / (row.program + ".c")};
    const compiler::CProgram program = compiler::read_c(source);
    return compiler::lower(program.graph, program.name, options);
}

/// What one line of the table is about.
struct Case {
    std::string program;
    std::string source;
    int weight_limit = 3;
    std::string objective;
    Limit limit;
    std::function<circuit::Circuit()> make;
};

std::vector<Case> program_cases(bool only_graphs) {
    std::vector<Case> out;
    for (const Row& row : rows()) {
        for (const bool from_c : {true, false}) {
            if (from_c && only_graphs) continue;
            for (const int weight_limit : {3, 14}) {
                for (const Objective objective : {Objective::size, Objective::depth}) {
                    const MappingOptions options{weight_limit, objective};
                    const bool is_size = objective == Objective::size;
                    out.push_back({row.name, from_c ? "C" : "word graph", weight_limit,
                                   is_size ? "size" : "depth",
                                   row.limits[weight_limit == 3 ? 0 : 1][is_size ? 0 : 1],
                                   [row, from_c, options] { return compile(row, from_c, options); }});
                }
            }
        }
    }
    return out;
}

/// Public netlists through the optimiser; one circuit each holds both figures.
std::vector<Case> netlist_cases(const std::filesystem::path& folder) {
    struct Netlist {
        const char* name;
        const char* file;
        int weight_limit;
        const char* objective;
        Limit limit;
    };
    constexpr Netlist netlists[] = {
        {"AES-128, Bristol Fashion", "bristol-fashion/aes_128.txt", 3, "balanced", {27000, 190}},
        {"AES-128, Bristol Fashion", "bristol-fashion/aes_128.txt", 14, "depth", {20700, 155}},
        {"ISCAS c6288", "iscas85/bench/c6288.bench", 3, "size", {760, 32}},
        {"ISCAS c6288", "iscas85/bench/c6288.bench", 14, "size", {750, 31}},
        {"EPFL multiplier", "epfl/multiplier.blif", 3, "size", {13100, 135}},
        {"EPFL multiplier", "epfl/multiplier.blif", 14, "size", {13050, 132}}};
    std::vector<Case> out;
    for (const Netlist& netlist : netlists) {
        compiler::OptimizerOptions options;
        const std::string objective = netlist.objective;
        options.mapping = {netlist.weight_limit, objective == "depth" ? Objective::depth : Objective::size};
        options.is_balanced = objective == "balanced";
        out.push_back({netlist.name, "netlist", netlist.weight_limit, objective, netlist.limit,
                       [path = folder / netlist.file, options] {
                           return compiler::optimize(circuit::read_netlist(path, {}), options);
                       }});
    }
    return out;
}

/// The folder of public circuits beside the checkout (TOROID_SHARED_DATA, else ../shared), if it is there.
std::filesystem::path default_circuits() {
    const char* chosen = std::getenv("TOROID_SHARED_DATA");
    const std::filesystem::path shared =
        chosen != nullptr ? chosen : std::filesystem::path(TOROID_SOURCE_DIR).parent_path() / "shared";
    const std::filesystem::path folder = shared / "circuits";
    return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

void print(const Case& item, const Measurement& measurement) {
    const std::string head =
        fmt::format("{:27} {:10} W {:2}  {:8}", item.program, item.source, item.weight_limit, item.objective);
    if (!measurement.error.empty()) {
        fmt::print("{}  {}\n", head, measurement.error);
        return;
    }
    fmt::print("{} {:9} / {:<4} {:>14} {:4} {:8.2f} s {:7.0f} MiB\n", head, measurement.bootstraps,
               measurement.depth, item.limit.text(), item.limit.holds(measurement) ? "" : "MISS",
               measurement.seconds, measurement.peak_mib);
}

nlohmann::json entry_of(const Case& item, const Measurement& measurement) {
    nlohmann::json entry = to_json(measurement);
    entry["program"] = item.program;
    entry["source"] = item.source;
    entry["weight_limit"] = item.weight_limit;
    entry["objective"] = item.objective;
    entry["limit"] = {{"bootstraps", item.limit.bootstraps}, {"depth", item.limit.depth}};
    entry["within"] = item.limit.holds(measurement);
    return entry;
}

int run(int argc, char** argv) {
    CLI::App app("Bootstraps, depth, seconds and memory of well-known programs through the compiler");
    bool as_json = false;
    bool only_graphs = false;
    std::string only;
    app.add_flag("--json", as_json, "one JSON array instead of a table");
    app.add_flag("--word-graphs", only_graphs, "without the C programs, which need clang");
    std::filesystem::path circuits = default_circuits();
    app.add_option("--circuits", circuits, "folder of public netlists")->check(CLI::ExistingDirectory);
    app.add_option("--only", only, "only programs whose name has this part");
    CLI11_PARSE(app, argc, argv);
    std::vector<Case> cases = program_cases(only_graphs);
    if (!circuits.empty()) {
        for (Case& item : netlist_cases(circuits)) cases.push_back(std::move(item));
    } else {
        fmt::print(stderr, "compiler_figures: no public circuits (--circuits): their rows are left out\n");
    }
    nlohmann::json all = nlohmann::json::array();
    bool missed = false;
    for (const Case& item : cases) {
        if (item.program.find(only) == std::string::npos) continue;
        const Measurement measurement = measure(item.make);
        missed = missed || !item.limit.holds(measurement);
        if (as_json) {
            all.push_back(entry_of(item, measurement));
        } else {
            print(item, measurement);
        }
    }
    if (as_json) fmt::print("{}\n", all.dump(2));
    return missed ? 1 : 0;
}

}  // namespace
}  // namespace toroid::benchmark

int main(int argc, char** argv) {
    try {
        return toroid::benchmark::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "compiler_figures: {}\n", error.what());
        return 2;
    }
}
