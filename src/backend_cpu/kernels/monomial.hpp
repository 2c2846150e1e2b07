// SPDX-License-Identifier: Apache-2.0
// Values of X^a - 1 at the leaves of a node, for block-binary keys.
#pragma once

#include "backend_cpu/kernels/sizes.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// At leaf t of a node X^a is i^(t a) times its value at leaf 0. The turns by i^a as masks, of each lane's a:
/// swap of the parts (a odd), sign of the real part (a mod 4 in {1, 2}), of the imaginary part (a mod 4 in
/// {2, 3}), and sign of (-1)^a.
template <int lanes>
inline constexpr int turn_doubles = 4 * lanes;

template <int lanes>
TOROID_INLINE void store_monomial_turn(const std::uint32_t* exponents, double* turn) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    std::uint64_t masks[turn_doubles<lanes>];
    for (int lane = 0; lane < lanes; ++lane) {
        const std::uint32_t quarter = exponents[lane] & 3U;
        masks[lane] = (quarter & 1U) != 0 ? ~std::uint64_t{0} : 0;
        masks[lanes + lane] = quarter == 1 || quarter == 2 ? sign : 0;
        masks[2 * lanes + lane] = quarter >= 2 ? sign : 0;
        masks[3 * lanes + lane] = (quarter & 1U) != 0 ? sign : 0;
    }
    __builtin_memcpy(turn, masks, sizeof(masks));
}

template <int lanes>
TOROID_INLINE Real<lanes> flip(const Real<lanes>& value, const Long<lanes>& signs) {
    return reinterpret_cast<Real<lanes>>(reinterpret_cast<Long<lanes>>(value) ^ signs);
}
template <int lanes>
TOROID_INLINE Real<lanes> choose(const Long<lanes>& mask, const Real<lanes>& yes, const Real<lanes>& no) {
    return reinterpret_cast<Real<lanes>>((reinterpret_cast<Long<lanes>>(yes) & mask) |
                                         (reinterpret_cast<Long<lanes>>(no) & ~mask));
}

/// factors: X^a - 1 at the four leaves, [child][re, im][lane]. leaves: exponent of leaf 0 of each lane's
/// node; exponents: a of each lane.
template <int lanes>
TOROID_INLINE void monomial_factors(const TransformTables& transform, int ring, const std::uint32_t* leaves,
                                    const std::uint32_t* exponents, const double* turn, double* factors) {
    alignas(64) double re[lanes];
    alignas(64) double im[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const double* const root = transform.roots + 2 * ((leaves[lane] * exponents[lane]) &
                                                          static_cast<std::uint32_t>(2 * ring - 1));
        re[lane] = root[0];
        im[lane] = root[1];
    }
    const Complex<lanes> value{load_aligned<Real<lanes>>(re), load_aligned<Real<lanes>>(im)};
    const auto mask = [&](int which) { return load_aligned<Long<lanes>>(turn + which * lanes); };
    const Complex<lanes> turned{flip<lanes>(choose<lanes>(mask(0), value.im, value.re), mask(1)),
                                flip<lanes>(choose<lanes>(mask(0), value.re, value.im), mask(2))};
    const auto put = [&](int t, const Real<lanes>& re, const Real<lanes>& im) {
        store_complex<lanes>(factors + t * 2 * lanes, {re - 1.0, im});
    };
    put(0, value.re, value.im);
    put(1, turned.re, turned.im);
    put(2, flip<lanes>(value.re, mask(3)), flip<lanes>(value.im, mask(3)));
    put(3, flip<lanes>(turned.re, mask(3)), flip<lanes>(turned.im, mask(3)));
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
