// SPDX-License-Identifier: Apache-2.0
// What the host code hands to the kernels of the exact transform: plain pointers and sizes, no library types.
#pragma once

#include <cstdint>

namespace toroid::backend_cpu {

/// Residues a vector. The last log2 of that many stages of a transform run across vectors that were
/// transposed, so leaves come in blocks of ntt_lanes vectors: leaf 8 a + b of a block is lane a of vector b.
inline constexpr int ntt_lanes = 8;
inline constexpr int ntt_block_leaves = ntt_lanes * ntt_lanes;
/// Nodes of the last three stages under each lane of a block.
inline constexpr int ntt_tail_nodes = 7;
/// math::most_ntt_rows; here for the kernels, which share no header with the rest of the program.
inline constexpr int most_job_rows = 12;

/// Tables of one direction modulo one prime. Twiddles are pairs: w, floor(w 2^32 / p).
struct NttTwiddles {
    /// Node i of the stage with m nodes at 2 (m + i), m < N / 8.
    const std::uint32_t* head = nullptr;
    /// [block][node][w, quotient][lane]: nodes of the stages with N/8, N/4 (two) and N/2 (four) nodes.
    const std::uint32_t* tail = nullptr;
};

/// One prime's tables and constants.
struct NttPrimeTables {
    NttTwiddles forward;
    NttTwiddles inverse;
    /// psi^e 2^32 mod p for e in [0, 2N).
    const std::uint32_t* roots = nullptr;
    std::uint32_t prime = 0;
    std::uint32_t negated_inverse = 0;  ///< -p^-1 mod 2^32
    std::uint32_t one = 0;              ///< 2^32 mod p
};

/// A bootstrapping key's residues and the sizes that go with it.
///
/// values: [coefficient i][prime][vector of leaves][row][component][lane], times 2^32 / N modulo each prime.
struct NttRotationKey {
    const std::uint32_t* values = nullptr;
    NttPrimeTables primes[2];
    /// Of each leaf in the order of the vectors: e with leaf = the value at psi^e.
    const std::uint32_t* leaf_exponents = nullptr;
    /// p_1^-1 mod p_2 and its quotient.
    std::uint32_t combination[2] = {};
    int lwe_dimension = 0;  ///< n
    int block = 1;
    int ring_dimension = 0;  ///< N
    int glwe_dimension = 0;  ///< k
    int mask_levels = 0;
    int body_levels = 0;
    int mask_base_log = 0;
    int body_base_log = 0;

    [[nodiscard]] int rows() const { return glwe_dimension * mask_levels + body_levels; }
    /// Words of one coefficient's GGSW matrix.
    [[nodiscard]] std::int64_t step_stride() const {
        return std::int64_t{2} * ring_dimension * rows() * (glwe_dimension + 1);
    }
    /// Words from one row of residues to the next. Without the padding rows lie at multiples of 4 KiB, in the
    /// same sets of the first-level cache.
    [[nodiscard]] std::int64_t row_stride() const { return ring_dimension + 16; }
    /// Words of scratch of a job, on a cache-line boundary: the rows' residues modulo both primes.
    [[nodiscard]] std::int64_t scratch_words() const { return 2 * rows() * row_stride(); }
};

/// Blind rotation of `gates` samples in lockstep over one pass of the key; as RotationJob, with accumulators
/// for `gates` samples.
struct NttRotationJob {
    const NttRotationKey* key = nullptr;
    int gates = 0;
    const std::uint16_t* switched = nullptr;
    std::int64_t switched_stride = 0;
    std::uint32_t* accumulators = nullptr;
    std::uint32_t* scratch = nullptr;
};

}  // namespace toroid::backend_cpu
