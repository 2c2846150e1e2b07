// SPDX-License-Identifier: Apache-2.0
#include "scheme/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium.h>

#include <bit>
#include <cstddef>
#include <cstring>

#include "scheme/parameter_table.hpp"
#include "scheme/parameters_check.hpp"
#include "scheme/security_estimate.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

/// Hashes the numbers of a set: a domain string, then each number in the order of ParametersLiteral, integers
/// as little-endian u32, stds as the bits of an IEEE-754 double. The order and the values of the enums are
/// part of the file formats.
class FingerprintHash {
 public:
    FingerprintHash() {
        constexpr std::string_view domain = "toroid parameters v1";
        crypto_generichash_init(&state_, nullptr, 0, sizeof(base::Fingerprint));
        crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(domain.data()),
                                  domain.size());
    }
    void add(int value) { add_bytes(static_cast<std::uint32_t>(value), 4); }
    void add(double value) { add_bytes(std::bit_cast<std::uint64_t>(value), 8); }
    void add(math::Gadget gadget) {
        add(gadget.base_log);
        add(gadget.levels);
    }
    [[nodiscard]] base::Fingerprint finish() {
        base::Fingerprint out{};
        crypto_generichash_final(&state_, reinterpret_cast<unsigned char*>(out.data()), out.size());
        return out;
    }

 private:
    void add_bytes(std::uint64_t value, int count) {
        unsigned char bytes[8];
        for (int i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
        crypto_generichash_update(&state_, bytes, static_cast<unsigned long long>(count));
    }
    crypto_generichash_state state_;
};

base::Fingerprint compute_fingerprint(const ParametersLiteral& literal) {
    FingerprintHash hash;
    hash.add(static_cast<int>(literal.method));
    hash.add(literal.torus_bits);
    hash.add(static_cast<int>(literal.order));
    hash.add(literal.lwe.dimension);
    hash.add(static_cast<int>(literal.lwe.key));
    hash.add(literal.lwe.block);
    hash.add(literal.lwe.std_log2);
    hash.add(literal.glwe.ring_dimension);
    hash.add(literal.glwe.glwe_dimension);
    hash.add(static_cast<int>(literal.glwe.key));
    hash.add(literal.glwe.std_log2);
    hash.add(literal.mask);
    hash.add(literal.body);
    hash.add(literal.key_switch.gadget);
    hash.add(literal.key_switch.modulus_log);
    return hash.finish();
}

std::string comparison_reason_of(const ParametersLiteral& literal, const base::Fingerprint& fingerprint) {
    if (literal.comparison_only)
        return literal.purpose.empty() ? "marked as comparison only" : literal.purpose;
    // Another name does not make a comparison set fit for use.
    for (const NamedSet& row : named_sets) {
        if (row.comparison_only && compute_fingerprint(to_literal(row)) == fingerprint) {
            return fmt::format("the numbers of {} ({})", row.name, row.purpose);
        }
    }
    return estimate_security(literal).reason;
}

}  // namespace

struct Parameters::Checked {
    ParametersLiteral literal;
    base::Fingerprint fingerprint{};
    std::string comparison_reason;
};

Parameters::Parameters(ParametersLiteral literal) {
    std::vector<std::string> refusals = parameter_refusals(literal);
    const base::Fingerprint fingerprint = compute_fingerprint(literal);
    if (const NamedSet* row = find_named_set(literal.name)) {
        ParametersLiteral named = to_literal(*row);
        if (compute_fingerprint(named) == fingerprint) {
            literal = std::move(named);
        } else {
            refusals.push_back(fmt::format("name: {} is a named set with other numbers", literal.name));
        }
    }
    if (!refusals.empty()) {
        // A refused name may hold anything, so it is not repeated.
        const std::string name = is_parameter_name(literal.name) ? "'" + literal.name + "' " : "";
        throw Error(ErrorKind::parameters,
                    fmt::format("parameter set {}is refused: {}", name, fmt::join(refusals, "; ")));
    }
    std::string reason = comparison_reason_of(literal, fingerprint);
    checked_ = std::make_shared<const Checked>(Checked{std::move(literal), fingerprint, std::move(reason)});
}

const ParametersLiteral& Parameters::literal() const noexcept {
    return checked_->literal;
}
const std::string& Parameters::name() const noexcept {
    return checked_->literal.name;
}
const base::Fingerprint& Parameters::fingerprint() const noexcept {
    return checked_->fingerprint;
}
bool Parameters::comparison_only() const noexcept {
    return !checked_->comparison_reason.empty();
}
const std::string& Parameters::comparison_reason() const noexcept {
    return checked_->comparison_reason;
}

int Parameters::rotation_log() const noexcept {
    return std::bit_width(static_cast<unsigned>(N()));
}

math::KeyMean Parameters::lwe_key_mean() const noexcept {
    return {.numerator = 1,
            .denominator = literal().lwe.key == KeyDistribution::block_binary ? block() + 1 : 2};
}

math::KeyMean Parameters::glwe_key_mean() const noexcept {
    if (literal().glwe.key == KeyDistribution::binary) return {.numerator = 1, .denominator = 2};
    return {.numerator = 0, .denominator = 1};
}

ParametersLiteral to_literal(const NamedSet& row) {
    ParametersLiteral literal{.name = std::string(row.name),
                              .purpose = std::string(row.purpose),
                              .comparison_only = row.comparison_only,
                              .method = Method::cggi,
                              .torus_bits = 32,
                              .order = row.order,
                              .lwe = row.lwe,
                              .glwe = row.glwe,
                              .mask = row.mask,
                              .body = row.body,
                              .key_switch = row.key_switch,
                              .security = {}};
    for (const StatedSecurity& stated : row.security) {
        literal.security.push_back({std::string(stated.model), stated.bits, security_source(stated.model)});
    }
    return literal;
}

const NamedSet* find_named_set(std::string_view name) {
    for (const NamedSet& row : named_sets) {
        if (row.name == name) return &row;
    }
    return nullptr;
}

const std::vector<Parameters>& named_parameters() {
    static const std::vector<Parameters> all = [] {
        std::vector<Parameters> made;
        made.reserve(named_sets.size());
        for (const NamedSet& row : named_sets) made.emplace_back(to_literal(row));
        return made;
    }();
    return all;
}

const Parameters& named_parameters(std::string_view name) {
    std::string known;
    for (const Parameters& parameters : named_parameters()) {
        if (parameters.name() == name) return parameters;
        known += (known.empty() ? "" : ", ") + parameters.name();
    }
    throw Error(ErrorKind::parameters,
                fmt::format("unknown parameter set '{}'; known sets: {}", name, known));
}

}  // namespace toroid::scheme
