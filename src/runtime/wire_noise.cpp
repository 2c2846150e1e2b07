// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire_noise.hpp"

#include <algorithm>

namespace toroid::runtime {

void WireNoise::add(const WireNoise& other, double weight) {
    for (const auto& [source, own] : other.terms_) terms_.emplace_back(source, own * weight);
}

void WireNoise::normalise() {
    std::ranges::sort(terms_, {}, &Term::first);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms_.size();) {
        Term sum = terms_[i++];
        while (i < terms_.size() && terms_[i].first == sum.first) sum.second += terms_[i++].second;
        if (sum.second != 0) terms_[kept++] = sum;
    }
    terms_.resize(kept);
}

void WireNoise::grow_older() {
    for (Term& term : terms_) {
        if (age(term.first) != ageless) term.first = source(signal(term.first), age(term.first) + 1);
    }
}

}  // namespace toroid::runtime
