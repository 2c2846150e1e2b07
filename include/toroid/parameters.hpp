// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "toroid/error.hpp"

namespace toroid {

namespace detail {
struct Access;
}

/// One security figure of a parameter set and how it was computed.
struct SecurityFigure {
    std::string model;  ///< e.g. "lwe", "lwe_attacker_optimises_samples", "glwe"
    double bits = 0;
    std::string source;
};

/// What a parameter set means: dimensions, sizes, security, noise. Variances are fractions of the torus (=
/// 1).
struct ParameterFigures {
    std::string purpose;
    bool comparison_only = false;  ///< key generation refuses the set without an explicit flag
    std::string order;             ///< "ks-first" or "br-first": key switch before or after blind rotation
    std::string lwe_key;           ///< "binary" or "block-binary"
    int lwe_dimension = 0;         ///< n
    int block = 1;
    int ring_dimension = 0;                  ///< N
    int glwe_dimension = 0;                  ///< k
    std::uint64_t ciphertext_bytes = 0;      ///< one encrypted bit on a wire, not compressed
    std::uint64_t evaluation_key_bytes = 0;  ///< the seeded file, about
    double blind_rotation_variance = 0;
    double key_switch_variance = 0;
    double modulus_switch_variance = 0;
    double largest_weight_norm =
        0;  ///< largest W whose gate fails with probability at most 2^-128; 0 if none
    std::vector<SecurityFigure> security;
};

/// A checked, immutable parameter set. Cheap to copy.
class ParameterSet {
 public:
    /// Error(parameters) lists the known names.
    [[nodiscard]] static ParameterSet named(std::string_view name);
    /// One set in the JSON of to_json(). Error(format) for what is no such JSON, Error(parameters) naming
    /// every reason for which a set is refused. `source` is named in messages.
    [[nodiscard]] static ParameterSet from_json(std::string_view text, std::string_view source);
    /// from_json of a file's text.
    [[nodiscard]] static ParameterSet load(const std::filesystem::path& path);
    /// All named sets; the first is the default.
    [[nodiscard]] static std::vector<ParameterSet> all();

    [[nodiscard]] const std::string& name() const noexcept;
    /// Hexadecimal BLAKE2b of the set's numbers: equal for equal sets, whatever their names.
    [[nodiscard]] std::string fingerprint() const;
    [[nodiscard]] ParameterFigures figures() const;
    [[nodiscard]] std::string to_json() const;
    /// log2 of the probability that one gate of this weight norm W gives a wrong bit.
    [[nodiscard]] double gate_failure_log2(double weight_norm) const;

 private:
    friend struct detail::Access;
    struct State;
    explicit ParameterSet(std::shared_ptr<const State> state);
    std::shared_ptr<const State> state_;
};

}  // namespace toroid
