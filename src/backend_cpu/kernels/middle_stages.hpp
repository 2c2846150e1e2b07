// SPDX-License-Identifier: Apache-2.0
// The stages of the transform between the first and the last, which are fused with their neighbours. A row
// (one polynomial's points) lies in four quarters, the children of the root, some padding apart.
#pragma once

#include "backend_cpu/kernels/butterfly.hpp"
#include "backend_cpu/kernels/sizes.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// One stage of one quarter; stride: doubles from one part of a node to the next.
template <bool forward, int lanes>
TOROID_INLINE void middle_stage(const double* table, int radix, int nodes, std::int64_t stride,
                                double* data) {
    double* block = data;
    for (int node = 0; node < nodes; ++node, block += radix * stride, table += 2 * (radix - 1)) {
        if (radix == 2) {
            const Complex<lanes> w{broadcast<Real<lanes>>(table[0]), broadcast<Real<lanes>>(table[1])};
            for (double* at = block; at < block + stride; at += 2 * lanes) {
                const Complex<lanes> a = load_complex<lanes>(at);
                const Complex<lanes> b = load_complex<lanes>(at + stride);
                if constexpr (forward) {
                    const Complex<lanes> turned = times(b, w);
                    store_complex(at, a + turned);
                    store_complex(at + stride, a - turned);
                } else {
                    store_complex(at, a + b);
                    store_complex(at + stride, times_conjugate(a - b, w));
                }
            }
            continue;
        }
        const Twiddles<lanes> twiddles = broadcast_twiddles<lanes>(table, 1);
        for (double* at = block; at < block + stride; at += 2 * lanes) {
            const Quad<lanes> in = load_quad<lanes>(at, stride);
            if constexpr (forward) {
                store_quad<lanes>(at, stride, split4(in, twiddles));
            } else {
                store_quad<lanes>(at, stride, join4(in, twiddles));
            }
        }
    }
}

/// All middle stages of one quarter with every size a constant; `size`: points of a node at this stage.
template <bool forward, int lanes, int point, int stage, int nodes, int size>
TOROID_INLINE void fixed_stages(const TransformTables& transform, int quarter, double* data) {
    if constexpr (size > 4) {
        // 4^m or, at the first stage, 2 * 4^m points.
        constexpr int radix = (__builtin_ctz(static_cast<unsigned>(size)) % 2 == 0) ? 4 : 2;
        const double* const table = transform.twiddles[stage] + quarter * nodes * 2 * (radix - 1);
        if constexpr (forward) middle_stage<forward, lanes>(table, radix, nodes, size / radix * point, data);
        fixed_stages<forward, lanes, point, stage + 1, nodes * radix, size / radix>(transform, quarter, data);
        if constexpr (!forward) middle_stage<forward, lanes>(table, radix, nodes, size / radix * point, data);
    }
}

/// In place. A vector holds one point of `lanes` polynomials (points_per_vector = 1, [point][re, im][lane])
/// or `lanes` points of one polynomial (points_per_vector = lanes, [point / lanes][re, im][point % lanes]):
/// no step moves data between lanes. ring: N where it is a constant, else 0.
template <bool forward, int lanes, int points_per_vector, int ring>
TOROID_INLINE void middle_stages(const TransformTables& transform, int points, std::int64_t quarter_stride,
                                 double* row) {
    constexpr int point = 2 * lanes / points_per_vector;
    for (int quarter = 0; quarter < 4; ++quarter) {
        double* const data = row + quarter * quarter_stride;
        if constexpr (ring != 0) {
            fixed_stages<forward, lanes, point, 1, 1, ring / 8>(transform, quarter, data);
            continue;
        }
        const int last = transform.stages - 2;
        int nodes = forward ? 1 : points / 16;  // in this quarter
        for (int i = 1; i <= last; ++i) {
            const int stage = forward ? i : last + 1 - i;
            const int radix = transform.radix[stage];
            if constexpr (!forward) nodes /= radix;
            const double* const table = transform.twiddles[stage] + quarter * nodes * 2 * (radix - 1);
            middle_stage<forward, lanes>(table, radix, nodes, points / 4 / nodes / radix * point, data);
            if constexpr (forward) nodes *= radix;
        }
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
