// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "toroid/evaluation_key.hpp"
#include "toroid/interface.hpp"
#include "toroid/parameters.hpp"

namespace toroid {

namespace detail {
struct Access;
}

/// Encrypted values by name, bound to a parameter set, a key and (for inputs) an interface. Cheap to copy.
class Ciphertexts {
 public:
    struct Entry {
        Port port;
        std::uint32_t cycles = 1;  ///< 1: held over all clock cycles; else one value a cycle
        std::string origin;        ///< "secret-key", "public-key" or "evaluated"
    };

    /// Error(format) with section and offset; Error(key_mismatch) for a file of another parameter set.
    [[nodiscard]] static Ciphertexts load(const std::filesystem::path& path, const ParameterSet& parameters);
    /// Written aside and renamed.
    void save(const std::filesystem::path& path) const;

    [[nodiscard]] std::vector<Entry> entries() const;
    /// Hexadecimal id of the key they are encrypted under.
    [[nodiscard]] std::string key_id() const;
    /// Fingerprint of the interface they are bound to; empty for outputs of a run, which may serve any
    /// circuit with inputs of their names and widths.
    [[nodiscard]] std::string interface_fingerprint() const;

    /// No values at all, for a circuit whose inputs are all clear.
    [[nodiscard]] static Ciphertexts none(const EvaluationKey& key);

    /// One object from several, e.g. of several parties under one key. Error(key_mismatch) naming both ids
    /// for different keys or interfaces, Error(value) for a name that is there twice.
    [[nodiscard]] static Ciphertexts combine(const std::vector<Ciphertexts>& parts);

 private:
    friend struct detail::Access;
    struct State;
    explicit Ciphertexts(std::shared_ptr<const State> state);
    std::shared_ptr<const State> state_;
};

}  // namespace toroid
