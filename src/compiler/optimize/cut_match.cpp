// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/cut_match.hpp"

#include <bit>

namespace toroid::compiler {
namespace {

constexpr std::array<unsigned, 3> variable_table = {0xaa, 0xcc, 0xf0};

/// Bit m of the result: whether the product of the inputs in m is in the table's algebraic normal form.
unsigned algebraic_normal_form(unsigned table) {
    for (unsigned v = 0; v < 3; ++v) table ^= (table & ~variable_table[v] & 0xff) << (1U << v);
    return table & 0xff;
}

CutMatch family_match(unsigned table) {
    CutMatch match;
    const unsigned form = algebraic_normal_form(table);
    if ((form >> 7 & 1) != 0) return match;
    unsigned light = 0;
    unsigned pairs = 0;
    for (const unsigned product : {3U, 5U, 6U}) {
        if ((form >> product & 1) == 0) continue;
        light |= product;
        ++pairs;
    }
    const auto lights = static_cast<unsigned>(std::popcount(light));
    if (pairs != lights * (lights - (lights != 0 ? 1U : 0U)) / 2) return match;
    match.light = static_cast<std::uint8_t>(light);
    match.heavy = static_cast<std::uint8_t>((form >> 1 & 1) | (form >> 2 & 1) << 1 | (form >> 4 & 1) << 2);
    match.constant = (form & 1) != 0;
    const auto heavies = static_cast<unsigned>(std::popcount(static_cast<unsigned>(match.heavy & ~light)));
    match.weight_norm = static_cast<std::uint8_t>(light != 0 ? lights + 4 * heavies : heavies);
    match.bootstraps = light == 0 && heavies < 2 ? 0 : 1;
    return match;
}

/// select ? one : zero over literals of the other two inputs.
CutMatch multiplexer_match(unsigned table) {
    CutMatch match;
    for (unsigned select = 0; select < 3; ++select) {
        const unsigned first = select == 0 ? 1 : 0;
        const unsigned second = 3 - select - first;
        for (unsigned choice = 0; choice < 8; ++choice) {
            const unsigned one = (choice & 1) != 0 ? first : second;
            const unsigned zero = (choice & 1) != 0 ? second : first;
            const unsigned if_one = variable_table[one] ^ ((choice & 2) != 0 ? 0xffU : 0U);
            const unsigned if_zero = variable_table[zero] ^ ((choice & 4) != 0 ? 0xffU : 0U);
            const unsigned s = variable_table[select];
            if (((s & if_one) | (~s & 0xff & if_zero)) != table) continue;
            match.bootstraps = 2;
            match.is_multiplexer = true;
            match.select = static_cast<std::uint8_t>(select);
            match.if_one = static_cast<std::uint8_t>(one);
            match.if_zero = static_cast<std::uint8_t>(zero);
            match.negated_if_one = (choice & 2) != 0;
            match.negated_if_zero = (choice & 4) != 0;
            return match;
        }
    }
    return match;
}

std::array<CutMatch, 256> make_matches() {
    std::array<CutMatch, 256> out;
    for (unsigned table = 0; table < 256; ++table) {
        out[table] = family_match(table);
        if (out[table].bootstraps == CutMatch::impossible) out[table] = multiplexer_match(table);
    }
    return out;
}

}  // namespace

const std::array<CutMatch, 256>& cut_matches() {
    static const std::array<CutMatch, 256> matches = make_matches();
    return matches;
}

}  // namespace toroid::compiler
