// SPDX-License-Identifier: Apache-2.0
// The stages of one transform modulo one prime (math/ntt.hpp): a head of stages between vectors, two at a
// time, and a tail of three stages across eight transposed vectors.
#pragma once

#include "backend_cpu/kernels/residue.hpp"

namespace toroid::backend_cpu::TOROID_CPU_ISA {

/// Four vectors by name: the compilers keep members in registers.
struct ResidueQuad {
    Residues a0, a1, a2, a3;
};
TOROID_INLINE ResidueQuad load_residues(const std::uint32_t* from, int stride) {
    return {load_aligned<Residues>(from), load_aligned<Residues>(from + stride),
            load_aligned<Residues>(from + 2 * stride), load_aligned<Residues>(from + 3 * stride)};
}
TOROID_INLINE void store_residues(std::uint32_t* to, int stride, const ResidueQuad& value) {
    store_aligned(to, value.a0);
    store_aligned(to + stride, value.a1);
    store_aligned(to + 2 * stride, value.a2);
    store_aligned(to + 3 * stride, value.a3);
}

/// Stages with nodes m = 1 ... N/16, in place.
TOROID_INLINE void forward_head(const NttTwiddles& twiddles, const Modulus& modulus, int ring,
                                std::uint32_t* values) {
    int nodes = 1;
    int stages = 0;
    for (int m = ring / ntt_lanes; m > 1; m /= 2) ++stages;
    if (stages % 2 == 1) {
        const Factor w = broadcast_factor(twiddles.head + 2);
        const int half = ring / 2;
        for (int j = 0; j < half; j += ntt_lanes) {
            auto a = load_aligned<Residues>(values + j);
            auto b = load_aligned<Residues>(values + half + j);
            split(a, b, w, modulus);
            store_aligned(values + j, a);
            store_aligned(values + half + j, b);
        }
        nodes = 2;
    }
    for (; nodes < ring / ntt_lanes; nodes *= 4) {
        const int part = ring / nodes / 4;
        for (int node = 0; node < nodes; ++node) {
            const Factor w = broadcast_factor(twiddles.head + 2 * (nodes + node));
            const Factor w0 = broadcast_factor(twiddles.head + 4 * (nodes + node));
            const Factor w1 = broadcast_factor(twiddles.head + 4 * (nodes + node) + 2);
            std::uint32_t* const own = values + node * 4 * part;
            for (int j = 0; j < part; j += ntt_lanes) {
                ResidueQuad quad = load_residues(own + j, part);
                split(quad.a0, quad.a2, w, modulus);
                split(quad.a1, quad.a3, w, modulus);
                split(quad.a0, quad.a1, w0, modulus);
                split(quad.a2, quad.a3, w1, modulus);
                store_residues(own + j, part, quad);
            }
        }
    }
}

/// The inverse of forward_head.
TOROID_INLINE void inverse_head(const NttTwiddles& twiddles, const Modulus& modulus, int ring,
                                std::uint32_t* values) {
    int nodes = ring / ntt_lanes / 4;
    for (; nodes > 0; nodes /= 4) {
        const int part = ring / nodes / 4;
        for (int node = 0; node < nodes; ++node) {
            const Factor w = broadcast_factor(twiddles.head + 2 * (nodes + node));
            const Factor w0 = broadcast_factor(twiddles.head + 4 * (nodes + node));
            const Factor w1 = broadcast_factor(twiddles.head + 4 * (nodes + node) + 2);
            std::uint32_t* const own = values + node * 4 * part;
            for (int j = 0; j < part; j += ntt_lanes) {
                ResidueQuad quad = load_residues(own + j, part);
                join(quad.a0, quad.a1, w0, modulus);
                join(quad.a2, quad.a3, w1, modulus);
                join(quad.a0, quad.a2, w, modulus);
                join(quad.a1, quad.a3, w, modulus);
                store_residues(own + j, part, quad);
            }
        }
        if (nodes == 2) {
            const Factor first = broadcast_factor(twiddles.head + 2);
            const int half = ring / 2;
            for (int j = 0; j < half; j += ntt_lanes) {
                auto a = load_aligned<Residues>(values + j);
                auto b = load_aligned<Residues>(values + half + j);
                join(a, b, first, modulus);
                store_aligned(values + j, a);
                store_aligned(values + half + j, b);
            }
        }
    }
}

/// Twiddles of node `node` of a block's tail, one a lane.
TOROID_INLINE Factor tail_factor(const std::uint32_t* tail, int node) {
    return load_factor(tail + node * 2 * ntt_lanes);
}

/// A block of 64 residues to leaves: vector b of `leaves` has leaf 8 a + b in lane a, in [0, p).
TOROID_INLINE void forward_tail(const std::uint32_t* tail, const Modulus& modulus,
                                const std::uint32_t* values, std::uint32_t* leaves) {
    Residues v[ntt_lanes];
    for (int i = 0; i < ntt_lanes; ++i) v[i] = load_aligned<Residues>(values + i * ntt_lanes);
    transpose<ntt_lanes>(v);
    const Factor w = tail_factor(tail, 0);
    for (int i = 0; i < 4; ++i) split(v[i], v[i + 4], w, modulus);
    for (int h = 0; h < 2; ++h) {
        const Factor half = tail_factor(tail, 1 + h);
        split(v[4 * h], v[4 * h + 2], half, modulus);
        split(v[4 * h + 1], v[4 * h + 3], half, modulus);
    }
    for (int q = 0; q < 4; ++q) split(v[2 * q], v[2 * q + 1], tail_factor(tail, 3 + q), modulus);
    for (int i = 0; i < ntt_lanes; ++i) {
        store_aligned(leaves + i * ntt_lanes, reduce_once(reduce_once(v[i], modulus.twice), modulus.prime));
    }
}

/// The inverse of forward_tail: leaves in [0, 2p).
TOROID_INLINE void inverse_tail(const std::uint32_t* tail, const Modulus& modulus,
                                const std::uint32_t* leaves, std::uint32_t* values) {
    Residues v[ntt_lanes];
    for (int i = 0; i < ntt_lanes; ++i) v[i] = load_aligned<Residues>(leaves + i * ntt_lanes);
    for (int q = 0; q < 4; ++q) join(v[2 * q], v[2 * q + 1], tail_factor(tail, 3 + q), modulus);
    for (int h = 0; h < 2; ++h) {
        const Factor half = tail_factor(tail, 1 + h);
        join(v[4 * h], v[4 * h + 2], half, modulus);
        join(v[4 * h + 1], v[4 * h + 3], half, modulus);
    }
    const Factor w = tail_factor(tail, 0);
    for (int i = 0; i < 4; ++i) join(v[i], v[i + 4], w, modulus);
    transpose<ntt_lanes>(v);
    for (int i = 0; i < ntt_lanes; ++i) store_aligned(values + i * ntt_lanes, v[i]);
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
