// SPDX-License-Identifier: Apache-2.0
// The only folder that knows a secret.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/byte_stream.hpp"
#include "base/progress.hpp"
#include "base/random_source.hpp"
#include "base/secure_memory.hpp"
#include "base/thread_pool.hpp"
#include "scheme/evaluation_key.hpp"
#include "scheme/parameters.hpp"

namespace toroid::client {

/// LWE key s in {0,1}^n and GLWE key S in k polynomials of N coefficients, with a random 128-bit key id.
/// Memory is wiped on destruction; making one switches core dumps off. Movable, not copyable.
class SecretKey {
 public:
    /// Error(parameters) for a comparison-only set unless allow_comparison.
    [[nodiscard]] static SecretKey generate(const scheme::Parameters& parameters,
                                            base::RandomSourceFactory& random, bool allow_comparison = false);
    SecretKey(SecretKey&&) = default;
    SecretKey& operator=(SecretKey&&) = default;
    SecretKey(const SecretKey&) = delete;
    SecretKey& operator=(const SecretKey&) = delete;
    ~SecretKey() = default;

    [[nodiscard]] const scheme::Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] const base::KeyId& key_id() const noexcept { return key_id_; }
    /// s, n coefficients.
    [[nodiscard]] std::span<const std::int8_t> lwe() const noexcept { return lwe_; }
    /// S, k N coefficients, polynomial 0 first.
    [[nodiscard]] std::span<const std::int8_t> glwe() const noexcept { return glwe_; }
    /// The key under which wires are encrypted: S for key_switch_first, s for bootstrap_first.
    [[nodiscard]] std::span<const std::int8_t> wire() const noexcept;

    /// Created exclusively with owner-only mode; Error(io) if the file exists.
    void save(const std::filesystem::path& path) const;
    [[nodiscard]] static SecretKey load(const std::filesystem::path& path);

 private:
    SecretKey(scheme::Parameters parameters, base::KeyId key_id, base::SecretVector<std::int8_t> lwe,
              base::SecretVector<std::int8_t> glwe);
    scheme::Parameters parameters_;
    base::KeyId key_id_;
    base::SecretVector<std::int8_t> lwe_;
    base::SecretVector<std::int8_t> glwe_;
};

/// Bootstrapping and key-switching key, made in parallel. Separate random sources for noise and seed, one a
/// worker.
[[nodiscard]] scheme::EvaluationKey make_evaluation_key(const SecretKey& key,
                                                        base::RandomSourceFactory& random,
                                                        base::ThreadPool& pool,
                                                        const base::ProgressCallback& progress);

}  // namespace toroid::client
