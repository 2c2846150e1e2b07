// SPDX-License-Identifier: Apache-2.0
// The negacyclic transform of the GPU kernels, as the host builds its tables and transforms keys with it.
//
// A polynomial x of R[X]/(X^N + 1) is z_j = x_j + i x_{j+M} of C[X]/(X^M - i), M = N/2. Its spectrum are the
// values of z at X_f = exp(i pi (4 f + 1) / N), f in [0, M), each of which is a root of X^M = i. Splitting
//     C[X]/(X^L - u)  ->  C[X]/(X^{L/4} - i^t u^{1/4}),  t in [0, 4)   (once by two if log2 M is odd)
// down to L = 1 visits the values in "leaf order".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace toroid::backend_gpu {

struct HostComplex {
    double re = 0;
    double im = 0;
};

class TransformTables {
 public:
    /// ring_dimension: N, a power of two >= 16.
    explicit TransformTables(int ring_dimension);

    [[nodiscard]] int points() const noexcept { return points_; }
    /// exp(i pi e / N), e in [0, N).
    [[nodiscard]] const std::vector<HostComplex>& roots() const noexcept { return roots_; }
    /// (w, w^2, w^3), w = u^{1/4}, for each node of each radix-4 stage, stage after stage.
    [[nodiscard]] const std::vector<HostComplex>& twiddles() const noexcept { return twiddles_; }
    /// e = 4 f + 1 of each leaf.
    [[nodiscard]] const std::vector<std::uint16_t>& leaf_exponents() const noexcept {
        return leaf_exponents_;
    }

    /// exp(i pi e / N) for any e >= 0.
    [[nodiscard]] HostComplex root(std::uint64_t e) const;
    /// values: M leaves of the polynomial of these N words, taken as signed integers.
    void forward(std::span<const std::uint32_t> polynomial, std::span<HostComplex> values) const;

 private:
    int ring_dimension_;
    int points_;
    bool first_by_two_;
    std::vector<HostComplex> roots_;
    std::vector<HostComplex> twiddles_;
    std::vector<std::uint16_t> leaf_exponents_;
};

}  // namespace toroid::backend_gpu
