// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "circuit/net_graph.hpp"

namespace toroid::circuit {
namespace {

constexpr std::size_t largest_cover_table = 8;

/// Bootstraps of the sum of products, before any sharing.
std::size_t sum_of_products_cost(std::span<const std::string_view> rows) {
    std::size_t cost = rows.size() - 1;
    for (const std::string_view row : rows) {
        const auto literals =
            static_cast<std::size_t>(std::ranges::count_if(row, [](char c) { return c != '-'; }));
        cost += literals == 0 ? 0 : literals - 1;
    }
    return cost;
}

std::vector<std::uint64_t> table_of(std::span<const std::string_view> rows, std::size_t inputs) {
    std::vector<std::uint64_t> bits(inputs < 6 ? 1 : std::size_t{1} << (inputs - 6));
    for (std::size_t index = 0; index < std::size_t{1} << inputs; ++index) {
        const bool value = std::ranges::any_of(rows, [&](std::string_view row) {
            for (std::size_t i = 0; i < inputs; ++i) {
                if (row[i] != '-' && (row[i] == '1') != ((index >> i & 1) != 0)) return false;
            }
            return true;
        });
        if (value) bits[index / 64] |= std::uint64_t{1} << (index % 64);
    }
    return bits;
}

}  // namespace

/// Bootstraps of the table on free inputs.
std::uint64_t CoverSynthesis::table_cost(const std::vector<std::uint64_t>& table, std::size_t inputs) {
    std::string key(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(table[0]));
    key += static_cast<char>(inputs);
    const auto [entry, is_new] = table_costs_.try_emplace(std::move(key), 0);
    if (is_new) {
        CircuitBuilder trial("");
        const auto x = trial.add_input("x", static_cast<std::uint32_t>(inputs));
        trial.add_output("y", {trial.table(x, table)});
        entry->second = trial.finish().bootstraps();
    }
    return entry->second;
}

Literal CoverSynthesis::build(std::span<const Literal> inputs, std::span<const std::string_view> rows,
                              bool off_set) {
    const auto finish = [&](Literal literal) { return off_set ? !literal : literal; };
    if (rows.empty()) return finish(Literal::constant(false));
    const std::size_t cost = sum_of_products_cost(rows);
    if (rows.size() > 1 && cost > 1 && inputs.size() <= largest_cover_table) {
        const auto table = table_of(rows, inputs.size());
        if (inputs.size() <= 3 || table_cost(table, inputs.size()) <= cost) {
            return finish(builder_.table(inputs, table));
        }
    }
    std::vector<Literal> products;
    std::vector<Literal> factors;
    for (const std::string_view row : rows) {
        factors.clear();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (row[i] != '-') factors.push_back(row[i] == '1' ? inputs[i] : !inputs[i]);
        }
        products.push_back(builder_.and_of(factors));
    }
    return finish(builder_.or_of(products));
}

std::vector<PortGroup> group_ports(const std::vector<std::string>& names) {
    struct Base {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> bits;  ///< index, position
        bool complete = false;
    };
    std::unordered_map<std::string_view, Base> bases;
    std::unordered_map<std::string_view, bool> plain;
    const auto split = [](std::string_view name) -> std::pair<std::string_view, std::uint32_t> {
        const std::size_t open = name.rfind('[');
        if (open == std::string_view::npos || open == 0 || name.back() != ']') return {};
        const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
        std::uint32_t index = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
        const bool padded = digits.size() > 1 && digits.front() == '0';
        if (digits.empty() || padded || error != std::errc() || end != digits.data() + digits.size())
            return {};
        return {name.substr(0, open), index};
    };
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        plain.emplace(names[i], true);
        if (const auto [base, index] = split(names[i]); !base.empty())
            bases[base].bits.emplace_back(index, i);
    }
    for (auto& [name, base] : bases) {
        std::ranges::sort(base.bits);
        base.complete = base.bits.size() > 1 && !plain.contains(name);
        for (std::uint32_t i = 0; i < base.bits.size(); ++i) base.complete &= base.bits[i].first == i;
    }
    std::vector<PortGroup> out;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        const auto [name, index] = split(names[i]);
        if (name.empty() || !bases[name].complete) {
            out.push_back({names[i], {i}});
            continue;
        }
        Base& base = bases[name];
        if (base.bits.empty()) continue;  // made at its first bit
        PortGroup group{std::string(name), {}};
        for (const auto& bit : base.bits) group.members.push_back(bit.second);
        base.bits.clear();
        out.push_back(std::move(group));
    }
    return out;
}

}  // namespace toroid::circuit
