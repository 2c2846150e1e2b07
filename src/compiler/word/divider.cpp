// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/divider.hpp"

#include <algorithm>

#include "compiler/word/carry_chain.hpp"
#include "compiler/word/selection.hpp"

namespace toroid::compiler {
namespace {

const Literal zero = Literal::constant(false);
const Literal one = Literal::constant(true);

std::size_t significant(std::span<const Literal> word) {
    std::size_t out = word.size();
    while (out > 0 && word[out - 1] == zero) --out;
    return out;
}

struct Step {
    Literal fits;  ///< rest >= divisor
    std::vector<Literal> rest;
};

/// rest - divisor if that is not negative. `above`: whether the divisor has bits beyond the rest's.
Step subtract_if_fits(GateNet& net, const std::vector<Literal>& rest, std::span<const Literal> divisor,
                      Literal above, Objective objective) {
    const std::size_t width = rest.size();
    const auto inverted = [&](std::size_t i) { return i < divisor.size() ? !divisor[i] : one; };
    Step out;
    if (objective == Objective::depth) {
        // One position more: its sum bit is the borrow.
        std::vector<Literal> a = rest;
        std::vector<Literal> b;
        for (std::size_t i = 0; i < width; ++i) b.push_back(inverted(i));
        a.push_back(zero);
        b.push_back(one);
        const std::vector<Literal> difference = CarryChain(net, a, b, one).sum(objective);
        out.fits = net.and_gate(!difference.back(), !above);
        for (std::size_t i = 0; i < width; ++i)
            out.rest.push_back(choose(net, out.fits, difference[i], rest[i]));
        return out;
    }
    std::vector<Literal> carries{one};
    for (std::size_t i = 0; i < width; ++i) carries.push_back(net.majority(rest[i], inverted(i), carries[i]));
    out.fits = net.and_gate(carries.back(), !above);
    for (std::size_t i = 0; i < width; ++i) {
        // rest ^ (fits & (rest ^ difference)), and rest ^ difference is divisor ^ borrow.
        const Literal change = net.xor_gate(inverted(i), carries[i]);
        out.rest.push_back(net.weight_limit() >= 6 ? net.and_xor(rest[i], out.fits, change)
                                                   : net.xor_gate(rest[i], net.and_gate(out.fits, change)));
    }
    return out;
}

}  // namespace

Division divide(GateNet& net, std::span<const Literal> dividend, std::span<const Literal> divisor,
                Objective objective) {
    const std::size_t n = significant(dividend);
    const std::size_t m = significant(divisor);
    const std::span<const Literal> short_divisor = divisor.first(m);
    // any_from[i]: a bit of the divisor at i or above.
    std::vector<Literal> any_from(m + 1, zero);
    for (std::size_t i = m; i-- > 0;) any_from[i] = net.or_gate(any_from[i + 1], divisor[i]);
    const Literal by_zero = !any_from[0];
    Division out;
    out.quotient.assign(dividend.size(), by_zero);
    std::vector<Literal> rest;
    for (std::size_t i = n; i-- > 0;) {
        rest.insert(rest.begin(), dividend[i]);
        const Literal above = rest.size() < m ? any_from[rest.size()] : zero;
        Step step =
            subtract_if_fits(net, rest, short_divisor.first(std::min(m, rest.size())), above, objective);
        out.quotient[i] = step.fits;
        rest = std::move(step.rest);
        // Below the divisor it has at most m bits; by 0 the upper bits are put back below.
        if (rest.size() > m) rest.pop_back();
    }
    out.remainder.assign(dividend.size(), zero);
    std::copy(rest.begin(), rest.end(), out.remainder.begin());
    for (std::size_t i = rest.size(); i < n; ++i) out.remainder[i] = net.and_gate(by_zero, dividend[i]);
    return out;
}

}  // namespace toroid::compiler
