// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend_cpu/key_switch_job.hpp"
#include "base/aligned_vector.hpp"
#include "base/thread_pool.hpp"
#include "scheme/evaluation_key.hpp"

namespace toroid::backend_cpu {

/// The key-switching key in the layout of KeySwitchKey.
class LoadedSwitchingKey {
 public:
    LoadedSwitchingKey(const scheme::EvaluationKey& key, base::ThreadPool& pool);
    LoadedSwitchingKey(const LoadedSwitchingKey&) = delete;
    LoadedSwitchingKey& operator=(const LoadedSwitchingKey&) = delete;

    [[nodiscard]] const KeySwitchKey& view() const noexcept { return view_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return values_.size(); }
    [[nodiscard]] static std::uint64_t bytes(const scheme::Parameters& parameters);
    /// Bytes of one word: 2 for the modulus 2^16, else 4.
    [[nodiscard]] std::size_t word_bytes() const noexcept { return view_.modulus_log == 16 ? 2 : 4; }

 private:
    base::AlignedVector<std::byte> values_;
    KeySwitchKey view_;
};

}  // namespace toroid::backend_cpu
