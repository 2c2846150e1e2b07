// SPDX-License-Identifier: Apache-2.0
// Exact blind rotation of one accumulator by one block of threads: all rows of a step are transformed
// together in shared memory, modulo both primes (math/ntt.hpp). Written as phases of independent tasks, which
// a Team shares out among threads and separates by barriers; a test runs them on the host in any order.
#pragma once

#include <cstdint>

#include "backend_gpu/rotation/gadget.hpp"
#include "backend_gpu/rotation/ntt_arithmetic.hpp"

namespace toroid::backend_gpu {

inline constexpr int most_ntt_components = 8;

/// What the kernel is launched with. Pointers into the loaded key (NttKeyLayout) and to the job's arrays.
struct NttArguments {
    const std::uint32_t* key = nullptr;
    const math::ShoupFactor* twiddles = nullptr;
    const std::uint32_t* roots = nullptr;
    const std::uint16_t* leaf_exponents = nullptr;
    const std::uint16_t* switched = nullptr;
    std::uint32_t* samples = nullptr;
    std::int64_t sample_stride = 0;
    std::uint32_t* accumulators = nullptr;
    int lwe_dimension = 0;
    int block = 1;
    int ring_log = 0;
    int components = 0;  ///< k + 1
    int rows = 0;
    GadgetFields mask;
    GadgetFields body;
    math::NttModulus modulus[2];
    math::ShoupFactor combination;
};

/// Team: for_each(count, task) runs task(0) ... task(count - 1), each once, in any order and on any thread of
/// the block; all are done, and what they wrote is seen by all, when it returns.
/// shared: rows N pairs of words and (k+1) N words.
template <typename Team>
class NttBlock {
 public:
    TOROID_NTT_FUNCTION NttBlock(const NttArguments& arguments, Team team, std::uint32_t* shared,
                                 std::int64_t rotation)
        : arguments_(arguments),
          team_(team),
          ring_(1 << arguments.ring_log),
          spectra_(shared),
          accumulator_(shared + 2 * arguments.rows * ring_),
          rotation_(rotation),
          switched_(arguments.switched + rotation * (arguments.lwe_dimension + 1)) {}

    TOROID_NTT_FUNCTION void run() {
        start();
        for (int first = 0; first < arguments_.lwe_dimension; first += arguments_.block) {
            const int left = arguments_.lwe_dimension - first;
            first_stage(arguments_.block == 1 ? switched_[first] : -1);
            for (int log = later_log(); log > 0; log -= 2) forward_stage(log);
            multiply_key(first, left < arguments_.block ? left : arguments_.block);
            for (int log = 2; log <= later_log(); log += 2) inverse_stage(log);
            last_stage();
        }
        finish();
    }

 private:
    /// log2 of the parts that the first stage leaves: it splits in two or four, so that the others split in
    /// four.
    TOROID_NTT_FUNCTION int later_log() const {
        return arguments_.ring_log - ((arguments_.ring_log & 1) != 0 ? 1 : 2);
    }

    /// Where element i of a row lies: the lanes of a stage, which are 1, 4 or 16 neighbours each, then four
    /// times as far the next, meet no bank twice.
    TOROID_NTT_FUNCTION static int place(int i) {
        const int line = i >> 5;
        return i ^ ((5 * line + 16 * (line >> 1)) & 31);
    }
    TOROID_NTT_FUNCTION std::uint32_t* row(int r, int prime) const {
        return spectra_ + (2 * r + prime) * ring_;
    }
    TOROID_NTT_FUNCTION const math::ShoupFactor* twiddles(int prime, bool inverse) const {
        return arguments_.twiddles + (2 * prime + (inverse ? 1 : 0)) * ring_;
    }

    /// Accumulator (0, X^-b / 8 (1 + X + ...)).
    TOROID_NTT_FUNCTION void start() {
        const int power = (2 * ring_ - switched_[arguments_.lwe_dimension]) & (2 * ring_ - 1);
        const int masks = (arguments_.components - 1) * ring_;
        team_.for_each(arguments_.components * ring_, [&](int i) {
            const bool negative = (((i & (ring_ - 1)) - power) & ring_) != 0;
            const std::uint32_t eighth = negative ? 0U - (1U << 29) : 1U << 29;
            accumulator_[i] = i < masks ? 0U : eighth;
        });
    }

    /// Coefficient j of a polynomial times X^power - 1, or as it is for power < 0.
    TOROID_NTT_FUNCTION std::uint32_t turned(const std::uint32_t* polynomial, int j, int power) const {
        const std::uint32_t own = polynomial[j];
        if (power < 0) return own;
        const int from = j - power;  // in (-2N, N)
        const std::uint32_t value = polynomial[from & (ring_ - 1)];
        return ((from & ring_) != 0 ? 0U - value : value) - own;
    }

    /// Digits of the accumulator, or of (X^power - 1) times it, and the first stage.
    TOROID_NTT_FUNCTION void first_stage(int power) {
        const int part = 1 << later_log();
        const int parts = ring_ / part;
        const int mask_rows = arguments_.rows - arguments_.body.levels;
        team_.for_each(arguments_.rows * part, [&](int task) {
            const int r = task >> later_log();
            const int j = task & (part - 1);
            const bool body = r >= mask_rows;
            const GadgetFields gadget = body ? arguments_.body : arguments_.mask;
            const int component = body ? arguments_.components - 1 : r / gadget.levels;
            const int level = body ? r - mask_rows : r - component * gadget.levels;
            const std::uint32_t* const polynomial = accumulator_ + component * ring_;
            const std::uint32_t half = std::uint32_t{1} << (gadget.base_log - 1);
            std::uint32_t digits[4] = {};
            for (int q = 0; q < 4; ++q) {
                if (q >= parts) break;
                const std::uint32_t word = turned(polynomial, j + q * part, power) + gadget.offset;
                digits[q] = ((word >> (32 - (level + 1) * gadget.base_log)) & (2 * half - 1)) - half;
            }
            for (int i = 0; i < 2; ++i) {
                const std::uint32_t prime = arguments_.modulus[i].prime;
                const math::ShoupFactor* const w = twiddles(i, false);
                std::uint32_t values[4];
                for (int q = 0; q < 4; ++q) values[q] = digits[q] + prime;
                if (parts == 2) {
                    split(values[0], values[1], w[1], prime);
                } else {
                    split_in_four(values, w, 1, 0, prime);
                }
                for (int q = 0; q < 4; ++q) {
                    if (q < parts) row(r, i)[place(j + q * part)] = values[q];
                }
            }
        });
    }

    /// Nodes of 2^log elements into four children.
    TOROID_NTT_FUNCTION void forward_stage(int log) {
        const int part = 1 << (log - 2);
        const int nodes = ring_ >> log;
        const int quarter = ring_ / 4;
        team_.for_each(2 * arguments_.rows * quarter, [&](int task) {
            const int polynomial = task >> (arguments_.ring_log - 2);
            const int node = (task & (quarter - 1)) >> (log - 2);
            const int at = (node << log) + (task & (part - 1));
            std::uint32_t* const values = spectra_ + polynomial * ring_;
            const int prime = polynomial & 1;
            std::uint32_t four[4];
            for (int q = 0; q < 4; ++q) four[q] = values[place(at + q * part)];
            split_in_four(four, twiddles(prime, false), nodes, node, arguments_.modulus[prime].prime);
            for (int q = 0; q < 4; ++q) values[place(at + q * part)] = four[q];
        });
    }

    /// Rows 0...k become, leaf by leaf, sum_j (X^a_j - 1) sum_r row_r BK_j,r (for block 1 without the
    /// factor), in [0, 2p).
    TOROID_NTT_FUNCTION void multiply_key(int first, int block) {
        team_.for_each(2 * ring_, [&](int task) {
            const int prime = task >> arguments_.ring_log;
            const int leaf = task & (ring_ - 1);
            const math::NttModulus modulus = arguments_.modulus[prime];
            std::uint32_t totals[most_ntt_components] = {};
            for (int j = 0; j < block; ++j) {
                std::uint64_t sums[most_ntt_components] = {};
                const std::uint32_t* key =
                    arguments_.key +
                    std::int64_t{2 * (first + j) + prime} * arguments_.rows * arguments_.components * ring_ +
                    leaf;
                for (int r = 0; r < arguments_.rows; ++r) {
                    const std::uint32_t value = reduce_once(
                        reduce_once(row(r, prime)[place(leaf)], 2 * modulus.prime), modulus.prime);
                    for (int c = 0; c < most_ntt_components; ++c) {
                        if (c < arguments_.components) {
                            sums[c] += std::uint64_t{value} * *key;
                            key += ring_;
                        }
                    }
                }
                const std::uint32_t factor =
                    arguments_.block == 1 ? 0U : monomial(first + j, leaf, prime, modulus);
                for (int c = 0; c < most_ntt_components; ++c) {
                    if (c < arguments_.components) {
                        std::uint32_t sum =
                            reduce_once(reduce_montgomery(sums[c], modulus), 2 * modulus.prime);
                        if (arguments_.block > 1) {
                            // Below 2p p / 2^32 + p < 2p.
                            sum = reduce_montgomery(std::uint64_t{sum} * factor, modulus);
                        }
                        totals[c] = reduce_once(totals[c] + sum, 2 * modulus.prime);
                    }
                }
            }
            for (int c = 0; c < most_ntt_components; ++c) {
                if (c < arguments_.components) row(c, prime)[place(leaf)] = totals[c];
            }
        });
    }

    /// X^a_i - 1 at a leaf, times 2^32, in [0, p).
    TOROID_NTT_FUNCTION std::uint32_t monomial(int i, int leaf, int prime,
                                               const math::NttModulus& modulus) const {
        const std::uint32_t exponent = std::uint32_t{arguments_.leaf_exponents[leaf]} * switched_[i];
        const std::uint32_t root =
            arguments_.roots[2 * ring_ * prime + static_cast<int>(exponent & (2U * ring_ - 1))];
        return reduce_once(root + modulus.prime - modulus.one, modulus.prime);
    }

    /// Four children into nodes of 2^log elements.
    TOROID_NTT_FUNCTION void inverse_stage(int log) {
        const int part = 1 << (log - 2);
        const int nodes = ring_ >> log;
        const int quarter = ring_ / 4;
        team_.for_each(2 * arguments_.components * quarter, [&](int task) {
            const int polynomial = task >> (arguments_.ring_log - 2);
            const int node = (task & (quarter - 1)) >> (log - 2);
            const int at = (node << log) + (task & (part - 1));
            std::uint32_t* const values = spectra_ + polynomial * ring_;
            const int prime = polynomial & 1;
            std::uint32_t four[4];
            for (int q = 0; q < 4; ++q) four[q] = values[place(at + q * part)];
            join_four(four, twiddles(prime, true), nodes, node, arguments_.modulus[prime].prime);
            for (int q = 0; q < 4; ++q) values[place(at + q * part)] = four[q];
        });
    }

    /// The first stage's inverse; the accumulator gains the sums of both residues.
    TOROID_NTT_FUNCTION void last_stage() {
        const int part = 1 << later_log();
        const int parts = ring_ / part;
        team_.for_each(arguments_.components * part, [&](int task) {
            const int component = task >> later_log();
            const int j = task & (part - 1);
            std::uint32_t values[2][4] = {};
            for (int i = 0; i < 2; ++i) {
                const std::uint32_t prime = arguments_.modulus[i].prime;
                const math::ShoupFactor* const w = twiddles(i, true);
                for (int q = 0; q < 4; ++q) {
                    if (q < parts) values[i][q] = row(component, i)[place(j + q * part)];
                }
                if (parts == 2) {
                    join(values[i][0], values[i][1], w[1], prime);
                } else {
                    join_four(values[i], w, 1, 0, prime);
                }
            }
            std::uint32_t* const polynomial = accumulator_ + component * ring_;
            for (int q = 0; q < 4; ++q) {
                if (q >= parts) break;
                polynomial[j + q * part] += combine(values[0][q], values[1][q], arguments_.modulus[0].prime,
                                                    arguments_.modulus[1].prime, arguments_.combination);
            }
        });
    }

    TOROID_NTT_FUNCTION void finish() {
        const int words = arguments_.components * ring_;
        if (arguments_.accumulators != nullptr) {
            std::uint32_t* const out = arguments_.accumulators + rotation_ * words;
            team_.for_each(words, [&](int i) { out[i] = accumulator_[i]; });
        }
        if (arguments_.samples == nullptr) return;
        std::uint32_t* const out = arguments_.samples + rotation_ * arguments_.sample_stride;
        team_.for_each(words - ring_ + 1, [&](int i) {
            const int j = i & (ring_ - 1);
            out[i] = j == 0 ? accumulator_[i] : 0U - accumulator_[i - j + ring_ - j];
        });
    }

    /// Two stages of the tree: of `nodes` nodes number `node`, then its two children.
    TOROID_NTT_FUNCTION static void split_in_four(std::uint32_t (&values)[4], const math::ShoupFactor* w,
                                                  int nodes, int node, std::uint32_t prime) {
        const math::ShoupFactor own = w[nodes + node];
        split(values[0], values[2], own, prime);
        split(values[1], values[3], own, prime);
        split(values[0], values[1], w[2 * (nodes + node)], prime);
        split(values[2], values[3], w[2 * (nodes + node) + 1], prime);
    }
    TOROID_NTT_FUNCTION static void join_four(std::uint32_t (&values)[4], const math::ShoupFactor* w,
                                              int nodes, int node, std::uint32_t prime) {
        join(values[0], values[1], w[2 * (nodes + node)], prime);
        join(values[2], values[3], w[2 * (nodes + node) + 1], prime);
        const math::ShoupFactor own = w[nodes + node];
        join(values[0], values[2], own, prime);
        join(values[1], values[3], own, prime);
    }

    const NttArguments& arguments_;
    Team team_;
    int ring_;
    std::uint32_t* spectra_;
    std::uint32_t* accumulator_;
    std::int64_t rotation_;
    const std::uint16_t* switched_;
};

}  // namespace toroid::backend_gpu
