// SPDX-License-Identifier: Apache-2.0
// What the handles of the public API hold, for the parts of the API alone.
#pragma once

#include <memory>
#include <utility>

#include "circuit/circuit.hpp"
#include "circuit/interface.hpp"
#include "runtime/noise_check.hpp"
#include "scheme/ciphertext_bundle.hpp"
#include "scheme/evaluation_key.hpp"
#include "scheme/parameters.hpp"
#include "toroid/ciphertexts.hpp"
#include "toroid/circuit.hpp"
#include "toroid/evaluation_key.hpp"
#include "toroid/interface.hpp"
#include "toroid/parameters.hpp"

namespace toroid {

struct ParameterSet::State {
    scheme::Parameters parameters;
};
struct Interface::State {
    circuit::Interface interface;
    std::vector<Port> inputs;
    std::vector<Port> outputs;
};
struct Circuit::State {
    circuit::Circuit circuit;
    Interface interface;
};
struct Ciphertexts::State {
    scheme::CiphertextBundle bundle;
};
struct EvaluationKey::State {
    scheme::EvaluationKey key;
    ParameterSet parameters;
};

namespace detail {

struct Access {
    static ParameterSet wrap(scheme::Parameters parameters);
    static Interface wrap(circuit::Interface interface);
    static Circuit wrap(circuit::Circuit circuit);
    static Ciphertexts wrap(scheme::CiphertextBundle bundle);
    static EvaluationKey wrap(scheme::EvaluationKey key);

    static const scheme::Parameters& of(const ParameterSet& set) { return set.state_->parameters; }
    static const circuit::Interface& of(const Interface& interface) { return interface.state_->interface; }
    static const circuit::Circuit& of(const Circuit& circuit) { return circuit.state_->circuit; }
    static const scheme::CiphertextBundle& of(const Ciphertexts& texts) { return texts.state_->bundle; }
    static const scheme::EvaluationKey& of(const EvaluationKey& key) { return key.state_->key; }
};

/// The text of a file of at most `limit` bytes.
[[nodiscard]] std::string read_text(const std::filesystem::path& path, std::uint64_t limit);
/// Error(circuit) for a name that a ciphertext file cannot keep: longer than 4096 bytes, or with control
/// characters.
void check_port_names(const std::vector<Port>& ports);
/// Error(value) unless the ports' values fit: known names, widths.
void check_values(const Values& values, const std::vector<Port>& ports);
/// Error(usage) unless this is log2 of a probability: a NaN would let every gate pass.
void check_target(double target_failure_log2);
[[nodiscard]] FailureFigures to_figures(const runtime::NoiseReport& report);

}  // namespace detail
}  // namespace toroid
