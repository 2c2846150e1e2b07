// SPDX-License-Identifier: Apache-2.0
// The compiler's figures: bootstraps, depth, processor seconds and peak memory of well-known programs, each
// compiled afresh for narrow (W 3) and wide (W 14) gates, for size and for depth, beside the figures to
// reach.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

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
    std::function<WordGraph()> make;
    /// By weight (3, 14) and objective (size, depth); where one figure is given it belongs to the objective
    /// that reaches it.
    Limit limits[2][2];
};

std::vector<Row> rows() {
    namespace programs = compiler::programs;
    return {
        {"dot product 16 x int16",
         [] { return programs::dot_product(16, 16, 32); },
         {{{12400, 0}, {12400, 20}}, {{7700, 0}, {7700, 18}}}},
        {"multiply 16x16 signed",
         [] { return programs::multiply(16); },
         {{{740, 0}, {830, 14}}, {{495, 0}, {615, 12}}}},
        {"add 32", [] { return programs::add(32); }, {{{64, 32}, {153, 7}}, {{64, 32}, {136, 6}}}},
        {"less-than 32 signed",
         [] { return programs::signed_less(32); },
         {{{32, 0}, {58, 6}}, {{32, 0}, {58, 6}}}},
        {"popcount 64", [] { return programs::popcount(64); }, {{{126, 11}, {0, 11}}, {{87, 9}, {0, 9}}}},
        {"sort 8 bytes", [] { return programs::sort(8, 8); }, {{{760, 60}, {0, 60}}, {{610, 54}, {0, 54}}}},
        {"look-up 16 x 64 bit",
         [] { return programs::table_entry(4, 64); },
         {{{1600, 7}, {1600, 7}}, {{1112, 5}, {1112, 5}}}},
        {"matrix product 10x10 int16", [] { return programs::matrix_product(10, 16, 32); }, {}},
    };
}

void print(const std::string& name, const MappingOptions& options, const Limit& limit,
           const Measurement& measurement) {
    const std::string mapping = fmt::format("W {:2}  {:5}", options.weight_limit,
                                            options.objective == Objective::size ? "size" : "depth");
    if (!measurement.error.empty()) {
        fmt::print("{:28} {}  {}\n", name, mapping, measurement.error);
        return;
    }
    fmt::print("{:28} {} {:9} / {:<4} {:>14} {:4} {:8.2f} s {:7.0f} MiB\n", name, mapping,
               measurement.bootstraps, measurement.depth, limit.text(),
               limit.holds(measurement) ? "" : "MISS", measurement.seconds, measurement.peak_mib);
}

int run(int argc, char** argv) {
    CLI::App app("Bootstraps, depth, seconds and memory of well-known programs through the compiler");
    bool as_json = false;
    std::string only;
    app.add_flag("--json", as_json, "one JSON array instead of a table");
    app.add_option("--only", only, "only programs whose name has this part");
    CLI11_PARSE(app, argc, argv);
    nlohmann::json all = nlohmann::json::array();
    bool missed = false;
    for (const Row& row : rows()) {
        if (row.name.find(only) == std::string::npos) continue;
        for (const std::size_t wide : {0U, 1U}) {
            for (const Objective objective : {Objective::size, Objective::depth}) {
                const MappingOptions options{wide == 0 ? 3 : 14, objective};
                const Limit& limit = row.limits[wide][objective == Objective::size ? 0 : 1];
                const Measurement measurement =
                    measure([&] { return compiler::lower(row.make(), "program", options); });
                missed = missed || !limit.holds(measurement);
                if (!as_json) {
                    print(row.name, options, limit, measurement);
                    continue;
                }
                nlohmann::json entry = to_json(measurement);
                entry["program"] = row.name;
                entry["source"] = "word graph";
                entry["weight_limit"] = options.weight_limit;
                entry["objective"] = objective == Objective::size ? "size" : "depth";
                entry["limit"] = {{"bootstraps", limit.bootstraps}, {"depth", limit.depth}};
                entry["within"] = limit.holds(measurement);
                all.push_back(std::move(entry));
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
