// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// What a gate and a key of one parameter set cost, from its numbers alone (docs/parameters.md, "Cost").
struct CostModel {
    explicit CostModel(const Parameters& parameters);

    /// External products of one blind rotation: n, or n / block.
    std::uint64_t steps = 0;
    /// Forward and inverse transforms of one step: rows + k + 1.
    int transforms_per_step = 0;
    /// FP64 multiply-adds of one blind rotation: steps ((rows + k + 1) F + M), with F = 2.7 (N/2) log2(N/2) a
    /// transform and M the products by the key: 4 (N/2) rows (k+1), for a block key 4 (N/2) block (rows+1)
    /// (k+1).
    double blind_rotation_fma = 0;
    /// Integer multiply-adds of one key switch: k N levels (n + 1).
    std::uint64_t key_switch_mac = 0;

    /// Bootstrapping key as FP64 spectra: n rows (k+1) N 8 bytes; and as torus words.
    std::uint64_t fourier_key_bytes = 0;
    std::uint64_t bootstrapping_key_bytes = 0;
    /// Key-switching key in words of its modulus: k N levels (n + 1) 2 or 4 bytes.
    std::uint64_t key_switching_key_bytes = 0;
    /// Both keys in seeded form, bodies only: the size of an evaluation key file but for its head and
    /// sections.
    std::uint64_t seeded_key_bytes = 0;
};

}  // namespace toroid::scheme
