// SPDX-License-Identifier: Apache-2.0
#include "toroid/parameters.hpp"

#include <algorithm>

#include "api/common/access.hpp"
#include "base/file.hpp"
#include "scheme/cost_model.hpp"
#include "scheme/noise_model.hpp"
#include "scheme/security_estimate.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 20;
constexpr double default_target_log2 = -128;

void add_security(const scheme::Parameters& set, ParameterFigures& figures) {
    const scheme::SecurityReport report = scheme::estimate_security(set);
    for (const scheme::SecurityEstimate& estimate : report.figures) {
        figures.security.push_back({estimate.model, estimate.bits, estimate.source});
    }
    for (const scheme::SecurityEstimate& stated : set.literal().security) {
        if (std::ranges::count(report.figures, stated) == 0)
            figures.security.push_back({stated.model, stated.bits, stated.source});
    }
    for (const scheme::SecurityMargin& margin : report.margins) {
        figures.margins.push_back(
            {margin.model, margin.std_margin_log2, margin.required_log2, margin.source});
    }
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
    const scheme::CostModel cost(set);
    ParameterFigures figures;
    figures.purpose = set.literal().purpose;
    figures.comparison_only = set.comparison_only();
    figures.comparison_reason = set.comparison_reason();
    figures.order = set.order() == scheme::GateOrder::key_switch_first ? "ks-first" : "br-first";
    figures.lwe_key =
        set.literal().lwe.key == scheme::KeyDistribution::block_binary ? "block-binary" : "binary";
    figures.lwe_dimension = set.n();
    figures.block = set.block();
    figures.ring_dimension = set.N();
    figures.glwe_dimension = set.k();
    figures.ciphertext_bytes = (static_cast<std::uint64_t>(set.wire_dimension()) + 1) * 4;
    figures.evaluation_key_bytes = cost.seeded_key_bytes;
    figures.blind_rotation_variance = model.blind_rotation;
    figures.key_switch_variance = model.key_switch;
    figures.modulus_switch_variance = model.modulus_switch;
    figures.largest_weight_norm = model.largest_weight_norm(default_target_log2);
    figures.blind_rotation_fma = cost.blind_rotation_fma;
    add_security(set, figures);
    return figures;
}

std::string ParameterSet::to_json() const {
    return scheme::parameters_to_json(state_->parameters);
}

double ParameterSet::gate_failure_log2(double weight_norm) const {
    return scheme::NoiseModel(state_->parameters).gate_failure_log2(weight_norm);
}

}  // namespace toroid
