// SPDX-License-Identifier: Apache-2.0
#include "toroid/client.hpp"

#include <fmt/format.h>

#include "api/common/access.hpp"
#include "base/random_source.hpp"
#include "base/thread_pool.hpp"
#include "client/encryption.hpp"
#include "client/secret_key.hpp"
#include "scheme/public_key.hpp"

namespace toroid {

struct SecretKey::State {
    client::SecretKey key;
    ParameterSet parameters;
};
struct PublicKey::State {
    scheme::PublicKey key;
    ParameterSet parameters;
};

namespace {

std::vector<bool> flatten(const std::vector<Bits>& steps) {
    std::vector<bool> bits;
    for (const Bits& step : steps) bits.insert(bits.end(), step.begin(), step.end());
    return bits;
}

/// One entry a value; encrypt(bits, entry) makes its samples.
template <typename Encrypt>
Ciphertexts encrypt_values(const scheme::Parameters& parameters, const base::KeyId& key_id,
                           const Interface& interface, const Values& values, Encrypt&& encrypt) {
    detail::check_port_names(interface.inputs());
    detail::check_values(values, interface.inputs());
    scheme::CiphertextBundle bundle{
        parameters.fingerprint(), key_id, detail::Access::of(interface).fingerprint(), {}};
    for (const Port& port : interface.inputs()) {
        const auto steps = values.find(port.name);
        if (steps == values.end()) continue;
        scheme::CiphertextEntry entry;
        entry.name = port.name;
        entry.width = port.width;
        entry.steps = static_cast<std::uint32_t>(steps->second.size());
        entry.is_signed = port.is_signed;
        encrypt(flatten(steps->second), entry);
        bundle.entries.push_back(std::move(entry));
    }
    return detail::Access::wrap(std::move(bundle));
}

}  // namespace

PublicKey::PublicKey(std::shared_ptr<const State> state) : state_(std::move(state)) {}

PublicKey PublicKey::load(const std::filesystem::path& path) {
    scheme::PublicKey key = scheme::PublicKey::load(path);
    ParameterSet parameters = detail::Access::wrap(key.parameters());
    return PublicKey(std::make_shared<const State>(State{std::move(key), std::move(parameters)}));
}

void PublicKey::save(const std::filesystem::path& path) const {
    state_->key.save(path);
}
const ParameterSet& PublicKey::parameters() const noexcept {
    return state_->parameters;
}
std::string PublicKey::key_id() const {
    return base::hex(state_->key.key_id());
}

Ciphertexts PublicKey::encrypt(const Interface& interface, const Values& values) const {
    const auto encrypt_entry = [this](const std::vector<bool>& bits, scheme::CiphertextEntry& entry) {
        entry.origin = scheme::Origin::public_key;
        entry.samples = state_->key.encrypt(bits, base::system_random_sources());
    };
    return encrypt_values(state_->key.parameters(), state_->key.key_id(), interface, values, encrypt_entry);
}

SecretKey::SecretKey(std::shared_ptr<const State> state) : state_(std::move(state)) {}

SecretKey SecretKey::generate(const ParameterSet& parameters, bool allow_comparison) {
    client::SecretKey key = client::SecretKey::generate(detail::Access::of(parameters),
                                                        base::system_random_sources(), allow_comparison);
    return SecretKey(std::make_shared<const State>(State{std::move(key), parameters}));
}

SecretKey SecretKey::load(const std::filesystem::path& path) {
    client::SecretKey key = client::SecretKey::load(path);
    ParameterSet parameters = detail::Access::wrap(key.parameters());
    return SecretKey(std::make_shared<const State>(State{std::move(key), std::move(parameters)}));
}

void SecretKey::save(const std::filesystem::path& path) const {
    state_->key.save(path);
}
const ParameterSet& SecretKey::parameters() const noexcept {
    return state_->parameters;
}
std::string SecretKey::key_id() const {
    return base::hex(state_->key.key_id());
}

EvaluationKey SecretKey::make_evaluation_key(unsigned threads, const Progress& progress) const {
    base::ThreadPool pool(threads);
    return detail::Access::wrap(
        client::make_evaluation_key(state_->key, base::system_random_sources(), pool, progress));
}

PublicKey SecretKey::make_public_key() const {
    return PublicKey(std::make_shared<const PublicKey::State>(PublicKey::State{
        client::make_public_key(state_->key, base::system_random_sources()), state_->parameters}));
}

Ciphertexts SecretKey::encrypt(const Interface& interface, const Values& values) const {
    const auto encrypt_entry = [this](const std::vector<bool>& bits, scheme::CiphertextEntry& entry) {
        client::SeededSamples made = client::encrypt(state_->key, bits, base::system_random_sources());
        entry.origin = scheme::Origin::secret_key;
        entry.samples = std::move(made.samples);
        entry.seed = made.seed;
    };
    return encrypt_values(state_->key.parameters(), state_->key.key_id(), interface, values, encrypt_entry);
}

Values SecretKey::decrypt(const Ciphertexts& ciphertexts) const {
    const scheme::CiphertextBundle& bundle = detail::Access::of(ciphertexts);
    bundle.require_key(state_->key.key_id(), "the ciphertext");
    Values values;
    for (const scheme::CiphertextEntry& entry : bundle.entries) {
        const std::vector<bool> bits = client::decrypt(state_->key, entry.samples);
        std::vector<Bits>& steps = values[entry.name];
        for (std::size_t first = 0; first < bits.size(); first += entry.width) {
            const auto begin = bits.begin() + static_cast<std::ptrdiff_t>(first);
            steps.emplace_back(begin, begin + entry.width);
        }
    }
    return values;
}

}  // namespace toroid
