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

/// On which side of 128 bits a set of your own lies under one attack model: by a fit to many estimates, which
/// gives no number of bits (docs/parameters.md, "Security of your own set").
struct SecurityMargin {
    std::string model;
    double std_margin_log2 = 0;  ///< log2 of the set's noise over the least that has 128 bits
    double required_log2 = 0;    ///< what the fit's accuracy asks of that margin
    std::string source;
    [[nodiscard]] bool meets_128() const noexcept { return std_margin_log2 >= required_log2; }
};

/// What a parameter set means: dimensions, sizes, security, noise. Variances are fractions of the torus (=
/// 1).
struct ParameterFigures {
    std::string purpose;
    bool comparison_only = false;   ///< key generation refuses the set without an explicit flag
    std::string comparison_reason;  ///< why comparison_only; empty if it is not
    std::string order;              ///< "ks-first" or "br-first": key switch before or after blind rotation
    std::string lwe_key;            ///< "binary" or "block-binary"
    int lwe_dimension = 0;          ///< n
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
    /// Figures computed for this set, then those that its file states, marked as not verified.
    std::vector<SecurityFigure> security;
    std::vector<SecurityMargin> margins;  ///< empty for the numbers of a named set, which has figures
    double blind_rotation_fma = 0;        ///< FP64 multiply-adds of one blind rotation
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
