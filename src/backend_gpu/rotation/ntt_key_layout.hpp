// SPDX-License-Identifier: Apache-2.0
// The loaded bootstrapping key of the exact transform: one block of memory, tables first. Free of any
// vendor's types, so that a test without a GPU builds one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "backend_gpu/rotation/ntt_block.hpp"
#include "base/thread_pool.hpp"
#include "math/ntt.hpp"

namespace toroid::backend_gpu {

/// Byte offsets of the parts. With the key-switching key apart, it is as large as the FP64 Fourier form:
/// n rows (k+1) N pairs of words; the tables add 36 N bytes.
class NttKeyLayout {
 public:
    /// Row r of GGSW i: (k+1) N words, masks first. Called from several threads.
    using RowSource = std::function<void(int i, int r, std::span<std::uint32_t> words)>;

    /// sizes that math::ntt_refusal accepts.
    NttKeyLayout(const math::NttSizes& sizes, int lwe_dimension);

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    /// Writes tables and key to host memory of bytes().
    void build(const RowSource& source, base::ThreadPool& pool, std::span<std::byte> out) const;
    /// Shared memory of one block of threads, which rotates one accumulator: 8 bytes for each row's
    /// coefficient and 4 for each of the accumulator.
    [[nodiscard]] std::int64_t shared_bytes() const noexcept;
    /// Sizes and addresses for a key at `key` (in device or host memory); the job's own members are unset.
    [[nodiscard]] NttArguments arguments(const void* key) const;

 private:
    math::NttSizes sizes_;
    int lwe_dimension_;
    int rows_;
    std::uint64_t roots_ = 0;           // after [prime][forward, inverse][N] twiddles
    std::uint64_t leaf_exponents_ = 0;  // after [prime][2N] roots
    std::uint64_t key_ = 0;             // after N exponents: [i][prime][row][component][leaf] words
    std::uint64_t bytes_ = 0;
};

}  // namespace toroid::backend_gpu
