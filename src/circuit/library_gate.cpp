// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include "circuit/blif_model.hpp"

namespace toroid::circuit {
namespace {

struct Family {
    std::string_view name;
    LogicKind kind;
    std::size_t inputs;  ///< 0 = two or more, and a number in the name must agree
};
constexpr std::array<Family, 27> families = {
    {{"and", LogicKind::conjunction, 0},  {"nand", LogicKind::nand, 0},
     {"or", LogicKind::disjunction, 0},   {"nor", LogicKind::nor, 0},
     {"xor", LogicKind::exclusive_or, 0}, {"xnor", LogicKind::xnor, 0},
     {"inv", LogicKind::inversion, 1},    {"not", LogicKind::inversion, 1},
     {"buf", LogicKind::copy, 1},         {"buff", LogicKind::copy, 1},
     {"andnot", LogicKind::andnot, 2},    {"ornot", LogicKind::ornot, 2},
     {"mux", LogicKind::mux, 3},          {"mux2", LogicKind::mux, 3},
     {"nmux", LogicKind::nmux, 3},        {"aoi21", LogicKind::aoi21, 3},
     {"aoi3", LogicKind::aoi21, 3},       {"oai21", LogicKind::oai21, 3},
     {"oai3", LogicKind::oai21, 3},       {"aoi22", LogicKind::aoi22, 4},
     {"aoi4", LogicKind::aoi22, 4},       {"oai22", LogicKind::oai22, 4},
     {"oai4", LogicKind::oai22, 4},       {"zero", LogicKind::constant_0, 0},
     {"gnd", LogicKind::constant_0, 0},   {"one", LogicKind::constant_1, 0},
     {"vcc", LogicKind::constant_1, 0}}};

/// What may follow a family: a number, a drive strength x4 or _x4, or one letter; with the number returned (0
/// = none).
std::optional<std::size_t> suffix_number(std::string_view rest) {
    std::size_t at = 0;
    while (at < rest.size() && std::isdigit(static_cast<unsigned char>(rest[at])) != 0) ++at;
    if (at > 4) return std::nullopt;
    const auto number = parse_count(rest.substr(0, at)).value_or(0);
    rest.remove_prefix(at);
    if (rest.starts_with('_')) rest.remove_prefix(1);
    if (rest.starts_with('x') && rest.size() > 1) {
        rest.remove_prefix(1);
        if (!std::ranges::all_of(rest, [](unsigned char c) { return std::isdigit(c) != 0; }))
            return std::nullopt;
        return number;
    }
    if (rest.empty() || (rest.size() == 1 && std::isalpha(static_cast<unsigned char>(rest[0])) != 0))
        return number;
    return std::nullopt;
}

}  // namespace

std::optional<LibraryGate> find_library_gate(std::string_view name, std::size_t input_pins) {
    std::string word;
    for (const char c : name) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (word.starts_with("$_") && word.ends_with("_") && word.size() > 3)
        word = word.substr(2, word.size() - 3);
    for (const Family& family : families) {
        if (!word.starts_with(family.name)) continue;
        const auto number = suffix_number(std::string_view(word).substr(family.name.size()));
        if (!number) continue;
        const bool is_constant = family.kind == LogicKind::constant_0 || family.kind == LogicKind::constant_1;
        if (is_constant) {
            if (input_pins == 0 && *number == 0) return LibraryGate{family.kind, 0};
        } else if (family.inputs != 0) {
            // A number after a gate of fixed fan-in (inv4) is its drive strength.
            if (input_pins == family.inputs) return LibraryGate{family.kind, input_pins};
        } else if (input_pins >= 2 && (*number == 0 || *number == input_pins)) {
            return LibraryGate{family.kind, input_pins};
        }
    }
    return std::nullopt;
}

bool is_output_pin(std::string_view pin) {
    constexpr std::array<std::string_view, 8> names = {"y", "o", "z", "q", "x", "out", "f", "zn"};
    std::string word;
    for (const char c : pin) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return std::ranges::find(names, word) != names.end();
}

}  // namespace toroid::circuit
