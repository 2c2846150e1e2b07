// SPDX-License-Identifier: Apache-2.0
// The owner's side. Programs that evaluate need evaluator.hpp only, and link a target that cannot name a
// secret.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "toroid/ciphertexts.hpp"
#include "toroid/evaluation_key.hpp"
#include "toroid/interface.hpp"
#include "toroid/parameters.hpp"
#include "toroid/progress.hpp"
#include "toroid/values.hpp"

namespace toroid {

/// Lets anybody encrypt inputs for the owner of a secret key. Cheap to copy.
class PublicKey {
 public:
    [[nodiscard]] static PublicKey load(const std::filesystem::path& path);
    void save(const std::filesystem::path& path) const;
    [[nodiscard]] const ParameterSet& parameters() const noexcept;
    [[nodiscard]] std::string key_id() const;
    /// Encrypts the values of `interface`'s inputs. Error(value) names what does not fit.
    [[nodiscard]] Ciphertexts encrypt(const Interface& interface, const Values& values) const;

 private:
    friend struct detail::Access;
    friend class SecretKey;
    struct State;
    explicit PublicKey(std::shared_ptr<const State> state);
    std::shared_ptr<const State> state_;
};

/// The secret key. Its memory is wiped when the last copy of the handle goes; making or loading one switches
/// the process's core dumps off.
class SecretKey {
 public:
    /// A fresh random key. Error(parameters) for a comparison-only set unless allow_comparison.
    [[nodiscard]] static SecretKey generate(const ParameterSet& parameters, bool allow_comparison = false);
    [[nodiscard]] static SecretKey load(const std::filesystem::path& path);
    /// Readable by its owner only; Error(io) if the file exists.
    void save(const std::filesystem::path& path) const;

    [[nodiscard]] const ParameterSet& parameters() const noexcept;
    [[nodiscard]] std::string key_id() const;

    /// The key for the server. threads = 0 takes all the process may use.
    [[nodiscard]] EvaluationKey make_evaluation_key(unsigned threads = 0,
                                                    const Progress& progress = {}) const;
    [[nodiscard]] PublicKey make_public_key() const;

    /// Encrypts the values of `interface`'s inputs. Error(value) names what does not fit.
    [[nodiscard]] Ciphertexts encrypt(const Interface& interface, const Values& values) const;
    /// Values by name. Error(key_mismatch) names both key ids.
    [[nodiscard]] Values decrypt(const Ciphertexts& ciphertexts) const;

 private:
    friend struct detail::Access;
    struct State;
    explicit SecretKey(std::shared_ptr<const State> state);
    std::shared_ptr<const State> state_;
};

}  // namespace toroid
