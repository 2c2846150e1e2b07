// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheme/evaluation_key.hpp"
#include "scheme/parameters.hpp"

namespace toroid::backend_reference {

/// Turns a modulus-switched sample (a, b) mod 2N of phase p = b - <a, s> into a GLWE sample of X^-p * TV,
/// where TV = 1/8 sum_j X^j: its coefficient 0 is +1/8 for p in [0, N), else -1/8. With accumulator ACC =
/// X^-b * TV:
///   uniform binary key: ACC += ((X^a_i - 1) ACC) [.] BK_i for each i (CGGI 2020, algorithm 4);
///   block-binary key:   ACC += sum_i in block (X^a_i - 1) (ACC [.] BK_i) for each block, decomposing ACC
///   once
///                       (ePrint 2023/958).
class BlindRotation {
 public:
    explicit BlindRotation(const scheme::EvaluationKey& key);

    /// switched: n + 1 values < 2N, body last; accumulator: (k+1) N words, masks first.
    void apply(std::span<const std::uint16_t> switched, std::span<std::uint32_t> accumulator) const;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return key_.size() * sizeof(std::uint32_t); }

 private:
    void rotate_binary(std::span<const std::uint16_t> mask, std::span<std::uint32_t> accumulator) const;
    void rotate_blocks(std::span<const std::uint16_t> mask, std::span<std::uint32_t> accumulator) const;
    /// out = (X^power - 1) * in for each of the k + 1 polynomials.
    void rotate_difference(std::span<const std::uint32_t> in, std::uint32_t power,
                           std::span<std::uint32_t> out) const;
    [[nodiscard]] std::span<const std::uint32_t> ggsw(std::size_t i) const;

    scheme::Parameters parameters_;
    std::size_t glwe_words_;          // (k + 1) N
    std::size_t ggsw_words_;          // rows (k + 1) N
    std::vector<std::uint32_t> key_;  // n GGSWs
};

}  // namespace toroid::backend_reference
