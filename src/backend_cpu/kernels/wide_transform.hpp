// SPDX-License-Identifier: Apache-2.0
// The transform of `lanes` polynomials at once, one gate a lane. Arrays are [point][re, im][lane], so no step
// moves data between lanes.
#pragma once

#include "backend_cpu/kernels/butterfly.hpp"
#include "backend_cpu/kernels/sizes.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// Stages 1 .. stages - 2 of the forward transform, in place; the first and last are fused with their
/// neighbours.
template <int lanes>
TOROID_INLINE void wide_forward_middle(const TransformTables& transform, int points, double* data) {
    constexpr int step = 2 * lanes;
    int nodes = 4;
    for (int stage = 1; stage + 1 < transform.stages; ++stage) {
        const double* table = transform.twiddles[stage];
        if (transform.radix[stage] == 2) {
            const int part = points / nodes / 2;
            double* block = data;
            for (int node = 0; node < nodes; ++node, table += 2, block += 2 * part * step) {
                const Complex<lanes> w{broadcast<Real<lanes>>(table[0]), broadcast<Real<lanes>>(table[1])};
                for (int j = 0; j < part; ++j) {
                    double* at = block + j * step;
                    const Complex<lanes> a = load_complex<lanes>(at);
                    const Complex<lanes> b = times(load_complex<lanes>(at + part * step), w);
                    store_complex(at, a + b);
                    store_complex(at + part * step, a - b);
                }
            }
            nodes *= 2;
            continue;
        }
        const int part = points / nodes / 4;
        double* block = data;
        for (int node = 0; node < nodes; ++node, table += 6, block += 4 * part * step) {
            const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(table, 1);
            for (int j = 0; j < part; ++j) {
                double* const at = block + j * step;
                store_quad<lanes>(at, part * step, split4(load_quad<lanes>(at, part * step), twiddles));
            }
        }
        nodes *= 4;
    }
}

/// Stages stages - 2 .. 1 of the inverse transform, in place.
template <int lanes>
TOROID_INLINE void wide_inverse_middle(const TransformTables& transform, int points, double* data) {
    constexpr int step = 2 * lanes;
    int nodes = points / 4;
    for (int stage = transform.stages - 2; stage >= 1; --stage) {
        nodes /= transform.radix[stage];
        const double* table = transform.twiddles[stage];
        if (transform.radix[stage] == 2) {
            const int part = points / nodes / 2;
            double* block = data;
            for (int node = 0; node < nodes; ++node, table += 2, block += 2 * part * step) {
                const Complex<lanes> w{broadcast<Real<lanes>>(table[0]), broadcast<Real<lanes>>(table[1])};
                for (int j = 0; j < part; ++j) {
                    double* at = block + j * step;
                    const Complex<lanes> a = load_complex<lanes>(at);
                    const Complex<lanes> b = load_complex<lanes>(at + part * step);
                    store_complex(at, a + b);
                    store_complex(at + part * step, times_conjugate(a - b, w));
                }
            }
            continue;
        }
        const int part = points / nodes / 4;
        double* block = data;
        for (int node = 0; node < nodes; ++node, table += 6, block += 4 * part * step) {
            const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(table, 1);
            for (int j = 0; j < part; ++j) {
                double* const at = block + j * step;
                store_quad<lanes>(at, part * step, join4(load_quad<lanes>(at, part * step), twiddles));
            }
        }
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
