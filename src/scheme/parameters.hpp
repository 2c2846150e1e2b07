// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.hpp"
#include "math/decomposition.hpp"

namespace toroid::scheme {

enum class Method : std::uint8_t { cggi };  // FHEW/DM joins as a second value
enum class KeyDistribution : std::uint8_t { binary, ternary, block_binary };
enum class GateOrder : std::uint8_t { key_switch_first, bootstrap_first };

struct LweLiteral {
    int dimension = 0;  ///< n
    KeyDistribution key = KeyDistribution::binary;
    int block = 1;  ///< coefficients a block, at most one of which is 1; 1 unless key is block_binary
    double std_log2 = 0;
    friend bool operator==(const LweLiteral&, const LweLiteral&) = default;
};
struct GlweLiteral {
    int ring_dimension = 0;  ///< N
    int glwe_dimension = 0;  ///< k
    KeyDistribution key = KeyDistribution::ternary;
    double std_log2 = 0;
    friend bool operator==(const GlweLiteral&, const GlweLiteral&) = default;
};
struct KeySwitchLiteral {
    math::Gadget gadget;
    int modulus_log = 32;  ///< 16 or 32
    friend bool operator==(const KeySwitchLiteral&, const KeySwitchLiteral&) = default;
};

/// A security figure and where it comes from; bits <= 0 means "not computed".
struct SecurityEstimate {
    std::string model;  ///< e.g. "lwe", "lwe_attacker_optimises_samples", "glwe"
    double bits = 0;
    std::string source;  ///< how it was computed
    friend bool operator==(const SecurityEstimate&, const SecurityEstimate&) = default;
};

/// A parameter set as somebody wrote it: unchecked.
struct ParametersLiteral {
    std::string name;
    std::string purpose;
    bool comparison_only = false;
    Method method = Method::cggi;
    int torus_bits = 32;
    GateOrder order = GateOrder::key_switch_first;
    LweLiteral lwe;
    GlweLiteral glwe;
    math::Gadget mask;
    math::Gadget body;
    KeySwitchLiteral key_switch;
    std::vector<SecurityEstimate> security;
    friend bool operator==(const ParametersLiteral&, const ParametersLiteral&) = default;
};

/// A checked, immutable parameter set. Cheap to copy; equal sets have equal fingerprints.
class Parameters {
 public:
    /// Error(parameters) names every reason for which the set is refused. The name of a named set stands for
    /// its numbers: with others it is refused, with the same it brings the table's purpose and security
    /// figures.
    explicit Parameters(ParametersLiteral literal);

    [[nodiscard]] const ParametersLiteral& literal() const noexcept;
    [[nodiscard]] const std::string& name() const noexcept;
    /// BLAKE2b of the numbers (not of name, purpose or security figures).
    [[nodiscard]] const base::Fingerprint& fingerprint() const noexcept;

    [[nodiscard]] int n() const noexcept { return literal().lwe.dimension; }
    [[nodiscard]] int N() const noexcept { return literal().glwe.ring_dimension; }
    [[nodiscard]] int k() const noexcept { return literal().glwe.glwe_dimension; }
    [[nodiscard]] math::Gadget mask() const noexcept { return literal().mask; }
    [[nodiscard]] math::Gadget body() const noexcept { return literal().body; }
    [[nodiscard]] math::Gadget key_switch_gadget() const noexcept { return literal().key_switch.gadget; }
    [[nodiscard]] int key_switch_modulus_log() const noexcept { return literal().key_switch.modulus_log; }
    [[nodiscard]] GateOrder order() const noexcept { return literal().order; }
    /// True if key generation needs the user's explicit consent: the set is marked as comparison-only, or it
    /// was not shown to have 128 bits of security (security_estimate.hpp).
    [[nodiscard]] bool comparison_only() const noexcept;
    /// Why comparison_only(); empty if it is not.
    [[nodiscard]] const std::string& comparison_reason() const noexcept;
    /// Block length of the LWE key; 1 for a uniform binary key.
    [[nodiscard]] int block() const noexcept { return literal().lwe.block; }
    /// GGSW rows: k la + lb. Row r < k la belongs to mask component r / la, level r % la + 1; the rest to the
    /// body.
    [[nodiscard]] int rows() const noexcept { return k() * mask().levels + body().levels; }
    /// k N, the dimension of an extracted sample.
    [[nodiscard]] int extracted_dimension() const noexcept { return k() * N(); }
    /// Dimension of a wire's LWE ciphertext: k N for key_switch_first, n for bootstrap_first.
    [[nodiscard]] int wire_dimension() const noexcept {
        return order() == GateOrder::key_switch_first ? extracted_dimension() : n();
    }
    /// log2(2N).
    [[nodiscard]] int rotation_log() const noexcept;
    /// Modulus of the sample that enters modulus switching: the key switch's for key_switch_first, else 32.
    [[nodiscard]] int switched_modulus_log() const noexcept {
        return order() == GateOrder::key_switch_first ? key_switch_modulus_log() : 32;
    }
    /// Mean of an LWE key coefficient: 1/2, or 1/(block+1).
    [[nodiscard]] math::KeyMean lwe_key_mean() const noexcept;
    /// Mean of a GLWE key coefficient, for mean-compensated key switching: 1/2 for binary, 0 for ternary.
    [[nodiscard]] math::KeyMean glwe_key_mean() const noexcept;

 private:
    struct Checked;
    std::shared_ptr<const Checked> checked_;
};

/// All named sets, in the table's order; the first is the default.
[[nodiscard]] const std::vector<Parameters>& named_parameters();
/// Error(parameters) lists the known names.
[[nodiscard]] const Parameters& named_parameters(std::string_view name);

/// JSON of one set, in the schema of the named table (docs/parameters.md); `source` names it in messages.
/// Malformed JSON is Error(format); unknown, missing, duplicate or ill-typed fields are Error(parameters)
/// with the field's path. Security figures are kept as stated by the source; p_fail_log2 and fma_million are
/// checked to be numbers and then dropped, since Toroid recomputes them.
[[nodiscard]] ParametersLiteral parameters_from_json(std::string_view text, std::string_view source);
[[nodiscard]] std::string parameters_to_json(const Parameters& parameters);

}  // namespace toroid::scheme
