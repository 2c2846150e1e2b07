// SPDX-License-Identifier: Apache-2.0
#include "toroid/ciphertexts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/common/access.hpp"
#include "base/byte_stream.hpp"

namespace toroid {
namespace {

std::string origin_name(scheme::Origin origin) {
    switch (origin) {
        case scheme::Origin::secret_key:
            return "secret-key";
        case scheme::Origin::public_key:
            return "public-key";
        case scheme::Origin::evaluated:
            return "evaluated";
    }
    throw Error(ErrorKind::internal, "unknown origin of a ciphertext");
}

void append(scheme::CiphertextBundle& whole, const scheme::CiphertextBundle& part) {
    if (part.parameters != whole.parameters) {
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("ciphertexts of parameter sets {} and {} cannot be used together",
                                base::hex(whole.parameters), base::hex(part.parameters)));
    }
    if (part.key_id != whole.key_id) {
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("ciphertexts of keys {} and {} cannot be used together",
                                base::hex(whole.key_id), base::hex(part.key_id)));
    }
    constexpr base::Fingerprint unbound{};
    if (whole.interface_id == unbound) whole.interface_id = part.interface_id;
    if (part.interface_id != unbound && part.interface_id != whole.interface_id) {
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("ciphertexts of interfaces {} and {} cannot be used together",
                                base::hex(whole.interface_id), base::hex(part.interface_id)));
    }
    for (const scheme::CiphertextEntry& entry : part.entries) {
        if (std::ranges::count(whole.entries, entry.name, &scheme::CiphertextEntry::name) != 0) {
            throw Error(ErrorKind::value, fmt::format("input '{}' is given twice", entry.name));
        }
        whole.entries.push_back(entry);
    }
}

}  // namespace

Ciphertexts::Ciphertexts(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Ciphertexts detail::Access::wrap(scheme::CiphertextBundle bundle) {
    return Ciphertexts(std::make_shared<const Ciphertexts::State>(Ciphertexts::State{std::move(bundle)}));
}

Ciphertexts Ciphertexts::load(const std::filesystem::path& path, const ParameterSet& parameters) {
    return detail::Access::wrap(scheme::CiphertextBundle::load(path, detail::Access::of(parameters)));
}

void Ciphertexts::save(const std::filesystem::path& path) const {
    state_->bundle.save(path);
}

std::vector<Ciphertexts::Entry> Ciphertexts::entries() const {
    std::vector<Entry> entries;
    for (const scheme::CiphertextEntry& entry : state_->bundle.entries) {
        entries.push_back(
            {{entry.name, entry.width, entry.is_signed}, entry.steps, origin_name(entry.origin)});
    }
    return entries;
}

std::string Ciphertexts::key_id() const {
    return base::hex(state_->bundle.key_id);
}

std::string Ciphertexts::interface_fingerprint() const {
    return state_->bundle.interface_id == base::Fingerprint{} ? "" : base::hex(state_->bundle.interface_id);
}

Ciphertexts Ciphertexts::none(const EvaluationKey& key) {
    const scheme::EvaluationKey& inner = detail::Access::of(key);
    return detail::Access::wrap({inner.parameters().fingerprint(), inner.key_id(), {}, {}});
}

Ciphertexts Ciphertexts::combine(const std::vector<Ciphertexts>& parts) {
    if (parts.empty()) throw Error(ErrorKind::usage, "no ciphertexts to combine");
    if (parts.size() == 1) return parts.front();
    scheme::CiphertextBundle whole = parts.front().state_->bundle;
    for (std::size_t i = 1; i < parts.size(); ++i) append(whole, parts[i].state_->bundle);
    return detail::Access::wrap(std::move(whole));
}

}  // namespace toroid
