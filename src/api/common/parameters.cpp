// SPDX-License-Identifier: Apache-2.0
#include "toroid/parameters.hpp"

#include "api/common/access.hpp"
#include "base/file.hpp"
#include "scheme/noise_model.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 20;
constexpr double default_target_log2 = -128;

std::uint64_t evaluation_key_bytes(const scheme::Parameters& set) {
    const auto words = [](int value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t bootstrapping = words(set.n()) * words(set.rows()) * words(set.N()) * 4;
    const std::uint64_t key_switching = words(set.extracted_dimension()) *
                                        words(set.key_switch_gadget().levels) *
                                        words(set.key_switch_modulus_log()) / 8;
    return bootstrapping + key_switching;
}

}  // namespace

ParameterSet::ParameterSet(std::shared_ptr<const State> state) : state_(std::move(state)) {}

ParameterSet detail::Access::wrap(scheme::Parameters parameters) {
    return ParameterSet(
        std::make_shared<const ParameterSet::State>(ParameterSet::State{std::move(parameters)}));
}

ParameterSet ParameterSet::named(std::string_view name) {
    return detail::Access::wrap(scheme::named_parameters(name));
}

ParameterSet ParameterSet::from_json(std::string_view text, std::string_view source) {
    return detail::Access::wrap(scheme::Parameters(scheme::parameters_from_json(text, source)));
}

ParameterSet ParameterSet::load(const std::filesystem::path& path) {
    return from_json(detail::read_text(path, largest_file), path.string());
}

std::vector<ParameterSet> ParameterSet::all() {
    std::vector<ParameterSet> sets;
    for (const scheme::Parameters& parameters : scheme::named_parameters()) {
        sets.push_back(detail::Access::wrap(parameters));
    }
    return sets;
}

const std::string& ParameterSet::name() const noexcept {
    return state_->parameters.name();
}

std::string ParameterSet::fingerprint() const {
    return base::hex(state_->parameters.fingerprint());
}

ParameterFigures ParameterSet::figures() const {
    const scheme::Parameters& set = state_->parameters;
    const scheme::NoiseModel model(set);
    ParameterFigures figures;
    figures.purpose = set.literal().purpose;
    figures.comparison_only = set.comparison_only();
    figures.order = set.order() == scheme::GateOrder::key_switch_first ? "ks-first" : "br-first";
    figures.lwe_key =
        set.literal().lwe.key == scheme::KeyDistribution::block_binary ? "block-binary" : "binary";
    figures.lwe_dimension = set.n();
    figures.block = set.block();
    figures.ring_dimension = set.N();
    figures.glwe_dimension = set.k();
    figures.ciphertext_bytes = (static_cast<std::uint64_t>(set.wire_dimension()) + 1) * 4;
    figures.evaluation_key_bytes = evaluation_key_bytes(set);
    figures.blind_rotation_variance = model.blind_rotation;
    figures.key_switch_variance = model.key_switch;
    figures.modulus_switch_variance = model.modulus_switch;
    figures.largest_weight_norm = model.largest_weight_norm(default_target_log2);
    for (const scheme::SecurityEstimate& estimate : set.literal().security) {
        figures.security.push_back({estimate.model, estimate.bits, estimate.source});
    }
    return figures;
}

std::string ParameterSet::to_json() const {
    return scheme::parameters_to_json(state_->parameters);
}

double ParameterSet::gate_failure_log2(double weight_norm) const {
    return scheme::NoiseModel(state_->parameters).gate_failure_log2(weight_norm);
}

}  // namespace toroid
