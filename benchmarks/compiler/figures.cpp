// SPDX-License-Identifier: Apache-2.0
// The compiler's figures: bootstraps, depth, processor seconds and peak memory of well-known programs, each
// compiled afresh for narrow (W 3) and wide (W 14) gates, for size and for depth, beside the figures to
// reach.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "compiler/c/c_reader.hpp"
#include "compiler/measured_row.hpp"
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
    const Row& row;
    bool from_c = false;
    MappingOptions options;

    [[nodiscard]] const Limit& limit() const {
        return row.limits[options.weight_limit == 3 ? 0 : 1][options.objective == Objective::size ? 0 : 1];
    }
    [[nodiscard]] std::string source() const { return from_c ? "C" : "word graph"; }
    [[nodiscard]] std::string objective() const {
        return options.objective == Objective::size ? "size" : "depth";
    }
};

void print(const Case& item, const Measurement& measurement) {
    const std::string head = fmt::format("{:27} {:10} W {:2}  {:5}", item.row.name, item.source(),
                                         item.options.weight_limit, item.objective());
    if (!measurement.error.empty()) {
        fmt::print("{}  {}\n", head, measurement.error);
        return;
    }
    fmt::print("{} {:9} / {:<4} {:>14} {:4} {:8.2f} s {:7.0f} MiB\n", head, measurement.bootstraps,
               measurement.depth, item.limit().text(), item.limit().holds(measurement) ? "" : "MISS",
               measurement.seconds, measurement.peak_mib);
}

nlohmann::json entry_of(const Case& item, const Measurement& measurement) {
    nlohmann::json entry = to_json(measurement);
    entry["program"] = item.row.name;
    entry["source"] = item.source();
    entry["weight_limit"] = item.options.weight_limit;
    entry["objective"] = item.objective();
    entry["limit"] = {{"bootstraps", item.limit().bootstraps}, {"depth", item.limit().depth}};
    entry["within"] = item.limit().holds(measurement);
    return entry;
}

int run(int argc, char** argv) {
    CLI::App app("Bootstraps, depth, seconds and memory of well-known programs through the compiler");
    bool as_json = false;
    bool only_graphs = false;
    std::string only;
    app.add_flag("--json", as_json, "one JSON array instead of a table");
    app.add_flag("--word-graphs", only_graphs, "without the C programs, which need clang");
    app.add_option("--only", only, "only programs whose name has this part");
    CLI11_PARSE(app, argc, argv);
    nlohmann::json all = nlohmann::json::array();
    bool missed = false;
    for (const Row& row : rows()) {
        if (row.name.find(only) == std::string::npos) continue;
        for (const bool from_c : {true, false}) {
            if (from_c && only_graphs) continue;
            for (const MappingOptions& options : {MappingOptions{3, Objective::size},
                                                  {3, Objective::depth},
                                                  {14, Objective::size},
                                                  {14, Objective::depth}}) {
                const Case item{row, from_c, options};
                const Measurement measurement = measure([&] { return compile(row, from_c, options); });
                missed = missed || !item.limit().holds(measurement);
                if (as_json) {
                    all.push_back(entry_of(item, measurement));
                } else {
                    print(item, measurement);
                }
            }
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
