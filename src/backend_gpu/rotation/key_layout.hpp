// SPDX-License-Identifier: Apache-2.0
// The loaded bootstrapping key: one block of memory, first the tables, then the key in each layout that a
// kernel of the set reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend_gpu/rotation/packed_key_order.hpp"
#include "backend_gpu/rotation/rotation.hpp"
#include "backend_gpu/rotation/tensor_key_order.hpp"
#include "backend_gpu/rotation/transform_tables.hpp"

namespace toroid::backend_gpu {

[[nodiscard]] PackedKeyOrder packed_key_order(const RotationSizes& sizes);
[[nodiscard]] TensorKeyOrder tensor_key_order(const RotationSizes& sizes);

/// Lane twiddles of both kernels for full batches: `lane_twiddles` double pairs for each of 16 lanes,
/// [pair][lane].
inline constexpr int lane_twiddles = 13;

/// Byte offsets of the parts of the loaded key.
class KeyLayout {
 public:
    /// With the key of the packed kernel; with that of the tensor kernel as well.
    KeyLayout(const RotationSizes& sizes, bool packed, bool tensor);

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    /// Roots, twiddles and leaf exponents as in TransformTables.
    [[nodiscard]] std::uint64_t roots() const noexcept { return 0; }
    [[nodiscard]] std::uint64_t twiddles() const noexcept { return twiddles_; }
    [[nodiscard]] std::uint64_t leaf_exponents() const noexcept { return leaf_exponents_; }
    [[nodiscard]] std::uint64_t lane_table() const noexcept { return lane_table_; }
    /// [i][row][component][leaf], complex FP64.
    [[nodiscard]] std::uint64_t general_key() const noexcept { return general_key_; }
    /// [step][word][f], words as PackedKeyOrder says: the spectrum times exp(i pi (f mod 16) / N), masks in
    /// units of 2^packed_mask_shift plus 2^34, bodies and coarse masks of 2^packed_body_shift plus 2^31.
    [[nodiscard]] std::uint64_t packed_key() const noexcept { return packed_key_; }
    /// [step][word], words as TensorKeyOrder says: the same spectra in units of 2^packed_mask_shift.
    [[nodiscard]] std::uint64_t tensor_key() const noexcept { return tensor_key_; }

    /// Fills the block. Error(format) if a spectrum overflows the packed form: no key that was generated
    /// does.
    void build(const GlweRowSource& rows, base::ThreadPool& pool, std::span<std::byte> out) const;

 private:
    void build_packed_tables(std::span<std::byte> out) const;
    void put_packed(int i, int row, int c, std::span<const HostComplex> spectrum,
                    std::span<std::byte> out) const;
    void put_tensor(int i, int row, int c, std::span<const HostComplex> spectrum,
                    std::span<std::byte> out) const;

    RotationSizes sizes_;
    TransformTables tables_;
    bool packed_;
    bool tensor_;
    std::uint64_t twiddles_ = 0;
    std::uint64_t leaf_exponents_ = 0;
    std::uint64_t lane_table_ = 0;
    std::uint64_t general_key_ = 0;
    std::uint64_t packed_key_ = 0;
    std::uint64_t tensor_key_ = 0;
    std::uint64_t bytes_ = 0;
};

/// Units of the packed key. A uniform row's parts have a standard deviation of 2^34.2 at N = 512, of which
/// both forms hold 14. Coarser masks would show: an error e of a mask counts |S| = 26 times in the phase. As
/// it is, units of 2^4 add 8 units of 2^-32 to the phase of a row, whose noise is 131.
inline constexpr int packed_mask_shift = 4;
inline constexpr int packed_body_shift = 7;

}  // namespace toroid::backend_gpu
