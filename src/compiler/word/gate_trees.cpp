// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/gate_trees.hpp"

#include <algorithm>

namespace toroid::compiler {
namespace {

/// Sorts by level, then by code, so that equal words give equal trees.
void sort_by_level(const GateNet& net, std::vector<Literal>& literals) {
    std::sort(literals.begin(), literals.end(), [&](Literal a, Literal b) {
        return net.level(a) != net.level(b) ? net.level(a) < net.level(b) : a.code() < b.code();
    });
}

void insert_by_level(const GateNet& net, std::vector<Literal>& literals, Literal literal) {
    const auto at = std::upper_bound(literals.begin(), literals.end(), literal, [&](Literal a, Literal b) {
        return net.level(a) != net.level(b) ? net.level(a) < net.level(b) : a.code() < b.code();
    });
    literals.insert(at, literal);
}

}  // namespace

Literal and_of(GateNet& net, std::vector<Literal> operands) {
    std::sort(operands.begin(), operands.end(), [](Literal a, Literal b) { return a.code() < b.code(); });
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        if (operands[i + 1] == !operands[i]) return Literal::constant(false);
    }
    if (!operands.empty() && operands.front() == Literal::constant(false)) return operands.front();
    std::erase(operands, Literal::constant(true));
    if (operands.empty()) return Literal::constant(true);
    sort_by_level(net, operands);
    while (operands.size() > 1) {
        const Literal gate = net.and_gate(operands[0], operands[1]);
        operands.erase(operands.begin(), operands.begin() + 2);
        insert_by_level(net, operands, gate);
    }
    return operands.front();
}

Literal or_of(GateNet& net, std::vector<Literal> operands) {
    for (Literal& operand : operands) operand = !operand;
    return !and_of(net, std::move(operands));
}

Literal xor_of(GateNet& net, std::vector<Literal> operands) {
    return xor_of_products(net, std::move(operands), {});
}

Literal xor_of_products(GateNet& net, std::vector<Literal> operands,
                        std::vector<std::pair<Literal, Literal>> products) {
    bool negated = false;
    // What is not a product after all joins the operands.
    std::erase_if(products, [&](const auto& product) {
        const auto [a, b] = product;
        if (!a.is_constant() && !b.is_constant() && a.signal() != b.signal()) return false;
        operands.push_back(net.and_gate(a, b));
        return true;
    });
    for (Literal& operand : operands) {
        negated ^= operand.negated();
        if (operand.negated()) operand = !operand;
    }
    std::sort(operands.begin(), operands.end(), [](Literal a, Literal b) { return a.code() < b.code(); });
    std::vector<Literal> open;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].is_constant()) continue;
        if (i + 1 < operands.size() && operands[i] == operands[i + 1]) {
            ++i;
        } else {
            open.push_back(operands[i]);
        }
    }
    sort_by_level(net, open);
    const auto product_level = [&](const auto& product) {
        return std::max(net.level(product.first), net.level(product.second));
    };
    std::stable_sort(products.begin(), products.end(),
                     [&](const auto& a, const auto& b) { return product_level(a) < product_level(b); });
    const auto fan_in = static_cast<std::size_t>(net.weight_limit());
    const auto heavy_limit =
        net.weight_limit() >= 6 ? static_cast<std::size_t>(net.weight_limit() - 2) / 4 : 0;
    // The latest products take the earliest other operands along, as long as a wide XOR could not hold all.
    std::size_t next = 0;
    const auto make_ands = [&](std::size_t count) {
        for (; next < count; ++next)
            insert_by_level(net, open, net.and_gate(products[next].first, products[next].second));
    };
    if (heavy_limit != 0 && !products.empty()) {
        // With one AX for each group the root needs `total - taken` operands.
        const std::size_t total = products.size() + open.size();
        std::size_t takers = 0;
        if (total > fan_in) {
            takers = (total - fan_in + heavy_limit - 1) / heavy_limit;
        } else if (total > 1 && total - 1 <= heavy_limit) {
            takers = 1;  // one gate holds everything
        }
        takers = std::min(takers, products.size());
        make_ands(products.size() - takers);
        for (; next < products.size(); ++next) {
            const std::size_t left = open.size() + (products.size() - next) - 1;
            const bool last = next + 1 == products.size();
            // Taking one more than needed would leave the root a single operand to no end.
            std::size_t take = std::min(heavy_limit, open.size());
            if (last && left > fan_in) take = std::min(take, left - fan_in + 1);
            const std::vector<Literal> heavy(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(take));
            open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(take));
            const Literal light[] = {products[next].first, products[next].second};
            Literal gate = net.e2_gate(light, heavy);
            negated ^= gate.negated();
            if (gate.negated()) gate = !gate;
            insert_by_level(net, open, gate);
        }
    } else {
        make_ands(products.size());
    }
    if (open.empty()) return Literal::constant(negated);
    while (open.size() > 1) {
        // The first gate takes what leaves full ones for the rest.
        const std::size_t take = open.size() <= fan_in ? open.size() : (open.size() - 2) % (fan_in - 1) + 2;
        const std::vector<Literal> heavy(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(take));
        open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(take));
        Literal gate = net.e2_gate({}, heavy);
        negated ^= gate.negated();
        if (gate.negated()) gate = !gate;
        insert_by_level(net, open, gate);
    }
    return negated ? !open.front() : open.front();
}

}  // namespace toroid::compiler
