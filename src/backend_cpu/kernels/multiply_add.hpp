// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_cpu/kernels/vector.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// `rounds` rounds of ten independent multiply-adds in registers: the machine's peak rate. The returned sum
/// keeps the compiler from leaving them out.
template <int lanes>
double multiply_add(std::int64_t rounds, double factor, double& operations) {
    constexpr int chains = 10;
    Real<lanes> sums[chains];
    for (int c = 0; c < chains; ++c) sums[c] = broadcast<Real<lanes>>(static_cast<double>(c));
    const Real<lanes> a = broadcast<Real<lanes>>(factor);
    const Real<lanes> b = broadcast<Real<lanes>>(1 - factor);
    for (std::int64_t round = 0; round < rounds; ++round) {
        for (int c = 0; c < chains; ++c) sums[c] = sums[c] * a + b;
    }
    Real<lanes> total{};
    for (int c = 0; c < chains; ++c) total = total + sums[c];
    double out = 0;
    for (int lane = 0; lane < lanes; ++lane) out += total[lane];
    operations = static_cast<double>(rounds) * chains * lanes;
    return out;
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
