// SPDX-License-Identifier: Apache-2.0
#include "client/secret_key.hpp"

#include <fmt/format.h>

#include <utility>

#include "scheme/file_sections.hpp"
#include "scheme/sampling.hpp"
#include "toroid/error.hpp"

namespace toroid::client {
namespace {

using Coefficients = base::SecretVector<std::int8_t>;

Coefficients read_key(base::SectionReader& reader, std::string_view tag, int size,
                      scheme::KeyDistribution distribution, int block) {
    reader.enter(tag, static_cast<std::uint64_t>(size));
    Coefficients key(static_cast<std::size_t>(size));
    reader.read(std::as_writable_bytes(std::span(key)));
    if (!scheme::is_key_of(distribution, block, key))
        reader.fail(fmt::format("section {} holds a coefficient outside the key's distribution", tag));
    reader.leave();
    return key;
}

}  // namespace

SecretKey::SecretKey(scheme::Parameters parameters, base::KeyId key_id, Coefficients lwe, Coefficients glwe)
    : parameters_(std::move(parameters)), key_id_(key_id), lwe_(std::move(lwe)), glwe_(std::move(glwe)) {}

SecretKey SecretKey::generate(const scheme::Parameters& parameters, base::RandomSourceFactory& random,
                              bool allow_comparison) {
    if (parameters.comparison_only() && !allow_comparison)
        throw Error(
            ErrorKind::parameters,
            fmt::format(
                "parameter set '{}' is for comparisons only ({}); a key for it must be asked for explicitly",
                parameters.name(), parameters.comparison_reason()));
    base::forbid_core_dumps();
    const auto secrets = random.make();
    const auto published = random.make();
    const auto& literal = parameters.literal();
    Coefficients lwe(static_cast<std::size_t>(parameters.n()));
    scheme::sample_key(*secrets, literal.lwe.key, literal.lwe.block, lwe);
    Coefficients glwe(static_cast<std::size_t>(parameters.extracted_dimension()));
    scheme::sample_key(*secrets, literal.glwe.key, 1, glwe);
    return {parameters, scheme::sample_key_id(*published), std::move(lwe), std::move(glwe)};
}

std::span<const std::int8_t> SecretKey::wire() const noexcept {
    return parameters_.order() == scheme::GateOrder::key_switch_first ? glwe() : lwe();
}

void SecretKey::save(const std::filesystem::path& path) const {
    base::SectionWriter writer(path, base::FileMode::owner_only,
                               {base::FileKind::secret_key, parameters_.fingerprint(), key_id_});
    scheme::write_parameters(writer, parameters_);
    writer.section("LWES", std::as_bytes(lwe()));
    writer.section("GLWS", std::as_bytes(glwe()));
    writer.commit();
}

SecretKey SecretKey::load(const std::filesystem::path& path) {
    base::forbid_core_dumps();
    base::SectionReader reader(path, base::FileKind::secret_key);
    scheme::Parameters parameters = scheme::read_parameters(reader);
    const auto& literal = parameters.literal();
    auto lwe = read_key(reader, "LWES", parameters.n(), literal.lwe.key, literal.lwe.block);
    auto glwe = read_key(reader, "GLWS", parameters.extracted_dimension(), literal.glwe.key, 1);
    reader.finish();
    return {std::move(parameters), reader.head().key_id, std::move(lwe), std::move(glwe)};
}

}  // namespace toroid::client
