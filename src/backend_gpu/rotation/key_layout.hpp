// SPDX-License-Identifier: Apache-2.0
// The loaded bootstrapping key: one block of memory, first the tables, then the key in each layout that a
// kernel of the set reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend_gpu/rotation/rotation.hpp"
#include "backend_gpu/rotation/transform_tables.hpp"

namespace toroid::backend_gpu {

/// Whether the set has the kernel for full batches (packed_kernel.cuh): N = 512, k = 2, and shape and gadgets
/// among the compiled ones.
[[nodiscard]] bool has_packed_shape(const RotationSizes& sizes);

/// The key of the packed kernel as the thread of one frequency reads it: in `passes` over the rows, in each
/// block entry by block entry, row by row, component by component; two complex numbers to a 16-byte word,
/// every pass filled up to whole words.
struct PackedKeyOrder {
    int rows;
    int passes;
    int components;
    int block;

    [[nodiscard]] TOROID_HOST_DEVICE constexpr int first_row(int pass) const { return rows * pass / passes; }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int pass_words(int pass) const {
        return ((first_row(pass + 1) - first_row(pass)) * components * block + 1) / 2;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int first_word(int pass) const {
        int words = 0;
        for (int p = 0; p < pass; ++p) words += pass_words(p);
        return words;
    }
    [[nodiscard]] TOROID_HOST_DEVICE constexpr int words() const { return first_word(passes); }
};
/// Passes over the rows: as many as their keys need to fit a thread's registers.
[[nodiscard]] TOROID_HOST_DEVICE constexpr int packed_passes(int rows, int block) {
    return rows * block > 15 ? 2 : 1;
}
[[nodiscard]] PackedKeyOrder packed_key_order(const RotationSizes& sizes);

/// Lane twiddles of the packed kernel: `lane_twiddles` double pairs for each of 16 lanes, [pair][lane].
inline constexpr int lane_twiddles = 13;

/// Byte offsets of the parts of the loaded key.
class KeyLayout {
 public:
    explicit KeyLayout(const RotationSizes& sizes);

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    /// Roots, twiddles and leaf exponents as in TransformTables.
    [[nodiscard]] std::uint64_t roots() const noexcept { return 0; }
    [[nodiscard]] std::uint64_t twiddles() const noexcept { return twiddles_; }
    [[nodiscard]] std::uint64_t leaf_exponents() const noexcept { return leaf_exponents_; }
    [[nodiscard]] std::uint64_t lane_table() const noexcept { return lane_table_; }
    /// [i][row][component][leaf], complex FP64.
    [[nodiscard]] std::uint64_t general_key() const noexcept { return general_key_; }
    /// [step][word][f]: 16-byte words of two complex numbers in 32-bit integers, in units of 2^packed_shift of
    /// the spectrum of 32-bit words, times exp(i pi (f mod 16) / N), the real part offset by 2^31.
    [[nodiscard]] std::uint64_t packed_key() const noexcept { return packed_key_; }
    [[nodiscard]] bool has_packed() const noexcept { return has_packed_; }

    /// Fills the block. Error(format) if a spectrum overflows the packed form: no key that was generated does.
    void build(const GlweRowSource& rows, base::ThreadPool& pool, std::span<std::byte> out) const;

 private:
    void build_packed_tables(std::span<std::byte> out) const;

    RotationSizes sizes_;
    TransformTables tables_;
    bool has_packed_;
    std::uint64_t twiddles_ = 0;
    std::uint64_t leaf_exponents_ = 0;
    std::uint64_t lane_table_ = 0;
    std::uint64_t general_key_ = 0;
    std::uint64_t packed_key_ = 0;
    std::uint64_t bytes_ = 0;
};

/// Units of the packed key, and of its overflow: a uniform row's parts have a standard deviation of 2^34.2 at
/// N = 512, so that 2^(31 + 7) is 14 of them. Rounding to 2^7 adds 2.3 units of 2^-32 to each coefficient of
/// the key, against the 131 of the sets' own noise.
inline constexpr int packed_shift = 7;

}  // namespace toroid::backend_gpu
