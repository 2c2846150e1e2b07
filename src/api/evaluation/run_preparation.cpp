// SPDX-License-Identifier: Apache-2.0
#include "api/evaluation/run_preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/byte_stream.hpp"
#include "runtime/refresh.hpp"
#include "scheme/noise_model.hpp"

namespace toroid::detail {
namespace {

using scheme::CiphertextBundle;
using scheme::CiphertextEntry;

void check_belongs(const scheme::Parameters& parameters, const base::KeyId& key_id,
                   const Interface& interface, const CiphertextBundle& bundle) {
    if (bundle.parameters != parameters.fingerprint()) {
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("the ciphertexts belong to parameter set {}, the evaluation key to {} ({})",
                                base::hex(bundle.parameters), base::hex(parameters.fingerprint()),
                                parameters.name()));
    }
    if (bundle.key_id != key_id) {
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("the ciphertexts belong to key {}, the evaluation key to {}",
                                base::hex(bundle.key_id), base::hex(key_id)));
    }
    const base::Fingerprint expected = Access::of(interface).fingerprint();
    if (bundle.interface_id != base::Fingerprint{} && bundle.interface_id != expected) {
        throw Error(
            ErrorKind::key_mismatch,
            fmt::format("the ciphertexts were made for interface {}, circuit '{}' has interface {}",
                        base::hex(bundle.interface_id), interface.circuit_name(), base::hex(expected)));
    }
}

std::string known_inputs(const std::vector<Port>& ports) {
    std::string names;
    for (const Port& port : ports) names += (names.empty() ? "" : ", ") + port.name;
    return names.empty() ? "it has none" : "it has " + names;
}

void check_steps(const std::string& name, std::size_t steps, std::uint32_t cycles) {
    if (steps == 1 || steps == cycles) return;
    throw Error(ErrorKind::value,
                fmt::format("input '{}' has {} values, one a clock cycle, for a run of {} cycles", name,
                            steps, cycles));
}

void check_entry(const CiphertextEntry& entry, const std::vector<Port>& ports, std::uint32_t cycles) {
    const auto port = std::ranges::find(ports, entry.name, &Port::name);
    if (port == ports.end()) {
        throw Error(ErrorKind::value,
                    fmt::format("the circuit has no input '{}'; {}", entry.name, known_inputs(ports)));
    }
    if (port->width != entry.width || port->is_signed != entry.is_signed) {
        const auto type = [](std::uint32_t width, bool is_signed) {
            return fmt::format("{} {}-bit", is_signed ? "signed" : "unsigned", width);
        };
        throw Error(ErrorKind::value,
                    fmt::format("input '{}' is {}, the ciphertext of that name is {}", entry.name,
                                type(port->width, port->is_signed), type(entry.width, entry.is_signed)));
    }
    check_steps(entry.name, entry.steps, cycles);
}

void check_clear(const Values& clear, const std::vector<Port>& ports, const CiphertextBundle& bundle,
                 std::uint32_t cycles) {
    check_values(clear, ports);
    for (const auto& [name, steps] : clear) {
        if (std::ranges::count(bundle.entries, name, &CiphertextEntry::name) != 0) {
            throw Error(ErrorKind::value, fmt::format("input '{}' is given both encrypted and clear", name));
        }
        check_steps(name, steps.size(), cycles);
    }
}

void check_complete(const std::vector<Port>& ports, const CiphertextBundle& bundle, const Values& clear) {
    std::string missing;
    for (const Port& port : ports) {
        if (std::ranges::count(bundle.entries, port.name, &CiphertextEntry::name) == 0 &&
            !clear.contains(port.name)) {
            missing += (missing.empty() ? "'" : ", '") + port.name + "'";
        }
    }
    if (!missing.empty()) throw Error(ErrorKind::value, fmt::format("no value for input {}", missing));
}

double variance_of(const CiphertextEntry& entry, const scheme::NoiseModel& model) {
    switch (entry.origin) {
        case scheme::Origin::secret_key:
            return model.fresh;
        case scheme::Origin::public_key:
            return model.fresh_public_key;
        case scheme::Origin::evaluated:
            return double{entry.variance};
    }
    throw Error(ErrorKind::internal, "unknown origin of a ciphertext");
}

}  // namespace

PreparedRun prepare_run(const scheme::Parameters& parameters, const base::KeyId& key_id,
                        const Circuit& circuit, const Ciphertexts& ciphertexts, const Values& clear,
                        const RunOptions& options) {
    if (options.cycles == 0) throw Error(ErrorKind::usage, "a run needs at least one clock cycle");
    check_target(options.target_failure_log2);
    const CiphertextBundle& bundle = Access::of(ciphertexts);
    const std::vector<Port>& ports = circuit.interface().inputs();
    check_port_names(circuit.interface().outputs());
    check_belongs(parameters, key_id, circuit.interface(), bundle);
    for (const CiphertextEntry& entry : bundle.entries) check_entry(entry, ports, options.cycles);
    check_clear(clear, ports, bundle, options.cycles);
    check_complete(ports, bundle, clear);

    Values held;
    for (const auto& [name, steps] : clear) {
        if (steps.size() == 1) held.emplace(name, steps);
    }
    PreparedRun run{held.empty() ? Access::of(circuit) : circuit::bind_inputs(Access::of(circuit), held),
                    0,
                    {},
                    {},
                    ciphertexts};

    const scheme::NoiseModel model(parameters);
    std::vector<runtime::InputNoise> noise;
    for (const circuit::InputPort& port : run.circuit.inputs) {
        runtime::PortInput input;
        input.width = static_cast<std::uint32_t>(port.signals.size());
        const auto entry = std::ranges::find(bundle.entries, port.name, &CiphertextEntry::name);
        if (entry != bundle.entries.end()) {
            input.steps = entry->steps;
            input.samples = &entry->samples;
            noise.push_back({variance_of(*entry, model), entry->steps == 1});
        } else {
            input.clear = clear.at(port.name);
            input.steps = static_cast<std::uint32_t>(input.clear.size());
            noise.push_back({0, false});
        }
        run.inputs.push_back(std::move(input));
    }
    double largest_variance = 0;
    for (const runtime::InputNoise& input : noise)
        largest_variance = std::max(largest_variance, input.variance);
    runtime::RefreshedCircuit refreshed =
        runtime::refresh_noisy_wires(run.circuit, model, largest_variance, options.target_failure_log2);
    run.circuit = std::move(refreshed.circuit);
    run.refreshes = refreshed.refreshes;
    run.noise = runtime::noise_report(run.circuit, model, noise, options.cycles);
    runtime::check_noise(run.noise, options.target_failure_log2, parameters.name());
    return run;
}

}  // namespace toroid::detail
