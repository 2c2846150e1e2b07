// SPDX-License-Identifier: Apache-2.0
#include "circuit/yosys_json_cells.hpp"

#include <algorithm>
#include <array>

namespace toroid::circuit {
namespace {

using Function = YosysGateType::Function;

constexpr std::array gate_types = {
    YosysGateType{"$_BUF_", Function::buffer, "A"},
    YosysGateType{"$_NOT_", Function::inverter, "A"},
    YosysGateType{"$_AND_", Function::and2, "AB"},
    YosysGateType{"$_NAND_", Function::nand2, "AB"},
    YosysGateType{"$_OR_", Function::or2, "AB"},
    YosysGateType{"$_NOR_", Function::nor2, "AB"},
    YosysGateType{"$_XOR_", Function::xor2, "AB"},
    YosysGateType{"$_XNOR_", Function::xnor2, "AB"},
    YosysGateType{"$_ANDNOT_", Function::and_not, "AB"},
    YosysGateType{"$_ORNOT_", Function::or_not, "AB"},
    YosysGateType{"$_MUX_", Function::mux, "ABS"},
    YosysGateType{"$_NMUX_", Function::negated_mux, "ABS"},
    YosysGateType{"$_MUX4_", Function::mux, "ABCDST"},
    YosysGateType{"$_MUX8_", Function::mux, "ABCDEFGHSTU"},
    YosysGateType{"$_MUX16_", Function::mux, "ABCDEFGHIJKLMNOPSTUV"},
    YosysGateType{"$_AOI3_", Function::and_or_invert3, "ABC"},
    YosysGateType{"$_OAI3_", Function::or_and_invert3, "ABC"},
    YosysGateType{"$_AOI4_", Function::and_or_invert4, "ABCD"},
    YosysGateType{"$_OAI4_", Function::or_and_invert4, "ABCD"},
};

// Pattern letters: Clock, Enable, Set, Reset, Load are N or P in the type's name; V, the reset value, is 0
// or 1.
struct FlipFlopFamily {
    std::string_view prefix;
    std::string_view pattern;
    bool reset_is_asynchronous;
    bool enable_over_reset;
};
constexpr std::array flip_flop_families = {
    FlipFlopFamily{"$_FF_", "", false, false},        FlipFlopFamily{"$_DFF_", "C", false, false},
    FlipFlopFamily{"$_DFF_", "CRV", true, false},     FlipFlopFamily{"$_DFFE_", "CE", false, false},
    FlipFlopFamily{"$_DFFE_", "CRVE", true, false},   FlipFlopFamily{"$_DFFSR_", "CSR", true, false},
    FlipFlopFamily{"$_DFFSRE_", "CSRE", true, false}, FlipFlopFamily{"$_ALDFF_", "CL", false, false},
    FlipFlopFamily{"$_ALDFFE_", "CLE", false, false}, FlipFlopFamily{"$_SDFF_", "CRV", false, false},
    FlipFlopFamily{"$_SDFFE_", "CRVE", false, false}, FlipFlopFamily{"$_SDFFCE_", "CRVE", false, true},
};

// The letters of the type name that stand for the pattern, if the name is of this family.
std::optional<std::string_view> letters_of(const FlipFlopFamily& family, std::string_view type) {
    if (!type.starts_with(family.prefix)) return std::nullopt;
    std::string_view letters = type.substr(family.prefix.size());
    if (family.pattern.empty()) return letters.empty() ? std::optional(letters) : std::nullopt;
    if (letters.size() != family.pattern.size() + 1 || letters.back() != '_') return std::nullopt;
    letters.remove_suffix(1);
    return letters;
}

bool apply(YosysFlipFlopType& type, char what, char letter) {
    using Level = YosysFlipFlopType::Level;
    if (what == 'V') {
        type.reset_value = letter == '1';
        return letter == '0' || letter == '1';
    }
    if (letter != 'N' && letter != 'P') return false;
    const Level level = letter == 'P' ? Level::high : Level::low;
    switch (what) {
        case 'C':
            type.clock = level;
            break;
        case 'E':
            type.enable = level;
            break;
        case 'S':
            type.set = level;
            break;
        case 'R':
            type.reset = level;
            break;
        default:
            type.load = level;
    }
    return true;
}

}  // namespace

const YosysGateType* find_yosys_gate(std::string_view type) {
    const auto* const found = std::find_if(gate_types.begin(), gate_types.end(),
                                           [&](const YosysGateType& gate) { return gate.name == type; });
    return found == gate_types.end() ? nullptr : found;
}

Literal build_yosys_gate(CircuitBuilder& builder, Function function, std::span<const Literal> in) {
    switch (function) {
        case Function::buffer:
            return in[0];
        case Function::inverter:
            return !in[0];
        case Function::and2:
            return builder.and_gate(in[0], in[1]);
        case Function::nand2:
            return !builder.and_gate(in[0], in[1]);
        case Function::or2:
            return builder.or_gate(in[0], in[1]);
        case Function::nor2:
            return !builder.or_gate(in[0], in[1]);
        case Function::xor2:
            return builder.xor_gate(in[0], in[1]);
        case Function::xnor2:
            return !builder.xor_gate(in[0], in[1]);
        case Function::and_not:
            return builder.and_gate(in[0], !in[1]);
        case Function::or_not:
            return builder.or_gate(in[0], !in[1]);
        case Function::negated_mux:
            return !builder.mux(in[2], in[1], in[0]);
        case Function::mux: {
            std::size_t data = 2;
            while (data + static_cast<std::size_t>(__builtin_ctzll(data)) != in.size()) data *= 2;
            std::vector<Literal> level(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(data));
            for (const Literal select : in.subspan(data)) {
                for (std::size_t i = 0; i < level.size() / 2; ++i) {
                    level[i] = builder.mux(select, level[2 * i + 1], level[2 * i]);
                }
                level.resize(level.size() / 2);
            }
            return level.front();
        }
        case Function::and_or_invert3:
            return !builder.or_gate(builder.and_gate(in[0], in[1]), in[2]);
        case Function::or_and_invert3:
            return !builder.and_gate(builder.or_gate(in[0], in[1]), in[2]);
        case Function::and_or_invert4:
            return !builder.or_gate(builder.and_gate(in[0], in[1]), builder.and_gate(in[2], in[3]));
        case Function::or_and_invert4:
            return !builder.and_gate(builder.or_gate(in[0], in[1]), builder.or_gate(in[2], in[3]));
    }
    return {};
}

std::optional<YosysFlipFlopType> parse_yosys_flip_flop(std::string_view type) {
    for (const FlipFlopFamily& family : flip_flop_families) {
        const auto letters = letters_of(family, type);
        if (!letters) continue;
        YosysFlipFlopType result;
        result.reset_is_asynchronous = family.reset_is_asynchronous;
        result.enable_over_reset = family.enable_over_reset;
        bool well_formed = true;
        for (std::size_t i = 0; i < letters->size(); ++i) {
            well_formed = apply(result, family.pattern[i], (*letters)[i]) && well_formed;
        }
        if (well_formed) return result;
    }
    return std::nullopt;
}

bool is_yosys_latch(std::string_view type) {
    return type.starts_with("$_DLATCH") || type.starts_with("$_SR_") || type == "$dlatch" ||
           type == "$adlatch" || type == "$dlatchsr" || type == "$sr";
}

}  // namespace toroid::circuit
