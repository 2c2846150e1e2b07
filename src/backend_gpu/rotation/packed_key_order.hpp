// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_gpu/platform.hpp"

namespace toroid::backend_gpu {

/// The key of the packed kernel as the thread of one frequency reads it: in `passes`, each over some rows and
/// components, in each block entry by block entry, row by row, component by component. Parts are integers of
/// 32 bits, those of masks of 35 unless coarse: first the lower 32 bits, two complex numbers to a 16-byte
/// word, then the upper three of the masks, ten parts (re, im, re, ...) to a quarter of a word.
struct PackedKeyOrder {
    int mask_levels;
    int body_levels;
    int block;
    static constexpr int components = 3;

    [[nodiscard]] TOROID_HOST_DEVICE constexpr int rows() const { return 2 * mask_levels + body_levels; }
    /// Rounds of transforms and products in a step: with three mask levels the last level of each component
    /// waits for a second round, since the spectra of all eight rows of eight gates do not fit shared memory.
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int rounds() const { return mask_levels > 2 ? 2 : 1; }
    /// Whether masks have 16 bits in the accumulators and 32 in the key. Where the body has one level of at
    /// most ten bits, its own rounding is far above what that adds; elsewhere it would double the variance.
    [[nodiscard]] TOROID_HOST_DEVICE constexpr bool coarse() const { return block > 1 && body_levels == 1; }

    /// As many as their keys need to fit a thread's registers. A first round of five rows has the body's
    /// products in a pass of their own, one of six rows has two passes of three.
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int passes() const {
        return rounds() == 2 ? (body_apart() ? 3 : 2) : rows() * block > 15 ? 2 : 1;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int round_of(int pass) const {
        return rounds() == 2 && pass + 1 == passes() ? 1 : 0;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int first_pass(int round) const {
        return round == 0 ? 0 : passes() - 1;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int rows_of(int pass) const {
        if (rounds() == 2) return round_of(pass) == 0 ? rows() - 3 : 3;
        return rows() * (pass + 1) / passes() - rows() * pass / passes();
    }
    /// Row i of a pass, as a row of the GGSW.
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int row(int pass, int i) const {
        if (rounds() == 1) return rows() * pass / passes() + i;
        const bool first = round_of(pass) == 0;
        const int levels = first ? mask_levels - 1 : 1;
        if (i < 2 * levels) return i / levels * mask_levels + (first ? i % levels : mask_levels - 1);
        return 2 * mask_levels + (first ? i - 2 * levels : body_levels - 1);
    }
    /// Components [first_component, first_component + components_of).
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int first_component(int pass) const {
        return body_apart() && pass == 0 ? 2 : 0;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int components_of(int pass) const {
        return body_apart() && pass < 2 ? 2 - first_component(pass) / 2 : components;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int masks_of(int pass) const {
        return 2 - first_component(pass);
    }
    /// Whether a pass adds to the sums of one before.
    [[nodiscard]] TOROID_HOST_DEVICE constexpr bool adds(int pass) const {
        return pass > (body_apart() ? 1 : 0);
    }

    [[nodiscard]] TOROID_HOST_DEVICE constexpr int numbers(int pass) const {
        return rows_of(pass) * components_of(pass) * block;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int low_words(int pass) const {
        return (numbers(pass) + 1) / 2;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int pass_words(int pass) const {
        return low_words(pass) + (coarse() ? 0 : (rows_of(pass) * masks_of(pass) * block * 2 + 39) / 40);
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int first_word(int pass) const {
        int words = 0;
        for (int p = 0; p < pass; ++p) words += pass_words(p);
        return words;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int words() const { return first_word(passes()); }

 private:
    [[nodiscard]] TOROID_HOST_DEVICE constexpr bool body_apart() const { return rounds() == 2 && block > 1; }
};

}  // namespace toroid::backend_gpu
