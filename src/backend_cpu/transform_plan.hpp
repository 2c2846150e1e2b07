// SPDX-License-Identifier: Apache-2.0
// The negacyclic transform that every kernel of this backend shares.
//
// A real polynomial x of R[X]/(X^N + 1) is the complex polynomial z_j = x_j + i x_{j+M} of C[X]/(X^M - i), M
// = N/2. C[X]/(X^L - u) splits into the four rings C[X]/(X^{L/4} - i^t w), w = u^{1/4}:
//     o_t,j = sum_q (i^t w)^q a_{j + q L/4}
// so that the twist is part of the twiddles and each node of the tree has one twiddle triple (w, w^2, w^3).
// Leaves are values of z at primitive 2N-th roots; they stay in tree order, which key, forward and inverse
// transform share.
#pragma once

#include <cstdint>
#include <span>

#include "base/aligned_vector.hpp"

namespace toroid::backend_cpu {

inline constexpr int largest_stage_count = 7;
/// Ring dimensions are the powers of two in this range.
inline constexpr int smallest_ring_dimension = 64;
inline constexpr int largest_ring_dimension = 32768;
/// Leaves come in fours (children of one node); key layout and last-stage twiddles interleave this many
/// nodes.
inline constexpr int nodes_per_block = 4;

/// Plain pointers for the kernels, which use no library types.
struct TransformTables {
    int points = 0;  ///< M
    int stages = 0;
    int radix[largest_stage_count] = {};  ///< 4, or 2 at stage 1 when log2(M) is odd
    /// Per stage and node: (re, im) of w, w^2, w^3 (radix 2: of w). The last stage is blocked: for four nodes
    /// together six groups of four values.
    const double* twiddles[largest_stage_count] = {};
    /// exp(2 pi i e / 2N) for e in [0, 2N), as (re, im).
    const double* roots = nullptr;
    /// Of each node of the last stage: e with leaf t = exp(2 pi i (e + t N/2) / 2N).
    const std::uint16_t* leaf_exponents = nullptr;
};

/// Owner of the tables of one ring dimension.
class TransformPlan {
 public:
    explicit TransformPlan(int ring_dimension);
    [[nodiscard]] int ring_dimension() const noexcept { return 2 * tables_.points; }
    [[nodiscard]] const TransformTables& tables() const noexcept { return tables_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept;

    /// Leaves of a polynomial, as M pairs (re, im) in tree order, times `scale`. Plain loops, for loading
    /// keys.
    void forward(std::span<const std::int32_t> polynomial, double scale, std::span<double> leaves) const;

 private:
    TransformTables tables_;
    base::AlignedVector<double> twiddles_;
    base::AlignedVector<double> roots_;
    base::AlignedVector<std::uint16_t> leaf_exponents_;
};

}  // namespace toroid::backend_cpu
