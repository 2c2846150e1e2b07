// SPDX-License-Identifier: Apache-2.0
// The named parameter sets, one row a set. How each was computed: docs/parameters.md.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// log2 of a gate's failure probability at one weight norm, as published with the set.
struct StatedFailure {
    int weight_norm = 0;
    double log2_probability = 0;
};

/// A security figure as published with the set; the model's name decides its source (security_source).
struct StatedSecurity {
    std::string_view model;
    double bits = 0;
};

/// An array that knows how much of it is used, for constexpr rows.
template <typename T, std::size_t capacity>
struct ShortList {
    std::array<T, capacity> items{};
    std::size_t used = 0;

    template <typename... Items>
    constexpr explicit(false) ShortList(Items... given) : items{given...}, used(sizeof...(Items)) {}
    [[nodiscard]] constexpr const T* begin() const { return items.data(); }
    [[nodiscard]] constexpr const T* end() const { return items.data() + used; }
};

struct NamedSet {
    std::string_view name;
    std::string_view purpose;
    bool comparison_only = false;
    GateOrder order = GateOrder::key_switch_first;
    LweLiteral lwe;
    GlweLiteral glwe;
    math::Gadget mask;
    math::Gadget body;
    KeySwitchLiteral key_switch;
    ShortList<StatedFailure, 8> failure;
    ShortList<StatedSecurity, 4> security;
    /// Million FP64 multiply-adds a blind rotation.
    double fma_million = 0;
};

namespace table {

using enum KeyDistribution;
using enum GateOrder;
using F = StatedFailure;
using S = StatedSecurity;

/// The GLWE sample that all of Toroid's own sets share: kN = 1024, ternary.
inline constexpr GlweLiteral own_glwe{
    .ring_dimension = 512, .glwe_dimension = 2, .key = ternary, .std_log2 = -24.97};

}  // namespace table

// clang-format off
inline constexpr std::array named_sets{
    NamedSet{
        .name = "tfhe128", .purpose = "default; standard assumptions",
        .comparison_only = false, .order = table::key_switch_first,
        .lwe = {.dimension = 652, .key = table::binary, .block = 1, .std_log2 = -13.87}, .glwe = table::own_glwe,
        .mask = {8, 2}, .body = {7, 2}, .key_switch = {{2, 6}, 16},
        .failure = {table::F{2, -148.0}, table::F{3, -128.3}, table::F{4, -113.3}, table::F{6, -91.9},
                    table::F{7, -84.1}, table::F{9, -71.9}, table::F{11, -62.9}, table::F{14, -53.1}},
        .security = {table::S{"lwe", 130.1}, table::S{"lwe_attacker_optimises_samples", 128.0}, table::S{"glwe", 128.05}},
        .fma_million = 44.5},
    NamedSet{
        .name = "tfhe128-wide", .purpose = "gates up to W=14, e.g. sums kept as linear forms",
        .comparison_only = false, .order = table::key_switch_first,
        .lwe = {.dimension = 645, .key = table::binary, .block = 1, .std_log2 = -13.69}, .glwe = table::own_glwe,
        .mask = {6, 3}, .body = {7, 2}, .key_switch = {{2, 6}, 16},
        .failure = {table::F{2, -170.7}, table::F{3, -166.1}, table::F{6, -153.9}, table::F{7, -150.3},
                    table::F{9, -143.4}, table::F{11, -137.2}, table::F{14, -128.8}},
        .security = {table::S{"lwe", 130.1}, table::S{"lwe_attacker_optimises_samples", 128.0}, table::S{"glwe", 128.05}},
        .fma_million = 55.1},
    NamedSet{
        .name = "tfhe128-fast", .purpose = "block-binary LWE key, conservative dimension",
        .comparison_only = false, .order = table::key_switch_first,
        .lwe = {.dimension = 777, .key = table::block_binary, .block = 3, .std_log2 = -15.25}, .glwe = table::own_glwe,
        .mask = {8, 2}, .body = {7, 2}, .key_switch = {{2, 7}, 16},
        .failure = {table::F{2, -173.4}, table::F{3, -128.3}, table::F{4, -102.1}, table::F{6, -72.8},
                    table::F{7, -63.8}, table::F{9, -51.3}, table::F{11, -43.0}, table::F{14, -34.8}},
        .security = {table::S{"lwe_ellipsoid", 138.4}, table::S{"lwe_pessimistic_structured_fft", 128.2},
                     table::S{"lwe_meet", 145.0}, table::S{"glwe", 128.05}},
        .fma_million = 29.6},
    NamedSet{
        .name = "tfhe128-fast-wide",
        .purpose = "block-binary LWE key, conservative dimension, gates up to W=14: usually the fastest for arithmetic",
        .comparison_only = false, .order = table::key_switch_first,
        .lwe = {.dimension = 738, .key = table::block_binary, .block = 3, .std_log2 = -14.27}, .glwe = table::own_glwe,
        .mask = {6, 3}, .body = {7, 2}, .key_switch = {{2, 6}, 16},
        .failure = {table::F{2, -261.6}, table::F{3, -240.7}, table::F{6, -194.2}, table::F{7, -182.6},
                    table::F{9, -163.0}, table::F{11, -147.3}, table::F{14, -128.8}},
        .security = {table::S{"lwe_pessimistic_structured_fft", 128.0}, table::S{"lwe_meet", 137.8}, table::S{"glwe", 128.05}},
        .fma_million = 35.4},
    NamedSet{
        .name = "tfhe64", .purpose = "comparison only",
        .comparison_only = true, .order = table::key_switch_first,
        .lwe = {.dimension = 617, .key = table::binary, .block = 1, .std_log2 = -12.94}, .glwe = table::own_glwe,
        .mask = {8, 2}, .body = {7, 2}, .key_switch = {{2, 6}, 16},
        .failure = {table::F{2, -68.8}, table::F{3, -64.6}},
        .security = {table::S{"lwe", 130.1}, table::S{"glwe", 128.05}},
        .fma_million = 42.1},
    NamedSet{
        .name = "tfhe40", .purpose = "comparison only",
        .comparison_only = true, .order = table::key_switch_first,
        .lwe = {.dimension = 625, .key = table::binary, .block = 1, .std_log2 = -13.15}, .glwe = table::own_glwe,
        .mask = {8, 2}, .body = {10, 1}, .key_switch = {{2, 6}, 16},
        .failure = {table::F{2, -49.9}, table::F{3, -40.1}},
        .security = {table::S{"lwe", 130.1}, table::S{"glwe", 128.05}},
        .fma_million = 37.2},
    NamedSet{
        .name = "tfhepp-concrete", .purpose = "comparison only: TFHEpp concrete.hpp",
        .comparison_only = true, .order = table::key_switch_first,
        .lwe = {.dimension = 630, .key = table::binary, .block = 1, .std_log2 = -13.40},
        .glwe = {.ring_dimension = 512, .glwe_dimension = 2, .key = table::ternary, .std_log2 = -24.80},
        .mask = {8, 2}, .body = {10, 1}, .key_switch = {{2, 5}, 16},
        .failure = {table::F{2, -48.4}, table::F{3, -38.0}},
        .security = {table::S{"lwe", 129.3}, table::S{"glwe", 128.9}},
        .fma_million = 37.5},
    NamedSet{
        .name = "tfhepp-blockbinary",
        .purpose = "comparison only: TFHEpp blockbinary.hpp (there with a subset key switch)",
        .comparison_only = true, .order = table::key_switch_first,
        .lwe = {.dimension = 630, .key = table::block_binary, .block = 2, .std_log2 = -13.40},
        .glwe = {.ring_dimension = 512, .glwe_dimension = 2, .key = table::ternary, .std_log2 = -24.80},
        .mask = {8, 2}, .body = {10, 1}, .key_switch = {{2, 5}, 16},
        .failure = {table::F{2, -40.8}, table::F{3, -29.4}},
        .security = {table::S{"lwe_ellipsoid", 126.6}, table::S{"lwe_sparse", 128.1}, table::S{"glwe", 128.9}},
        .fma_million = 25.5},
    NamedSet{
        .name = "tfhepp-128bit", .purpose = "comparison only: TFHEpp 128bit.hpp",
        .comparison_only = true, .order = table::key_switch_first,
        .lwe = {.dimension = 630, .key = table::binary, .block = 1, .std_log2 = -13.40},
        .glwe = {.ring_dimension = 1024, .glwe_dimension = 1, .key = table::ternary, .std_log2 = -25.0},
        .mask = {6, 3}, .body = {6, 3}, .key_switch = {{2, 7}, 16},
        .failure = {table::F{2, -213}, table::F{3, -207}},
        .security = {table::S{"lwe", 129.3}, table::S{"glwe", 127.8}},
        .fma_million = 78.2},
    NamedSet{
        .name = "tfhers-default", .purpose = "comparison only: tfhe-rs boolean DEFAULT_PARAMETERS",
        .comparison_only = true, .order = table::bootstrap_first,
        .lwe = {.dimension = 805, .key = table::binary, .block = 1, .std_log2 = -17.38},
        .glwe = {.ring_dimension = 512, .glwe_dimension = 3, .key = table::binary, .std_log2 = -30.0},
        .mask = {10, 2}, .body = {10, 2}, .key_switch = {{3, 5}, 32},
        .failure = {table::F{2, -312.8}, table::F{3, -298.5}},
        .security = {table::S{"lwe", 132.0}, table::S{"glwe", 155.8}},
        .fma_million = 79.8},
    NamedSet{
        .name = "tfhers-default-ks-pbs", .purpose = "comparison only: tfhe-rs boolean DEFAULT_PARAMETERS_KS_PBS",
        .comparison_only = true, .order = table::key_switch_first,
        .lwe = {.dimension = 739, .key = table::binary, .block = 1, .std_log2 = -15.74},
        .glwe = {.ring_dimension = 512, .glwe_dimension = 3, .key = table::binary, .std_log2 = -30.0},
        .mask = {10, 2}, .body = {10, 2}, .key_switch = {{3, 4}, 32},
        .failure = {table::F{2, -249.7}, table::F{3, -248.4}},
        .security = {table::S{"lwe", 132.1}, table::S{"glwe", 155.8}},
        .fma_million = 73.3},
};
// clang-format on

/// The row as a literal, its security figures with their sources.
[[nodiscard]] ParametersLiteral to_literal(const NamedSet& row);

/// The row of this name, or null.
[[nodiscard]] const NamedSet* find_named_set(std::string_view name);

}  // namespace toroid::scheme
