// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "print.hpp"
#include "subcommands.hpp"
#include "toroid/parameters.hpp"

namespace toroid::cli {
namespace {

double least_security(const ParameterFigures& figures) {
    double least = 0;
    for (const SecurityFigure& figure : figures.security) {
        if (figure.bits > 0 && (least == 0 || figure.bits < least)) least = figure.bits;
    }
    return least;
}

std::string describe(const ParameterSet& set) {
    const ParameterFigures figures = set.figures();
    std::string text = fmt::format("{}: {}\n", set.name(), figures.purpose);
    text += fmt::format("  fingerprint          {}\n", set.fingerprint());
    text += fmt::format("  LWE key              {}, n={}{}\n", figures.lwe_key, figures.lwe_dimension,
                        figures.block > 1 ? fmt::format(", blocks of {}", figures.block) : "");
    text +=
        fmt::format("  GLWE                 N={}, k={}\n", figures.ring_dimension, figures.glwe_dimension);
    text += fmt::format("  order                {}\n", figures.order);
    text += fmt::format("  encrypted bit        {} bytes\n", figures.ciphertext_bytes);
    text += fmt::format("  evaluation key file  {:.1f} MiB\n",
                        static_cast<double>(figures.evaluation_key_bytes) / (1 << 20));
    text += fmt::format("  blind rotation       {:.1f} million FP64 multiply-adds\n",
                        figures.blind_rotation_fma / 1e6);
    text += fmt::format(
        "  variance (log2)      blind rotation {:.2f}, key switch {:.2f}, modulus switch {:.2f}\n",
        std::log2(figures.blind_rotation_variance), std::log2(figures.key_switch_variance),
        std::log2(figures.modulus_switch_variance));
    text += "  gate fails           ";
    for (const double norm : {2.0, 3.0, 6.0, 14.0}) {
        text += fmt::format("{}W={}: 2^{:.1f}", norm > 2 ? ", " : "", norm, set.gate_failure_log2(norm));
    }
    text += fmt::format("\n  2^-128 up to         W={:.2f}\n", figures.largest_weight_norm);
    for (const SecurityFigure& figure : figures.security) {
        text += fmt::format("  security             {} bits: {} ({})\n",
                            figure.bits > 0 ? fmt::format("{:.2f}", figure.bits) : "not computed;",
                            figure.model, figure.source);
    }
    for (const SecurityMargin& margin : figures.margins) {
        text += fmt::format("  security             {}: {}, noise 2^{:.3f} times the least with 128 bits",
                            margin.model, margin.meets_128() ? "128 bits" : "not shown to have 128 bits",
                            margin.std_margin_log2);
        if (margin.required_log2 > 0) text += fmt::format(", 2^{:.2f} needed", margin.required_log2);
        text += fmt::format(" ({})\n", margin.source);
    }
    if (figures.comparison_only)
        text += fmt::format("  for comparisons only, not safe to use: {}\n", figures.comparison_reason);
    return text;
}

nlohmann::ordered_json figures_json(const ParameterSet& set) {
    const ParameterFigures figures = set.figures();
    nlohmann::ordered_json json;
    json["name"] = set.name();
    json["purpose"] = figures.purpose;
    json["fingerprint"] = set.fingerprint();
    json["comparison_only"] = figures.comparison_only;
    json["comparison_reason"] = figures.comparison_reason;
    json["order"] = figures.order;
    json["lwe_key"] = figures.lwe_key;
    json["lwe_dimension"] = figures.lwe_dimension;
    json["block"] = figures.block;
    json["ring_dimension"] = figures.ring_dimension;
    json["glwe_dimension"] = figures.glwe_dimension;
    json["ciphertext_bytes"] = figures.ciphertext_bytes;
    json["evaluation_key_bytes"] = figures.evaluation_key_bytes;
    json["largest_weight_norm"] = figures.largest_weight_norm;
    json["security"] = nlohmann::ordered_json::array();
    for (const SecurityFigure& figure : figures.security) {
        json["security"].push_back(
            {{"model", figure.model}, {"bits", figure.bits}, {"source", figure.source}});
    }
    json["blind_rotation_fma"] = figures.blind_rotation_fma;
    return json;
}

void list(bool as_json) {
    if (as_json) {
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const ParameterSet& set : ParameterSet::all()) json.push_back(figures_json(set));
        print_text(json.dump(2) + "\n");
        return;
    }
    std::string text = fmt::format("{:<24}{:>5} {:<13}{:>9}{:>10}{:>11}  {}\n", "name", "n", "LWE key",
                                   "security", "2^-128 to", "key file", "purpose");
    for (const ParameterSet& set : ParameterSet::all()) {
        const ParameterFigures figures = set.figures();
        text += fmt::format(
            "{:<24}{:>5} {:<13}{:>9.1f}{:>10}{:>7.1f} MiB  {}{}\n", set.name(), figures.lwe_dimension,
            figures.lwe_key, least_security(figures),
            figures.largest_weight_norm > 0 ? fmt::format("W={:.1f}", figures.largest_weight_norm) : "none",
            static_cast<double>(figures.evaluation_key_bytes) / (1 << 20), figures.purpose,
            figures.comparison_only ? " [not for use]" : "");
    }
    print_text(text);
}

}  // namespace

void add_params(CLI::App& app) {
    CLI::App* command = app.add_subcommand("params", "List, show and check parameter sets");
    command->require_subcommand(1);
    command->footer(
        "Examples:\n"
        "  toroid params list\n"
        "  toroid params show tfhe128-wide --json\n"
        "  toroid params check mine.json");

    CLI::App* list_command = command->add_subcommand("list", "All named sets");
    const auto list_json = std::make_shared<bool>(false);
    list_command->add_flag("--json", *list_json, "As JSON");
    list_command->callback([list_json] { list(*list_json); });

    CLI::App* show =
        command->add_subcommand("show", "One named set: sizes, noise, security and where it comes from");
    const auto name = std::make_shared<std::string>();
    const auto show_json = std::make_shared<bool>(false);
    show->add_option("name", *name, "Name of the set")->required()->type_name("NAME");
    show->add_flag("--json", *show_json, "The set itself as JSON, to start a set of your own from");
    show->callback([name, show_json] {
        const ParameterSet set = ParameterSet::named(*name);
        print_text(*show_json ? set.to_json() : describe(set));
    });

    CLI::App* check =
        command->add_subcommand("check", "Check a set of your own; every reason to refuse it is named");
    const auto file = std::make_shared<std::filesystem::path>();
    check->add_option("file", *file, "Parameter set as JSON")->required()->type_name("FILE");
    check->callback([file] { print_text(describe(ParameterSet::load(*file))); });
}

}  // namespace toroid::cli
